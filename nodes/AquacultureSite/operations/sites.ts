// The operations Get and Get Many.
import { parseSiteId, readSiteIds, siteIdsField } from '../site/siteIds';
import type { Field } from '../utils/parameters';
import type { Operation } from './operation';
import { siteOutput } from './siteOutput';

const siteIdField: Field<'string'> = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description: 'The numeric ID of the site',
};

/** Get: one site for each input item. */
export const getSite: Operation = {
	entry: {
		name: 'Get',
		value: 'get',
		action: 'Get site',
		description: 'Retrieve a site with its info and units',
	},
	fields: [siteIdField, ...siteOutput.fields],
	options: siteOutput.options,
	parse: (parameters, options) => ({
		siteIds: [parseSiteId(parameters.raw(siteIdField))],
		...siteOutput.parse(parameters, options),
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
	fields: [siteIdsField, ...siteOutput.fields],
	options: siteOutput.options,
	parse: (parameters, options) => ({
		siteIds: readSiteIds(parameters.raw(siteIdsField)),
		...siteOutput.parse(parameters, options),
	}),
};
