// The shapes of a site and its units (docs/service.md#get-a-site).

/** The parts of a site that $include can name (docs/service.md#get-a-site). */
export const SITE_PARTS = ['info', 'units'] as const;
export type SitePart = (typeof SITE_PARTS)[number];

/** An object of JSON, or one row of a table. */
export type Row = Record<string, unknown>;

/** Any fields. Which may be null or absent, or of another type, is not specified, so none is relied on. */
type Fields<Name extends string> = Row & Partial<Record<Name, unknown>>;

/** Decimal degrees. */
const PLACE = ['latitude', 'longitude'] as const;

/** docs/service.md#site */
export const SITE_FIELDS = ['siteId', 'siteName'] as const;
export type Site = Fields<(typeof SITE_FIELDS)[number] | SitePart>;

/** docs/service.md#unit: a pen, tank or the like. */
export const UNIT_FIELDS = ['unitId', 'unitName', ...PLACE] as const;
export type Unit = Fields<(typeof UNIT_FIELDS)[number]>;

/** docs/service.md#site-info. The unit of maxTotalBiomass is not specified. */
export const INFO_FIELDS = [
	...PLACE,
	...(['type', 'code', 'license', 'maxTotalBiomass', 'timezone'] as const),
] as const;
export type SiteInfo = Fields<(typeof INFO_FIELDS)[number]>;

function isRow(value: unknown): value is Row {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The site's info, or undefined if the service sent none. */
export function infoOf(site: Site): SiteInfo | undefined {
	return isRow(site.info) ? site.info : undefined;
}

/** The site's units in the service's order, or undefined if the service sent no list. */
export function unitsOf(site: Site): Unit[] | undefined {
	return Array.isArray(site.units) ? site.units.filter(isRow) : undefined;
}

/** Some fields; null if the service sent nothing, so that every row has the same columns. */
export function pick(fields: Row, names: readonly string[]): Row {
	return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

/** What to call a site in a sentence: its name with its ID, or the ID alone. */
export function siteTitle({ siteName }: Site, siteId: string): string {
	return typeof siteName === 'string' && siteName !== '' ? `${siteName} (${siteId})` : siteId;
}
