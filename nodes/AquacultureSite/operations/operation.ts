// What an operation consists of, and the options that all of them share.
import type { IBinaryData, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { apiVersionField, parseApiVersion } from '../service/login/apiVersion';
import type { ServiceResponse } from '../service/messages/response';
import type { Site, SitePart } from '../site/site';
import type { SiteIds } from '../site/siteIds';
import type { Field, Parameters } from '../utils/parameters';

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

/** What one input item asks an operation for. */
export interface Task {
	siteIds: SiteIds;
	/** The parts of each site to request. */
	parts: readonly SitePart[];
	/** The items of the sites that were read, at least one, in the order of `siteIds`. */
	toItems: (sites: ReadSite[], output: Output) => NewItem[] | Promise<NewItem[]>;
}

/** One operation of the node: what it shows, and what it does. */
export interface Operation {
	/** Its entry in the list of operations. */
	entry: Record<'name' | 'value' | 'action' | 'description', string>;
	/** Its fields, the required one first; a field that operations share is one object. */
	fields: INodeProperties[];
	/** Its entries in the collection 'Options', besides those of all operations. */
	options?: INodeProperties[];
	/**
	 * Reads its parameters.
	 *
	 * @param options the collection 'Options'
	 * @throws ParameterError, or n8n's own error if an expression fails
	 */
	parse: (parameters: Parameters, options: Parameters) => Task;
}

const maxConcurrency: Field<'number'> = {
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 500, numberPrecision: 0 },
	default: 128,
	description:
		'Maximum number of sites to request at once. A run starts with up to 64 and slows down when the service is busy.',
};

const maxRetries: Field<'number'> = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
	default: 3,
	description:
		'How many times to retry a site when the service fails or the connection is lost. Waiting for a rate limit does not count, eight times at most.',
};

const timeout: Field<'number'> = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3_600_000, numberPrecision: 0 },
	default: 30_000,
	hint: 'In milliseconds',
	description: 'How many milliseconds to wait for a response from the service',
};

/** The entries in the collection 'Options' that all operations have. */
export const sharedOptions = [apiVersionField, maxConcurrency, maxRetries, timeout];

/** Not shown if the operation does not return a row. The node returns "mapUrl", as the trigger does. */
export const mapLinkOption: Field<'boolean'> = {
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

/** The options that shape the requests. @throws ParameterError */
export function parseRequestOptions(options: Parameters) {
	return {
		apiVersion: parseApiVersion(options),
		maxConcurrency: options.read(maxConcurrency),
		maxRetries: options.read(maxRetries),
		timeout: options.read(timeout),
	};
}

/** The order of n8n's lists. Not by locale: Node takes longer to load its rules than the rest of this package. */
export function byDisplayName(a: { displayName: string }, b: { displayName: string }): number {
	return a.displayName < b.displayName ? -1 : 1;
}
