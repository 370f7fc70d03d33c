// The operation Get Units.
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
import type { Field } from '../utils/parameters';
import { mapLinkOption } from './operation';
import type { Operation } from './operation';

const NO_UNITS = 'No rows, because these sites have no units';

const includeInfo: Field<'boolean'> = {
	displayName: 'Include Site Info',
	name: 'includeInfo',
	type: 'boolean',
	default: true,
	description:
		"Whether each row also has the site's code and time zone, and nothing else of its info",
};

/** Get Units: one flat row for each unit of the sites, in the service's order, with the site's fields repeated in each. */
export const getUnits: Operation = {
	entry: {
		name: 'Get Units',
		value: 'getUnits',
		action: 'Get units of sites',
		description: 'Retrieve the units (pens, tanks) of sites as table rows, one item for each unit',
	},
	fields: [siteIdsField],
	options: [includeInfo, mapLinkOption],
	parse: (parameters, options) => {
		const [withInfo, withMapLink] = [options.read(includeInfo), options.read(mapLinkOption)];
		return {
			siteIds: readSiteIds(parameters.raw(siteIdsField)),
			parts: withInfo ? SITE_PARTS : ['units'],
			toItems: (sites, { addHint }) =>
				sites.flatMap(({ siteId, site }) => {
					const units = unitsOf(site) ?? [];
					if (units.length === 0) addHint(NO_UNITS, siteTitle(site, siteId));
					return units.map((unit) => ({
						json: {
							...pick(site, SITE_FIELDS),
							...pick(unit, UNIT_FIELDS),
							...(withInfo && pick(infoOf(site) ?? {}, ['code', 'timezone'])),
							...(withMapLink && { mapUrl: mapUrl(unit) ?? null }),
						},
					}));
				}),
		};
	},
};
