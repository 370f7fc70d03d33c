import { deepCopy, NodeConnectionTypes, NodeOperationError, sleep } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	NodeApiError,
} from 'n8n-workflow';

import { ParameterError, ServiceFailure } from './service/failures';
import { toSiteMap } from './operations/map';
import type { AskedSite } from './operations/map';
import { parseRequestOptions, siteParameters } from './operations/parameters';
import type { Operation, RequestOptions } from './operations/parameters';
import { SiteService, toNodeApiError } from './service/SiteService';
import type { SiteAnswer } from './service/SiteService';
import { simplifySite, SITE_PARTS, siteTitle, unitRows, unitsOf } from './site/site';
import type { Site, SitePart } from './site/site';
import { parseSiteId, parseSiteIds } from './site/siteIds';

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

interface ReadSite {
	siteId: string;
	answer: SiteAnswer;
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
	// Absent where it is not shown: n8n drops what is hidden
	const includesInfo = options.includeInfo !== false;
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
		...(parameter('format', 'json') === 'file' && {
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

/** One run of the node: reads what all its items ask for side by side, and keeps the answers in their order. */
class SiteRun {
	/** What each input item has come to: its sites, and a failure for each that could not be read. */
	private readonly results: INodeExecutionData[][];

	private readonly remarks: Remarks = { withoutUnits: [], unlocated: [], atNullIsland: [] };

	private readonly givenOut = new Set<Site>();

	private firstFailure?: NodeFailure;

	constructor(private readonly context: IExecuteFunctions) {
		this.results = context.getInputData().map(() => []);
	}

	/** @throws NodeApiError or NodeOperationError, the first one, where the node is to stop on a failure */
	async outcome(): Promise<INodeExecutionData[]> {
		const tasks = await this.readTasks();
		const service = await this.openService(tasks);
		if (service) {
			await Promise.all(tasks.map(async (task) => await this.carryOut(task, service)));
			this.stopIfFailed();
			addHints(this.context, service, this.remarks);
		}
		return this.results.flat();
	}

	/** All parameters first, so that a slip in one stops the run before anything is sent. */
	private async readTasks(): Promise<Task[]> {
		const operation = this.context.getNodeParameter('operation', 0) as Operation;
		const tasks: Task[] = [];
		for (let itemIndex = 0; itemIndex < this.results.length; itemIndex++) {
			if (itemIndex % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await sleep(0);
			try {
				tasks.push(readTask(this.context, operation, itemIndex));
			} catch (error) {
				this.fail(error, itemIndex);
				this.stopIfFailed();
			}
		}
		return tasks;
	}

	/** Undefined where nothing is asked for, or the credential cannot be used: each item tells why. */
	private async openService(tasks: Task[]): Promise<SiteService | undefined> {
		const [first] = tasks;
		if (!first) return undefined;
		try {
			return await SiteService.open(this.context, {
				maxConcurrency: first.requestOptions.maxConcurrency,
				longestWait: LONGEST_WAIT,
			});
		} catch (error) {
			for (const { itemIndex } of tasks) this.fail(error, itemIndex);
			this.stopIfFailed();
			return undefined;
		}
	}

	private async carryOut(task: Task, service: SiteService): Promise<void> {
		const answers = await Promise.all(
			task.siteIds.map(async (siteId) => await this.read(siteId, task, service)),
		);
		if (this.mustStop()) return;
		const items = await this.itemsOf(task, answers.flat());
		const pairedItem = { item: task.itemIndex };
		this.results[task.itemIndex]!.unshift(...items.map((item) => ({ ...item, pairedItem })));
	}

	/** The answer, or none where it failed. */
	private async read(siteId: string, task: Task, service: SiteService): Promise<ReadSite[]> {
		const { parts, requestOptions, itemIndex } = task;
		try {
			return [{ siteId, answer: await service.read({ siteId, parts, ...requestOptions }) }];
		} catch (error) {
			this.fail(error, itemIndex);
			if (this.mustStop()) service.stop();
			return [];
		}
	}

	private async itemsOf(task: Task, answers: ReadSite[]): Promise<INodeExecutionData[]> {
		const sites = answers.map(({ siteId, answer }) => ({
			siteId,
			answer,
			site: this.ownCopy(answer.body),
		}));
		switch (task.operation) {
			case 'getGeoJson':
				return sites.length === 0 ? [] : [await mapItem(this.context, task, sites, this.remarks)];
			case 'getUnits':
				return sites.flatMap(({ siteId, site }) => {
					if (!unitsOf(site)?.length) this.remarks.withoutUnits.push(siteTitle(site, siteId));
					return unitRows(site, task.parts).map((row) => ({ json: row as IDataObject }));
				});
			default:
				return sites.map(({ answer, site }) => ({ json: siteItem(task, answer, site) }));
		}
	}

	/** Each item gets a site of its own, also where several asked for the same. */
	private ownCopy(site: Site): Site {
		if (this.givenOut.has(site)) return deepCopy(site as IDataObject);
		this.givenOut.add(site);
		return site;
	}

	private fail(error: unknown, itemIndex: number): void {
		const node = this.context.getNode();
		const failure =
			error instanceof ServiceFailure
				? toNodeApiError(node, error, itemIndex)
				: new NodeOperationError(node, error as Error, { itemIndex });
		// Said in full here: n8n rewrites a message that happens to hold a word such as ENOENT
		if (error instanceof ParameterError) failure.message = error.message;
		if (this.results.length > 1) failure.message += ` [item ${itemIndex}]`;
		this.firstFailure ??= failure;
		this.results[itemIndex]!.push(errorItem(failure, itemIndex));
	}

	private mustStop(): boolean {
		return this.firstFailure !== undefined && !this.context.continueOnFail();
	}

	private stopIfFailed(): void {
		if (this.mustStop()) throw this.firstFailure!;
	}
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
		return [await new SiteRun(this).outcome()];
	}
}
