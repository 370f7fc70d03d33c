/** The parts of a site that $include can name (service.md, «Get a site»). */
export const SITE_PARTS = ['info', 'units'] as const;
export type SitePart = (typeof SITE_PARTS)[number];

/** Any value of the service: which fields may be null or absent is not specified, so none is relied on. */
type Value = unknown;

/** service.md, «Site info». Decimal degrees; the unit of maxTotalBiomass is not specified. */
export interface SiteInfo {
	longitude?: Value;
	latitude?: Value;
	type?: Value;
	code?: Value;
	license?: Value;
	maxTotalBiomass?: Value;
	timezone?: Value;
	[field: string]: Value;
}

/** service.md, «Unit»: a pen, tank or the like. Decimal degrees. */
export interface Unit {
	unitId?: Value;
	unitName?: Value;
	longitude?: Value;
	latitude?: Value;
	[field: string]: Value;
}

/** service.md, «Site». */
export interface Site {
	siteId?: Value;
	siteName?: Value;
	info?: Value;
	units?: Value;
	[field: string]: Value;
}

/** One row of a table. */
export type Row = Record<string, unknown>;

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The site's info, or undefined where the service sent none. */
export function infoOf(site: Site): SiteInfo | undefined {
	return isRecord(site.info) ? site.info : undefined;
}

/** The site's units in the service's order, or undefined where the service sent no list. */
export function unitsOf(site: Site): Unit[] | undefined {
	return Array.isArray(site.units) ? site.units.filter(isRecord) : undefined;
}

/** A name or ID as text, also one of another type than service.md says; undefined for null. */
export function asText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * The site as one flat row of at most ten fields: `info` lifted to the top, the units as their number.
 * A part that was asked for and lacks a field gives null, so that every row has the same columns.
 */
export function simplifySite(site: Site, parts: readonly SitePart[]): Row {
	const row: Row = { siteId: site.siteId ?? null, siteName: site.siteName ?? null };
	if (parts.includes('info')) {
		const info = infoOf(site) ?? {};
		row.type = info.type ?? null;
		row.code = info.code ?? null;
		row.license = info.license ?? null;
		row.maxTotalBiomass = info.maxTotalBiomass ?? null;
		row.latitude = info.latitude ?? null;
		row.longitude = info.longitude ?? null;
		row.timezone = info.timezone ?? null;
	}
	if (parts.includes('units')) row.unitCount = unitsOf(site)?.length ?? null;
	return row;
}

/**
 * One flat row per unit, in the service's order, with the site's fields repeated in each and the same
 * columns in all: null stands where the service has nothing.
 */
export function unitRows(site: Site, parts: readonly SitePart[]): Row[] {
	const info = infoOf(site) ?? {};
	return (unitsOf(site) ?? []).map((unit) => ({
		siteId: site.siteId ?? null,
		siteName: site.siteName ?? null,
		unitId: unit.unitId ?? null,
		unitName: unit.unitName ?? null,
		latitude: unit.latitude ?? null,
		longitude: unit.longitude ?? null,
		...(parts.includes('info') && {
			code: info.code ?? null,
			timezone: info.timezone ?? null,
		}),
	}));
}

/** What to call a site in a sentence: its name with its ID, or the ID alone. */
export function siteTitle(site: Site, siteId: string): string {
	return typeof site.siteName === 'string' && site.siteName !== ''
		? `${site.siteName} (${siteId})`
		: siteId;
}
