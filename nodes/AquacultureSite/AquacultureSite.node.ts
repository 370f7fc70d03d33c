import { deepCopy, NodeConnectionTypes, NodeOperationError, sleep } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	NodeApiError,
} from 'n8n-workflow';

import { ParameterError, ServiceFailure } from './failures';
import { toSiteMap } from './geoJson';
import type { AskedSite } from './geoJson';
import { parseRequestOptions, siteParameters } from './parameters';
import type { Operation, RequestOptions } from './parameters';
import { SiteService, toNodeApiError } from './service';
import type { SiteAnswer } from './service';
import { simplifySite, SITE_PARTS, siteTitle, unitRows, unitsOf } from './site';
import type { Site, SitePart } from './site';
import { parseSiteId, parseSiteIds } from './siteIds';

// A run is often scheduled: sitting out a longer Retry-After would run into the next one
const LONGEST_WAIT = 60_000;

// n8n answers its editor and its health checks from the same thread, so it gets a turn after so many items
const ITEMS_AT_ONCE = 100;

const NAMES_IN_A_HINT = 5;

/** What one input item asks for. */
interface Task {
	itemIndex: number;
	operation: Operation;
	siteIds: string[];
	parts: readonly SitePart[];
	requestOptions: RequestOptions;
	simplify: boolean;
	fullResponse: boolean;
	/** The binary field for the map, where it is to be a file. */
	fileField?: string;
}

type NodeFailure = NodeApiError | NodeOperationError;

/** Names that the hints of a run tell. */
interface Remarks {
	withoutUnits: string[];
	unlocated: string[];
	atNullIsland: string[];
}

/** @throws ParameterError, or n8n's own error where an expression fails */
function readTask(context: IExecuteFunctions, operation: Operation, itemIndex: number): Task {
	const parameter = (name: string, fallback?: unknown) =>
		context.getNodeParameter(name, itemIndex, fallback) as unknown;
	const options = parameter('options', {}) as Record<string, unknown>;
	const wholeSites = operation === 'get' || operation === 'getAll';
	const includesInfo = operation !== 'getUnits' || options.includeInfo !== false;
	const chosen = wholeSites ? (parameter('include', [...SITE_PARTS]) as unknown[]) : undefined;
	return {
		itemIndex,
		operation,
		siteIds:
			operation === 'get' ? [parseSiteId(parameter('siteId'))] : parseSiteIds(parameter('siteIds')),
		parts: SITE_PARTS.filter((part) =>
			chosen ? chosen.includes(part) : part === 'units' || includesInfo,
		),
		requestOptions: parseRequestOptions(options),
		simplify: wholeSites && parameter('output', 'raw') === 'simplified',
		fullResponse: wholeSites && options.fullResponse === true,
		...(operation === 'getGeoJson' &&
			parameter('format', 'json') === 'file' && {
				fileField: String(parameter('binaryPropertyName', 'data')),
			}),
	};
}

function siteItem(task: Task, { statusCode, headers }: SiteAnswer, site: Site): IDataObject {
	if (task.fullResponse) return { statusCode, headers: { ...headers }, body: site } as IDataObject;
	return (task.simplify ? simplifySite(site, task.parts) : site) as IDataObject;
}

async function mapItem(
	context: IExecuteFunctions,
	{ fileField }: Task,
	sites: AskedSite[],
	remarks: Remarks,
): Promise<INodeExecutionData> {
	const { collection, unlocated, atNullIsland } = toSiteMap(sites);
	remarks.unlocated.push(...unlocated);
	remarks.atNullIsland.push(...atNullIsland);
	if (fileField === undefined) return { json: collection as unknown as IDataObject };
	const fileName = sites.length === 1 ? `site-${sites[0]!.siteId}.geojson` : 'sites.geojson';
	return {
		json: { fileName, siteCount: sites.length, featureCount: collection.features.length },
		binary: {
			[fileField]: await context.helpers.prepareBinaryData(
				Buffer.from(JSON.stringify(collection)),
				fileName,
				'application/geo+json',
			),
		},
	};
}

