import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { parseSiteId, parseSiteIds, siteIdsField } from '../site/siteIds';
import { infoOf, SITE_PARTS, unitsOf } from '../site/site';
import type { Row, Site, SitePart } from '../site/site';
import type { NewItem, Operation, ReadParameter, ReadSite, Task } from './operation';

const siteIdField: INodeProperties = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description: 'The numeric ID of the site',
};

const PART_OPTIONS: Array<INodePropertyOptions & { value: SitePart }> = [
	{
		name: 'Info',
		value: 'info',
		description: 'Position, type, code, license, maximum biomass and time zone',
	},
	{
		name: 'Units',
		value: 'units',
		description: 'The units (pens, tanks) of the site with their positions',
	},
];

const fields: INodeProperties[] = [
	{
		displayName: 'Include',
		name: 'include',
		type: 'multiOptions',
		default: ['info', 'units'],
		options: PART_OPTIONS,
		description: 'What to retrieve in addition to the ID and the name of the site',
	},
	{
		displayName:
			"If nothing is selected under 'Include', each item contains only the ID and the name of the site",
		name: 'includeNothingNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { include: [...SITE_PARTS] } },
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'raw',
		options: [
			{
				name: 'Raw',
				value: 'raw',
				description: 'The site exactly as the service sends it',
			},
			{
				name: 'Simplified',
				value: 'simplified',
				description: 'One flat row of at most ten columns, with the number of units',
			},
		],
		description: 'The format of the output items',
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Include Response Headers and Status',
		name: 'fullResponse',
		type: 'boolean',
		default: false,
		description:
			'Whether to return the status code, headers and body of the response instead of the site alone',
	},
];

function parse(siteIds: string[], parameter: ReadParameter, { fullResponse }: IDataObject): Task {
	const chosen = parameter('include', [...SITE_PARTS]) as unknown[];
	const parts = SITE_PARTS.filter((part) => chosen.includes(part));
	const isSimplified = parameter('output', 'raw') === 'simplified';
	const toJson = ({ site, response: { statusCode, headers } }: ReadSite) => {
		if (fullResponse === true) return { statusCode, headers: { ...headers }, body: site };
		return isSimplified ? simplifySite(site, parts) : site;
	};
	const toItem = (site: ReadSite): NewItem => ({ json: toJson(site) as IDataObject });
	return { siteIds, parts, toItems: (sites) => sites.map(toItem) };
}

/** Get: one site for each input item. */
export const getSite: Operation = {
	entry: {
		name: 'Get',
		value: 'get',
		action: 'Get a site',
		description: 'Retrieve one site with its info and units',
	},
	fields: [siteIdField, ...fields],
	options,
	parse: (parameter, given) => parse([parseSiteId(parameter('siteId'))], parameter, given),
};

/** Get Many: one item for each site. */
export const getManySites: Operation = {
	entry: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many sites',
		description: 'Retrieve several sites by their IDs, one item for each',
	},
	fields: [siteIdsField, ...fields],
	options,
	parse: (parameter, given) => parse(parseSiteIds(parameter('siteIds')), parameter, given),
};

/**
 * The site as one flat row of at most ten fields: `info` lifted to the top, the units as their number.
 * A part that was requested and lacks a field gives null, so that every row has the same columns.
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
