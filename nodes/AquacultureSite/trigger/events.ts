import { mapUrl } from '../site/position';
import { infoOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { summarize } from './summary';

export const SITE_EVENTS = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'] as const;
export type SiteEventName = (typeof SITE_EVENTS)[number];

/** One field before and after; null where it was or is absent. `field` is `info.license` for a field of info. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

/** What the fields of a site or a unit show, compared with the last poll. */
export interface Difference {
	changes: FieldChange[];
	/** Meters, where the position changed and both positions are known. */
	distance?: number;
}

/** One thing that changed, as the trigger emits it. */
export interface SiteEvent extends Difference {
	event: SiteEventName;
	siteId: unknown;
	siteName: unknown;
	unitId?: unknown;
	unitName?: unknown;
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

type Facts = Pick<SiteEvent, 'event' | 'siteId' | 'siteName' | 'unitId' | 'unitName'>;

function toEvent(
	facts: Facts,
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
	const facts: Facts = { event: 'siteChanged', siteId: site.siteId, siteName: site.siteName };
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
	const facts: Facts = { event, siteId, siteName, unitId, unitName };
	return { ...toEvent(facts, difference, unit), detectedAt, unit };
}