function listNames(names: string[]): string {
	const distinct = [...new Set(names)];
	const rest = distinct.length - NAMES_IN_A_HINT;
	return distinct.slice(0, NAMES_IN_A_HINT).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function addHints(context: IExecuteFunctions, service: SiteService, remarks: Remarks): void {
	const { withoutUnits, unlocated, atNullIsland } = remarks;
	const messages = service.remarks();
	if (withoutUnits.length > 0) {
		messages.push(`No units, and so no rows: ${listNames(withoutUnits)}`);
	}
	if (unlocated.length > 0) {
		messages.push(
			`Not on the map, because there are no usable coordinates: ${listNames(unlocated)}`,
		);
	}
	if (atNullIsland.length > 0) {
		messages.push(
			`At 0° N 0° E, where coordinates may not have been entered: ${listNames(atNullIsland)}`,
		);
	}
	// Absent from older n8n 1.x
	context.addExecutionHints?.(
		...messages.map((message) => ({ message, location: 'outputPane' as const })),
	);
}

/**
 * An item that failed, as n8n sends it on: to the error output where there is one, there with the fields of
 * its input. It has no `error` beside its `json`, for which n8n would replace the whole of it by the message,
 * and no other fields than these two, by which all versions of n8n tell it from an item that is none.
 */
function errorItem(error: NodeFailure, itemIndex: number): INodeExecutionData {
	const { message, description } = error;
	return {
		json: { error: message, ...(description && { message: description }) },
		pairedItem: { item: itemIndex },
	};
}

export class AquacultureSite implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture Site',
		name: 'aquacultureSite',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['input'],
		version: 1,
		// Only an ID that was typed: an expression has no value before the run, and would empty the subtitle
		subtitle:
			'={{ $parameter["operation"] + ": " + ($parameter["operation"] === "get" ? "site " + $rawParameter["siteId"] : "sites " + $rawParameter["siteIds"]).replace(/=[^]*/, "") }}',
		description:
			'Read data of aquaculture sites (sea farms) and their units: details, tables, maps',
		defaults: { name: 'Aquaculture Site' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		properties: siteParameters,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const node = this.getNode();
		const items = this.getInputData();
		const operation = this.getNodeParameter('operation', 0) as Operation;
		const results: INodeExecutionData[][] = items.map(() => []);
		const remarks: Remarks = { withoutUnits: [], unlocated: [], atNullIsland: [] };
		let firstFailure: NodeFailure | undefined;

		const fail = (error: unknown, itemIndex: number) => {
			const failure =
				error instanceof ServiceFailure
					? toNodeApiError(node, error, itemIndex)
					: new NodeOperationError(node, error as Error, { itemIndex });
			// Said in full here: n8n rewrites a message that happens to hold a word such as ENOENT
			if (error instanceof ParameterError) failure.message = error.message;
			if (items.length > 1) failure.message += ` [item ${itemIndex}]`;
			firstFailure ??= failure;
			results[itemIndex]!.push(errorItem(failure, itemIndex));
		};
		const mustStop = () => firstFailure !== undefined && !this.continueOnFail();

		// All parameters first, so that a slip in one stops the run before anything is sent
		const tasks: Task[] = [];
		for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
			if (itemIndex % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await sleep(0);
			try {
				tasks.push(readTask(this, operation, itemIndex));
			} catch (error) {
				fail(error, itemIndex);
				if (mustStop()) throw firstFailure!;
			}
		}
		if (tasks.length === 0) return [results.flat()];

		let service: SiteService;
		try {
			const { maxConcurrency } = tasks[0]!.requestOptions;
			service = await SiteService.open(this, { maxConcurrency, longestWait: LONGEST_WAIT });
		} catch (error) {
			for (const { itemIndex } of tasks) fail(error, itemIndex);
			if (mustStop()) throw firstFailure!;
			return [results.flat()];
		}

		const given = new Set<Site>();
		/** Each item gets a site of its own, also where several asked for the same. */
		const ownCopy = (site: Site): Site => {
			if (given.has(site)) return deepCopy(site as IDataObject);
			given.add(site);
			return site;
		};

		const carryOut = async (task: Task) => {
			const { itemIndex, siteIds, parts, requestOptions } = task;
			const read = async (siteId: string) => {
				try {
					const answer = await service.read({ siteId, parts, ...requestOptions });
					return [{ siteId, answer }];
				} catch (error) {
					fail(error, itemIndex);
					if (mustStop()) service.stop();
					return [];
				}
			};
			const answers = (await Promise.all(siteIds.map(read))).flat();
			if (mustStop()) return;
			const sites = answers.map(({ siteId, answer }) => ({
				siteId,
				answer,
				site: ownCopy(answer.body),
			}));
			const pairedItem = { item: itemIndex };
			const found: INodeExecutionData[] = [];
			if (operation === 'getGeoJson') {
				if (sites.length > 0)
					found.push({ ...(await mapItem(this, task, sites, remarks)), pairedItem });
			} else if (operation === 'getUnits') {
				for (const { siteId, site } of sites) {
					if (!unitsOf(site)?.length) remarks.withoutUnits.push(siteTitle(site, siteId));
					found.push(
						...unitRows(site, parts).map((row) => ({ json: row as IDataObject, pairedItem })),
					);
				}
			} else {
				found.push(
					...sites.map(({ answer, site }) => ({ json: siteItem(task, answer, site), pairedItem })),
				);
			}
			results[itemIndex]!.unshift(...found);
		};
		await Promise.all(tasks.map(carryOut));
		if (mustStop()) throw firstFailure!;

		addHints(this, service, remarks);
		return [results.flat()];
	}
}
