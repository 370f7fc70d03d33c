// What n8n stores from one poll to the next, and which sites a poll reads first.
import type { Site } from '../site/site';

/** What is known of one site. */
export interface SiteState {
	siteId: string;
	/** As it was last read; undefined if it never was. */
	snapshot?: Site;
	/** How many times in a row it could not be read. */
	failedPolls: number;
	/** How many polls in a row have requested other sites, but not this one. */
	skippedPolls: number;
	/** Whether it has been reported that it cannot be read. */
	isReported?: boolean;
}

/**
 * What n8n stores for the trigger from one poll to the next, as JSON, its "static data". n8n saves it after the
 * activation and when items come out; after a silent poll it stays in memory only.
 */
export interface State {
	/** Base URL and API version: with others, nothing can be compared. */
	readFrom: string;
	/** The sites of the list, in its order. */
	sites: SiteState[];
	/** How many polls in a row have read no site. */
	outagePolls?: number;
	isOutageReported?: boolean;
	/** Whether it has been reported that the polls come to some sites late. */
	isLatenessReported?: boolean;
}

export function newSite(siteId: string): SiteState {
	return { siteId, failedPolls: 0, skippedPolls: 0 };
}

/**
 * The state in the static data, for the sites in the list; without what was read from elsewhere.
 *
 * @param readFrom undefined if it is not known, because the credential cannot be used
 */
export function readState(staticData: object, siteIds: string[], readFrom?: string): State {
	const saved = staticData as Partial<State>;
	readFrom ??= saved.readFrom ?? '';
	const old: Partial<State> = saved.readFrom === readFrom ? saved : {};
	const known = new Map(old.sites?.map((site) => [site.siteId, site]));
	const sites = siteIds.map((siteId) => known.get(siteId) ?? newSite(siteId));
	return { ...old, readFrom, sites };
}

/**
 * The order in which a poll reads the sites: new ones, then those that have waited longest. That way, a rate limit or a
 * slow service leaves out no site for good.
 */
export function readOrder(sites: SiteState[]): string[] {
	const isNew = ({ snapshot, failedPolls }: SiteState) => !snapshot && failedPolls === 0;
	const others = sites.filter((site) => !isNew(site));
	others.sort((a, b) => b.skippedPolls - a.skippedPolls);
	return [...sites.filter(isNew), ...others].map(({ siteId }) => siteId);
}
