import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { ParameterError } from '../service/failures';
import { SITE_EVENTS } from '../trigger/changes';
import { SITE_PARTS } from '../site/site';
import type { SitePart } from '../site/site';

/** The current version of the service's interface (service.md, «Versioning»). */
export const CURRENT_API_VERSION = '2025-01-01';

const DEFAULT_MAX_CONCURRENCY = 64;
const DEFAULT_MAX_RETRIES = 3;
const DEFAULT_TIMEOUT = 30_000;

/** The operations of the node «Aquaculture Site». */
export type Operation = 'get' | 'getAll' | 'getUnits' | 'getGeoJson';

const SEVERAL_SITES: Operation[] = ['getAll', 'getUnits', 'getGeoJson'];
const WHOLE_SITES: Operation[] = ['get', 'getAll'];

const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'get',
	options: [
		{
			name: 'Get',
			value: 'get',
			action: 'Get a site',
			description: 'Retrieve one site with its info and units',
		},
		{
			name: 'Get GeoJSON',
			value: 'getGeoJson',
			action: 'Get a map of sites',
			description: 'Retrieve sites and their units as a map (GeoJSON), as data or as a file',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many sites',
			description: 'Retrieve several sites by their IDs, one item for each',
		},
		{
			name: 'Get Units',
			value: 'getUnits',
			action: 'Get the units of sites',
			description:
				'Retrieve the units (pens, tanks) of sites as table rows, one item for each unit',
		},
	],
};

const siteId: INodeProperties = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description: 'The number of the site, in digits only',
};

/** The list of sites, of node and trigger. */
export const siteIds: INodeProperties = {
	displayName: 'Site IDs',
	name: 'siteIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042, 1043, 1051',
	description:
		'The numbers of the sites, separated by commas, spaces or lines. An expression may also give a number or a list.',
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

const include: INodeProperties = {
	displayName: 'Include',
	name: 'include',
	type: 'multiOptions',
	default: ['info', 'units'],
	options: PART_OPTIONS,
	description: 'What to retrieve besides the ID and the name of the site',
};

const includeNothingNotice: INodeProperties = {
	displayName: "With nothing under 'Include', an item holds only the ID and the name of the site",
	name: 'includeNothingNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { operation: WHOLE_SITES }, hide: { include: [...SITE_PARTS] } },
};

const output: INodeProperties = {
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
	description: 'The shape of the items',
};

const format: INodeProperties = {
	displayName: 'Format',
	name: 'format',
	type: 'options',
	default: 'json',
	options: [
		{ name: 'JSON', value: 'json', description: 'The map as the data of the item' },
		{ name: 'File', value: 'file', description: 'The map as a .geojson file' },
	],
	description: 'Whether the map comes as data or as a file',
};

const binaryPropertyName: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	displayOptions: { show: { operation: ['getGeoJson'], format: ['file'] } },
};

const apiVersion: INodeProperties = {
	displayName: 'API Version',
	name: 'apiVersion',
	type: 'string',
	default: CURRENT_API_VERSION,
	placeholder: 'e.g. 2023-01-01',
	description:
		'The version of the service to use, a date as YYYY-MM-DD. Known are 2025-01-01 (current) and 2023-01-01.',
};

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		apiVersion,
		{
			displayName: 'Include Response Headers and Status',
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description:
				'Whether to return the status code, headers and body of the response instead of the site alone',
			displayOptions: { show: { '/operation': WHOLE_SITES } },
		},
		{
			displayName: 'Include Site Info',
			name: 'includeInfo',
			type: 'boolean',
			default: true,
			description: "Whether each row also has the site's code and time zone",
			displayOptions: { show: { '/operation': ['getUnits'] } },
		},
		{
			displayName: 'Max Concurrency',
			name: 'maxConcurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
			default: DEFAULT_MAX_CONCURRENCY,
			description:
				'How many sites to ask for at the same time at most. A run begins with few and slows down when the service is busy.',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
			default: DEFAULT_MAX_RETRIES,
			description:
				'How often to ask again for a site when the service is busy or the connection breaks off',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: DEFAULT_TIMEOUT,
			description: 'How many milliseconds to wait for an answer of the service',
		},
	],
};

