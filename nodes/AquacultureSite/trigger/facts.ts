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

/** What an event is about, and what a sentence about it is made of. */
export interface Facts extends Difference {
	event: SiteEventName;
	siteId: unknown;
	siteName: unknown;
	unitId?: unknown;
	unitName?: unknown;
}
