import { mapUrl } from '../site/position';
import { infoOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import type { Difference, Facts, SiteEventName } from './facts';
import { summarize } from './summary';

/** One thing that changed, as the trigger emits it. */
export interface SiteEvent extends Facts {
	/** One plain sentence, e.g. for a chat message. */
	summary: string;
	/** A map with a marker, where the position is known. */
	mapUrl?: string;
	/** ISO 8601. */
	detectedAt: string;
	site?: Site;
	/** As it is now; for `unitRemoved` as it was last seen. */
	unit?: Unit;
}

function toEvent(
	facts: Omit<Facts, keyof Difference>,
	{ changes, distance }: Difference,
	{ latitude, longitude }: { latitude?: unknown; longitude?: unknown },
) {
	const url = mapUrl(latitude, longitude);
	return {
		...facts,
		changes,
		...(distance !== undefined && { distance }),
		summary: summarize({ ...facts, changes, distance }),
		...(url !== undefined && { mapUrl: url }),
	};
}

/** The event that a site's own fields have changed. */
export function siteChanged(site: Site, difference: Difference, detectedAt: string): SiteEvent {
	const { siteId, siteName } = site;
	const facts = { event: 'siteChanged' as const, siteId, siteName };
	return { ...toEvent(facts, difference, infoOf(site) ?? {}), detectedAt, site };
}

/** The event that a unit of a site has come, gone or changed. */
export function unitEvent(
	event: Exclude<SiteEventName, 'siteChanged'>,
	{ siteId, siteName }: Site,
	unit: Unit,
	detectedAt: string,
	difference: Difference = { changes: [] },
): SiteEvent {
	const { unitId, unitName } = unit;
	const facts = { event, siteId, siteName, unitId, unitName };
	return { ...toEvent(facts, difference, unit), detectedAt, unit };
}
