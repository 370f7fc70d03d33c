import { mapUrl } from '../site/position';
import { readSiteIds, siteIdsField } from '../site/siteIds';
import { infoOf, siteTitle, unitsOf } from '../site/site';
import type { Row, Site, SitePart } from '../site/site';
import { mapLinkOption } from './operation';
import type { Operation } from './operation';

const NO_UNITS = 'No rows, because these sites have no units';

/** Get Units: one flat row for each unit of the sites. */
export const getUnits: Operation = {
	entry: {
		name: 'Get Units',
		value: 'getUnits',
		action: 'Get units of sites',
		description: 'Retrieve the units (pens, tanks) of sites as table rows, one item for each unit',
	},
	fields: [siteIdsField],
	options: [
		{
			displayName: 'Include Site Info',
			name: 'includeInfo',
			type: 'boolean',
			default: true,
			description:
				"Whether each row also has the site's code and time zone, and nothing else of its info",
		},
		mapLinkOption,
	],
	parse: (parameter, { includeInfo, mapLink }) => {
		const parts: SitePart[] = includeInfo === false ? ['units'] : ['info', 'units'];
		return {
			...readSiteIds(parameter('siteIds')),
			parts,
			toItems: (sites, output) =>
				sites.flatMap(({ siteId, site }) => {
					if (!unitsOf(site)?.length) output.addHint(NO_UNITS, siteTitle(site, siteId));
					return unitRows(site, parts).map((row) => ({
						json: {
							...row,
							...(mapLink === true && { mapUrl: mapUrl(row.latitude, row.longitude) ?? null }),
						},
					}));
				}),
		};
	},
};

/**
 * One flat row per unit, in the service's order, with the site's fields repeated in each and the same
 * columns in all: null if the service has nothing.
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