function onlyFor(operations: Operation[], property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { operation: operations } } };
}

/** What the node «Aquaculture Site» shows. */
export const siteParameters: INodeProperties[] = [
	operation,
	onlyFor(['get'], siteId),
	onlyFor(SEVERAL_SITES, siteIds),
	onlyFor(WHOLE_SITES, include),
	includeNothingNotice,
	onlyFor(WHOLE_SITES, output),
	onlyFor(['getGeoJson'], format),
	binaryPropertyName,
	options,
];

/** What the «Aquaculture Site Trigger» shows. */
export const triggerParameters: INodeProperties[] = [
	siteIds,
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: [...SITE_EVENTS],
		options: [
			{
				name: 'Site Changed',
				value: 'siteChanged',
				description: 'A field of the site has another value, e.g. its license or its position',
			},
			{ name: 'Unit Added', value: 'unitAdded', description: 'The site has a new unit' },
			{
				name: 'Unit Changed',
				value: 'unitChanged',
				description: 'A unit was renamed or moved, or another of its fields has changed',
			},
			{
				name: 'Unit Removed',
				value: 'unitRemoved',
				description: 'A unit is no longer part of the site',
			},
		],
		description: 'What starts the workflow',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			apiVersion,
			{
				displayName: 'Ignore Fields',
				name: 'ignoreFields',
				type: 'string',
				default: '',
				placeholder: 'e.g. maxTotalBiomass, unitName',
				description: 'Names of fields whose changes do not start the workflow, separated by commas',
			},
			{
				displayName: 'Minimum Distance',
				name: 'minimumDistance',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description:
					'How many metres a site or unit has to move to count as moved. Smaller moves add up.',
			},
		],
	},
];

/** What «Options» holds, checked, with its defaults. */
export interface RequestOptions {
	/** YYYY-MM-DD. */
	apiVersion: string;
	/** 1 to 100. */
	maxConcurrency: number;
	maxRetries: number;
	/** Milliseconds. */
	timeout: number;
}

/**
 * The interface version that was chosen (service.md, «Versioning»: a date in the form YYYY-MM-DD).
 *
 * @throws ParameterError where it is no date
 */
export function parseApiVersion(value: unknown = CURRENT_API_VERSION): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : new Date(NaN);
	if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return text;
	throw new ParameterError(
		"'API Version' is not a date",
		"Fill in a date as YYYY-MM-DD, e.g. 2025-01-01, or remove 'API Version' from 'Options'.",
	);
}

/** A number that an expression may have given as text; anything else as it is. */
function toNumber(value: unknown): unknown {
	return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

function wholeNumber(value: unknown, displayName: string, from: number, to: number): number {
	const number = toNumber(value);
	if (typeof number === 'number' && Number.isInteger(number) && number >= from && number <= to) {
		return number;
	}
	throw new ParameterError(
		`'${displayName}' is not a whole number from ${from} to ${to}`,
		`Correct it, or remove '${displayName}' from 'Options'.`,
	);
}

/**
 * Checks the options that shape the requests; an expression may have put anything into them.
 *
 * @throws ParameterError
 */
export function parseRequestOptions({
	apiVersion: version,
	maxConcurrency = DEFAULT_MAX_CONCURRENCY,
	maxRetries = DEFAULT_MAX_RETRIES,
	timeout = DEFAULT_TIMEOUT,
}: Record<string, unknown>): RequestOptions {
	return {
		apiVersion: parseApiVersion(version),
		maxConcurrency: wholeNumber(maxConcurrency, 'Max Concurrency', 1, 100),
		maxRetries: wholeNumber(maxRetries, 'Max Retries', 0, 10),
		timeout: wholeNumber(timeout, 'Timeout', 1, 3_600_000),
	};
}

/**
 * The distance below which the trigger takes a move for none.
 *
 * @returns metres
 * @throws ParameterError where it is no number, or negative
 */
export function parseMinimumDistance(value: unknown = 0): number {
	const number = toNumber(value);
	if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
	throw new ParameterError(
		"'Minimum Distance' is not a number of metres",
		"Correct it, e.g. 25, or remove 'Minimum Distance' from 'Options'.",
	);
}
