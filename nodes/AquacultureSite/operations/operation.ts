import type {
	IBinaryData,
	IDataObject,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { ServiceResponse } from '../service/response';
import type { Site, SitePart } from '../site/site';

/** Reads a parameter of one input item. Throws n8n's own error where an expression fails. */
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

/** What one input item asks an operation for. */
export interface Task {
	siteIds: string[];
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
	 * @throws ParameterError, or n8n's own error where an expression fails
	 */
	parse: (parameter: ReadParameter, options: IDataObject) => Task;
}
