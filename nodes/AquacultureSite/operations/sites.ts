import type { INodeProperties } from 'n8n-workflow';

import { parseSiteId, readSiteIds, siteIdsField } from '../site/siteIds';
import { SITE_PARTS } from '../site/site';
import { mapLinkOption } from './operation';
import type { Operation } from './operation';
import { outputFields, parseSiteOutput } from './siteOutput';

const siteIdField: INodeProperties = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description: 'The numeric ID of the site',
};

const fields: INodeProperties[] = [
	{
		displayName: 'Include',
		name: 'include',
		type: 'multiOptions',
		default: ['info', 'units'],
		options: [
			{
				name: 'Info',
				value: 'info',
				description: 'Position, type, code, license, maximum biomass and time zone',
			},
			{
				name: 'Units',
				value: 'units',
				description:
					'The units (pens, tanks) of the site with their positions; of a simplified site, only their number',
			},
		],
		description: 'What to retrieve in addition to the ID and the name of the site',
		displayOptions: { hide: { output: ['selectedFields'] } },
	},
	{
		displayName:
			"If nothing is selected under 'Include', each item contains only the ID and the name of the site",
		name: 'includeNothingNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { include: [...SITE_PARTS], output: ['selectedFields'] } },
	},
	...outputFields,
];

const options: INodeProperties[] = [
	mapLinkOption,
	{
		displayName: 'Full Response',
		name: 'fullResponse',
		type: 'boolean',
		default: false,
		description:
			'Whether to return the status code, headers and body of the response instead of the site. The body is not simplified.',
	},
];

/** Get: one site for each input item. */
export const getSite: Operation = {
	entry: {
		name: 'Get',
		value: 'get',
		action: 'Get site',
		description: 'Retrieve a site with its info and units',
	},
	fields: [siteIdField, ...fields],
	options,
	parse: (parameter, given) => ({
		siteIds: [parseSiteId(parameter('siteId'))],
		failures: [],
		...parseSiteOutput(parameter, given),
	}),
};

/** Get Many: one item for each site. */
export const getManySites: Operation = {
	entry: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many sites',
		description: 'Retrieve a list of sites by their IDs, one item for each',
	},
	fields: [siteIdsField, ...fields],
	options,
	parse: (parameter, given) => ({
		...readSiteIds(parameter('siteIds')),
		...parseSiteOutput(parameter, given),
	}),
};
