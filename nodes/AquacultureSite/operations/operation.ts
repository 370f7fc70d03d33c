import type {
	IBinaryData,
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { apiVersionField, parseApiVersion } from '../service/apiVersion';
import type { ServiceResponse } from '../service/response';
import { ParameterError, toNumber } from '../site/parameters';
import type { Site, SitePart } from '../site/site';
import type { SiteIds } from '../site/siteIds';

const NAMES_IN_A_HINT = 5;

/** Reads a parameter of one input item. Throws n8n's own error if an expression fails. */
export type ReadParameter = (name: string, fallback?: unknown) => unknown;

/** A site that was read; `siteId` is the ID it was requested by. */
export interface ReadSite {
	siteId: string;
	site: Site;
	response: Pick<ServiceResponse, 'statusCode' | 'headers'>;
}

/** What an operation may use while it makes its items. */
export interface Output {
	/** Stores a file for an item's `binary`. */
	storeFile: (content: Buffer, fileName: string, mimeType: string) => Promise<IBinaryData>;
	/** Adds a name to a hint of the run: "Not on the map: Pen 7, Pen 8". */
	addHint: (hint: string, name: string) => void;
}

/** An item before it is paired with its input item. */
export type NewItem = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What one input item asks an operation for: the sites, and what is no site ID among them. */
export interface Task extends SiteIds {
	/** The parts of each site to request. */
	parts: readonly SitePart[];
	/** The items of the sites that could be read, at least one, in the order of `siteIds`. */
	toItems: (sites: ReadSite[], output: Output) => NewItem[] | Promise<NewItem[]>;
}

/** One operation of the node: what it shows, and what it does. */
export interface Operation {
	/** Its entry in the list of operations. */
	entry: INodePropertyOptions & { value: string };
	/** Its fields, in their order; a field that operations share is one object. */
	fields: INodeProperties[];
	/** Its entries in the collection 'Options', besides those of all operations. */
	options?: INodeProperties[];
	/**
	 * Reads its parameters.
	 *
	 * @param options what the collection 'Options' holds
	 * @throws ParameterError, or n8n's own error if an expression fails
	 */
	parse: (parameter: ReadParameter, options: IDataObject) => Task;
}

const DEFAULT_MAX_CONCURRENCY = 128;
const DEFAULT_MAX_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 30_000;

/** The entries in the collection 'Options' that all operations have. */
export const sharedOptions: INodeProperties[] = [
	apiVersionField,
	{
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 500, numberPrecision: 0 },
		default: DEFAULT_MAX_CONCURRENCY,
		description:
			'Maximum number of sites to request at once. A run starts with up to 64 and slows down when the service is busy.',
	},
	{
		displayName: 'Max Retries',
		name: 'maxRetries',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
		default: DEFAULT_MAX_RETRIES,
		description:
			'How many times to retry a site when the service fails or the connection is lost. Waiting for a rate limit does not count, ten times at most.',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_TIMEOUT_MS,
		hint: 'In milliseconds',
		description: 'How many milliseconds to wait for a response from the service',
	},
];

/** Not shown if the operation does not return a row. The node returns "mapUrl", as the trigger does. */
export const mapLinkOption: INodeProperties = {
	displayName: 'Include Map Link',
	name: 'mapLink',
	type: 'boolean',
	default: false,
	description:
		"Whether each row also has a link that shows its position on OpenStreetMap, in the field 'mapUrl'",
	// Each of the two is absent if the other is shown
	displayOptions: {
		hide: { '/simplify': [false], '/output': ['raw', 'selectedFields'], fullResponse: [true] },
	},
};

/** What 'Options' holds for every operation, checked, with its defaults. */
export interface RequestOptions {
	/** YYYY-MM-DD. */
	apiVersion: string;
	/** 1 to 500. */
	maxConcurrency: number;
	maxRetries: number;
	/** Milliseconds. */
	timeout: number;
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
	apiVersion,
	maxConcurrency = DEFAULT_MAX_CONCURRENCY,
	maxRetries = DEFAULT_MAX_RETRIES,
	timeout = DEFAULT_TIMEOUT_MS,
}: IDataObject): RequestOptions {
	return {
		apiVersion: parseApiVersion(apiVersion),
		maxConcurrency: wholeNumber(maxConcurrency, 'Max Concurrency', 1, 500),
		maxRetries: wholeNumber(maxRetries, 'Max Retries', 0, 10),
		timeout: wholeNumber(timeout, 'Timeout', 1, 3_600_000),
	};
}

/** The order of n8n's lists. Not by locale: Node takes longer to load its rules than the rest of this package. */
export function byDisplayName(a: { displayName: string }, b: { displayName: string }): number {
	return a.displayName < b.displayName ? -1 : 1;
}

/** The names below a hint, each once: "A, B, C, D, E and 2 more". */
export function listNames(names: string[]): string {
	const distinct = [...new Set(names)];
	const rest = distinct.length - NAMES_IN_A_HINT;
	return distinct.slice(0, NAMES_IN_A_HINT).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
