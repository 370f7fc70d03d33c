import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { listEntries, ParameterError } from '../utils/parameters';
import { mapUrl } from '../site/position';
import { infoOf, pick, SITE_FIELDS, SITE_PARTS, unitsOf } from '../site/site';
import type { Site, SitePart } from '../site/site';
import { byDisplayName } from './operation';
import type { ReadParameter, ReadSite, Task } from './operation';

/** A field that an item can have, and the part of the site that it needs. */
interface Column {
	name: string;
	displayName: string;
	part?: SitePart;
}

/** At most ten, as n8n's guidelines have it, those that are used most at the top. */
const ROW: Column[] = [
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
];

const MAP_URL: Column = { name: 'mapUrl', displayName: 'Map URL', part: 'info' };

const COLUMNS: Column[] = [...ROW, MAP_URL, { name: 'units', displayName: 'Units', part: 'units' }];

/** All but the ID, which is always returned. */
const SELECTABLE = COLUMNS.slice(1).sort(byDisplayName);

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
			{ name: 'Raw', value: 'raw', description: 'The site exactly as the service sends it' },
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
		options: SELECTABLE.map(({ name, displayName }) => ({ name: displayName, value: name })),
		description: "What to return for each site. The site's ID is always returned.",
		displayOptions: { show: { '@tool': [true], output: ['selectedFields'] }, hide: FULL_RESPONSE },
	},
];

/** @throws ParameterError if one is not a field of a site; a model or an expression may give them as text */
function selectedColumns(value: unknown): Column[] {
	const names = new Set(['siteId', ...listEntries(value)]);
	const columns = COLUMNS.filter(({ name }) => names.has(name));
	if (columns.length === names.size) return columns;
	throw new ParameterError(
		"'Fields' contains a field that a site does not have",
		`Select from ${SELECTABLE.map(({ name }) => name).join(', ')}.`,
	);
}

/** One flat row. */
function toRow(site: Site, columns: Column[]): IDataObject {
	const [info, units] = [infoOf(site), unitsOf(site)];
	const made = { unitCount: units?.length, units, mapUrl: mapUrl(info) };
	const names = columns.map(({ name }) => name);
	return pick({ ...info, ...made, ...pick(site, SITE_FIELDS) }, names) as IDataObject;
}

type SiteOutput = Pick<Task, 'parts' | 'toItems'>;

function oneItemEach(
	parts: readonly SitePart[],
	toJson: (read: ReadSite) => IDataObject,
): SiteOutput {
	return { parts, toItems: (sites) => sites.map((read) => ({ json: toJson(read) })) };
}

/**
 * What Get and Get Many return, and the parts of the site that this takes.
 *
 * @throws ParameterError if a selected field does not exist, or n8n's own error if an expression fails
 */
export function parseSiteOutput(
	parameter: ReadParameter,
	{ fullResponse, mapLink }: IDataObject,
): SiteOutput {
	const included = parameter('include', [...SITE_PARTS]) as unknown[];
	const parts = SITE_PARTS.filter((part) => included.includes(part));
	if (fullResponse === true) {
		return oneItemEach(parts, ({ site, response: { statusCode, headers } }) => ({
			statusCode,
			headers: { ...headers },
			body: site,
		}));
	}
	// n8n drops what is hidden: 'Simplify' in a tool, 'Output' in a normal node
	const output = parameter('output', parameter('simplify', true) === false ? 'raw' : 'simplified');
	if (output === 'raw') return oneItemEach(parts, ({ site }) => site as IDataObject);
	const columns =
		output === 'selectedFields'
			? selectedColumns(parameter('fields', []))
			: [
					...ROW.filter(({ part }) => part === undefined || parts.includes(part)),
					...(mapLink === true ? [MAP_URL] : []),
				];
	const needed = SITE_PARTS.filter((part) => columns.some((column) => column.part === part));
	return oneItemEach(needed, ({ site }) => toRow(site, columns));
}
