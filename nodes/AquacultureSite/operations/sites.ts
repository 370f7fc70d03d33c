// The operations Get and Get Many, and what they return of a site: raw, simplified, or selected fields.
import type { IDataObject } from 'n8n-workflow';

import { mapUrl } from '../site/position';
import { infoOf, pick, SITE_FIELDS, SITE_PARTS, unitsOf } from '../site/site';
import type { Site, SitePart } from '../site/site';
import { readSiteId, readSiteIds, siteIdsField } from '../site/siteIds';
import type { SiteIds } from '../site/siteIds';
import type { Field, Parameters } from '../utils/parameters';
import { byDisplayName, mapLinkOption } from './operation';
import type { Operation, ReadSite } from './operation';

/**
 * The fields that an item can have, and the part of the site that each needs. A row has at most ten, as n8n's guidelines
 * have it, those that are used most at the top; the last two are extra.
 */
const COLUMNS: Array<{ name: string; displayName: string; part?: SitePart }> = [
	{ name: 'siteId', displayName: 'Site ID' },
	{ name: 'siteName', displayName: 'Site Name' },
	{ name: 'type', displayName: 'Type', part: 'info' },
	{ name: 'code', displayName: 'Code', part: 'info' },
	{ name: 'license', displayName: 'License', part: 'info' },
	{ name: 'maxTotalBiomass', displayName: 'Max Total Biomass', part: 'info' },
	{ name: 'latitude', displayName: 'Latitude', part: 'info' },
	{ name: 'longitude', displayName: 'Longitude', part: 'info' },
	{ name: 'timezone', displayName: 'Time Zone', part: 'info' },
	{ name: 'unitCount', displayName: 'Unit Count', part: 'units' },
	{ name: 'mapUrl', displayName: 'Map URL', part: 'info' },
	{ name: 'units', displayName: 'Units', part: 'units' },
];

const siteIdField: Field<'string'> = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description: 'The numeric ID of the site',
};

const include: Field<'multiOptions'> = {
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
};

/** It returns the body as it is. */
const FULL_RESPONSE = { '/options.fullResponse': [true] };

/** The format of the items, which a person chooses by a switch, and for a model in more detail. */
const simplify: Field<'boolean'> = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description:
		'Whether to return a simplified version of the response instead of the raw data. The preview in the next node shows the simplified version in both cases.',
	displayOptions: { show: { '@tool': [false] }, hide: FULL_RESPONSE },
};

const output: Field<'options'> = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'simplified',
	options: [
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'One flat row of at most ten fields, with the number of units',
		},
		{ name: 'Raw', value: 'raw', description: 'The site exactly as the service sends it' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'Only the fields that you select',
		},
	],
	description: 'What to return for each site',
	displayOptions: { show: { '@tool': [true] }, hide: FULL_RESPONSE },
};

const fields: Field<'multiOptions'> = {
	displayName: 'Fields',
	name: 'fields',
	type: 'multiOptions',
	default: ['siteName'],
	options: [...COLUMNS]
		.sort(byDisplayName)
		.map(({ name, displayName }) => ({ name: displayName, value: name })),
	description: "What to return for each site. The site's ID is always returned.",
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] }, hide: FULL_RESPONSE },
};

const fullResponse: Field<'boolean'> = {
	displayName: 'Full Response',
	name: 'fullResponse',
	type: 'boolean',
	default: false,
	description:
		'Whether to return the status code, headers and body of the response instead of the site. The body is not simplified. The preview in the next node shows the site in both cases.',
};

/** One flat row. */
function toRow(site: Site, names: string[]): IDataObject {
	const [info, units] = [infoOf(site), unitsOf(site)];
	const made = { unitCount: units?.length, units, mapUrl: mapUrl(info) };
	return pick({ ...info, ...made, ...pick(site, SITE_FIELDS) }, names) as IDataObject;
}

/** Which parts to request, and what to make of each site. */
function parseOutput(parameters: Parameters, options: Parameters) {
	const included = parameters.read(include);
	const parts = SITE_PARTS.filter((part) => included.includes(part));
	if (options.read(fullResponse)) {
		return { parts, toJson: ({ site, response }: ReadSite) => ({ ...response, body: site }) };
	}
	// n8n drops what is hidden: 'Simplify' in a tool, 'Output' in a normal node
	const chosen = parameters.read(output, parameters.read(simplify) ? 'simplified' : 'raw');
	if (chosen === 'raw') return { parts, toJson: ({ site }: ReadSite) => site as IDataObject };
	const selected = chosen === 'selectedFields' ? ['siteId', ...parameters.read(fields)] : undefined;
	const withMapLink = options.read(mapLinkOption);
	const columns = COLUMNS.filter(({ name, part }) => {
		if (selected) return selected.includes(name);
		if (name === 'mapUrl') return withMapLink;
		return name !== 'units' && (part === undefined || parts.includes(part));
	});
	const needed = SITE_PARTS.filter((part) => columns.some((column) => column.part === part));
	const names = columns.map(({ name }) => name);
	return { parts: needed, toJson: ({ site }: ReadSite) => toRow(site, names) };
}

/** One item for each site. */
function siteOperation(
	idField: Field<'string'>,
	readIds: (value: unknown) => SiteIds,
	entry: Operation['entry'],
): Operation {
	return {
		entry,
		fields: [idField, include, simplify, output, fields],
		options: [mapLinkOption, fullResponse],
		parse: (parameters, options) => {
			const siteIds = readIds(parameters.raw(idField));
			const { parts, toJson } = parseOutput(parameters, options);
			return { siteIds, parts, toItems: (sites) => sites.map((read) => ({ json: toJson(read) })) };
		},
	};
}

export const getSite = siteOperation(siteIdField, readSiteId, {
	name: 'Get',
	value: 'get',
	action: 'Get site',
	description: 'Retrieve a site with its info and units',
});

export const getManySites = siteOperation(siteIdsField, readSiteIds, {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many sites',
	description: 'Retrieve a list of sites by their IDs, one item for each',
});
