import { mapUrl } from '../site/position';
import { readSiteIds, siteIdsField } from '../site/siteIds';
import {
	infoOf,
	pick,
	SITE_FIELDS,
	SITE_PARTS,
	siteTitle,
	UNIT_FIELDS,
	unitsOf,
} from '../site/site';
import { mapLinkOption } from './operation';
import type { Operation } from './operation';

const NO_UNITS = 'No rows, because these sites have no units';

/** Get Units: one flat row for each unit of the sites, in the service's order, with the site's fields repeated in each. */
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
	parse: (parameter, { includeInfo, mapLink }) => ({
		...readSiteIds(parameter('siteIds')),
		parts: includeInfo === false ? ['units'] : SITE_PARTS,
		toItems: (sites, { addHint }) =>
			sites.flatMap(({ siteId, site }) => {
				const units = unitsOf(site) ?? [];
				if (units.length === 0) addHint(NO_UNITS, siteTitle(site, siteId));
				return units.map((unit) => ({
					json: {
						...pick(site, SITE_FIELDS),
						...pick(unit, UNIT_FIELDS),
						...(includeInfo !== false && pick(infoOf(site) ?? {}, ['code', 'timezone'])),
						...(mapLink === true && { mapUrl: mapUrl(unit) ?? null }),
					},
				}));
			}),
	}),
};
