/** The parts of a site that $include can name (docs/service.md#get-a-site). */
export const SITE_PARTS = ['info', 'units'] as const;
export type SitePart = (typeof SITE_PARTS)[number];

// Which fields may be null or absent, or of another type, is not specified, so none is relied on.

/** docs/service.md#site-info. Decimal degrees; the unit of maxTotalBiomass is not specified. */
export interface SiteInfo {
	longitude?: unknown;
	latitude?: unknown;
	type?: unknown;
	code?: unknown;
	license?: unknown;
	maxTotalBiomass?: unknown;
	timezone?: unknown;
	[field: string]: unknown;
}

/** docs/service.md#unit: a pen, tank or the like. Decimal degrees. */
export interface Unit {
	unitId?: unknown;
	unitName?: unknown;
	longitude?: unknown;
	latitude?: unknown;
	[field: string]: unknown;
}

/** docs/service.md#site. */
export interface Site {
	siteId?: unknown;
	siteName?: unknown;
	info?: unknown;
	units?: unknown;
	[field: string]: unknown;
}

/** One row of a table. */
export type Row = Record<string, unknown>;

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The site's info, or undefined if the service sent none. */
export function infoOf(site: Site): SiteInfo | undefined {
	return isRecord(site.info) ? site.info : undefined;
}

/** The site's units in the service's order, or undefined if the service sent no list. */
export function unitsOf(site: Site): Unit[] | undefined {
	return Array.isArray(site.units) ? site.units.filter(isRecord) : undefined;
}

/** A name or ID as text, also one of another type than the contract says; undefined for null. */
export function asText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What to call a site in a sentence: its name with its ID, or the ID alone. */
export function siteTitle(site: Site, siteId: string): string {
	return typeof site.siteName === 'string' && site.siteName !== ''
		? `${site.siteName} (${siteId})`
		: siteId;
}
