import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { ParameterError } from '../site/parameters';
import { mapUrl } from '../site/position';
import { infoOf, SITE_PARTS, unitsOf } from '../site/site';
import type { Row, Site, SitePart } from '../site/site';
import { byDisplayName } from './operation';
import type { ReadParameter, ReadSite } from './operation';

/** One field of a flat row: what people call it, the part of the site that it needs, and its value. */
interface Column {
	name: string;
	displayName: string;
	part?: SitePart;
	read: (site: Site) => unknown;
}

const ofSite = (name: string, displayName: string): Column => ({
	name,
	displayName,
	read: (site) => site[name],
});

const ofInfo = (name: string, displayName: string): Column => ({
	name,
	displayName,
	part: 'info',
	read: (site) => infoOf(site)?.[name],
});

const SITE_ID = ofSite('siteId', 'Site ID');

/** At most ten, as n8n's guidelines have it, those that are used most at the top. */
const ROW: Column[] = [
	SITE_ID,
	ofSite('siteName', 'Site Name'),
	ofInfo('type', 'Type'),
	ofInfo('code', 'Code'),
	ofInfo('license', 'License'),
	ofInfo('maxTotalBiomass', 'Max Total Biomass'),
	ofInfo('latitude', 'Latitude'),
	ofInfo('longitude', 'Longitude'),
	ofInfo('timezone', 'Time Zone'),
	{
		name: 'unitCount',
		displayName: 'Unit Count',
		part: 'units',
		read: (site) => unitsOf(site)?.length,
	},
];

const MAP_URL: Column = {
	name: 'mapUrl',
	displayName: 'Map URL',
	part: 'info',
	read: (site) => mapUrl(infoOf(site)?.latitude, infoOf(site)?.longitude),
};

const SELECTABLE: Column[] = [
	...ROW.filter((column) => column !== SITE_ID),
	MAP_URL,
	{ name: 'units', displayName: 'Units', part: 'units', read: unitsOf },
];

/** It returns the body as it is. */
const FULL_RESPONSE = { '/options.fullResponse': [true] };

/** The format of the items, which a person chooses by a switch, and for a model in more detail. */
export const outputFields: INodeProperties[] = [
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		displayOptions: { show: { '@tool': [false] }, hide: FULL_RESPONSE },
	},
	{
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
			{
				name: 'Raw',
				value: 'raw',
				description: 'The site exactly as the service sends it',
			},
			{
				name: 'Selected Fields',
				value: 'selectedFields',
				description: 'Only the fields that you select',
			},
		],
		description: 'What to return for each site',
		displayOptions: { show: { '@tool': [true] }, hide: FULL_RESPONSE },
	},
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		default: ['siteName'],
		options: [...SELECTABLE]
			.sort(byDisplayName)
			.map(({ name, displayName }) => ({ name: displayName, value: name })),
		description: "What to return for each site. The site's ID is always returned.",
		displayOptions: { show: { '@tool': [true], output: ['selectedFields'] }, hide: FULL_RESPONSE },
	},
];

/** One flat row; null if the service sent nothing, so that every row has the same columns. */
function toRow(site: Site, columns: Column[]): Row {
	return Object.fromEntries(columns.map(({ name, read }) => [name, read(site) ?? null]));
}

const columnsOf = (parts: readonly SitePart[]) =>
	ROW.filter(({ part }) => part === undefined || parts.includes(part));

const partsOf = (columns: Column[]) =>
	SITE_PARTS.filter((part) => columns.some((column) => column.part === part));

/** @throws ParameterError if one is not a field of a site; a model or an expression may give them as text */
function selectedColumns(value: unknown): Column[] {
	const names = (Array.isArray(value) ? value : String(value).split(',')).map((name) =>
		String(name).trim(),
	);
	const others = names.filter((name) => name !== '' && name !== SITE_ID.name);
	const columns = others.map((name) => SELECTABLE.find((column) => column.name === name));
	if (columns.every((column) => column !== undefined)) return [SITE_ID, ...columns];
	throw new ParameterError(
		"'Fields' contains a field that a site does not have",
		`Select from ${SELECTABLE.map(({ name }) => name).join(', ')}.`,
	);
}

/** How Get and Get Many turn a site into the data of its item, and the parts of the site that this takes. */
interface SiteOutput {
	parts: readonly SitePart[];
	toJson: (read: ReadSite) => IDataObject;
}

/** @throws ParameterError if a selected field does not exist, or n8n's own error if an expression fails */
export function parseSiteOutput(
	parameter: ReadParameter,
	{ fullResponse, mapLink }: IDataObject,
): SiteOutput {
	const included = parameter('include', [...SITE_PARTS]) as unknown[];
	const parts = SITE_PARTS.filter((part) => included.includes(part));
	// n8n drops what is hidden: 'Simplify' in a tool, 'Output' in a normal node
	const output = parameter('output', parameter('simplify', true) === false ? 'raw' : 'simplified');
	if (fullResponse === true) {
		return {
			parts,
			toJson: ({ site, response: { statusCode, headers } }) => ({
				statusCode,
				headers: { ...headers },
				body: site,
			}),
		};
	}
	const asRow = (columns: Column[]) => ({
		parts: partsOf(columns),
		toJson: ({ site }: ReadSite) => toRow(site, columns) as IDataObject,
	});
	switch (output) {
		case 'simplified':
			return asRow([...columnsOf(parts), ...(mapLink === true ? [MAP_URL] : [])]);
		case 'selectedFields':
			return asRow(selectedColumns(parameter('fields', [])));
		default:
			return { parts, toJson: ({ site }) => site as IDataObject };
	}
}
