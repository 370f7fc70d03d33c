import { deepCopy, NodeConnectionTypes, sleep } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { asHtml, errorItem, toPlainError } from './nodeErrors';
import type { NodeFailure } from './nodeErrors';
import { findOperation, siteFields, siteSubtitle } from './operations';
import { parseRequestOptions } from './operations/operation';
import type { Operation, ReadSite, RequestOptions, Task } from './operations/operation';
import { SiteService } from './run/SiteService';
import { joinSentences } from './service/advice';
import { testCredential } from './service/credentialTest';
import { ServiceFailure } from './service/failures';
import { addExecutionHints, CREDENTIAL } from './service/request';
import { escapeHtml, joinList } from './site/plainText';
import type { Site } from './site/site';

// A run is often scheduled: sitting out a longer Retry-After would run into the next one
const LONGEST_WAIT_MS = 60_000;

// n8n serves its editor and its health checks from the same thread, so it gets a turn after so many items
const ITEMS_AT_ONCE = 100;

// What waits for its turn takes memory. The largest 'Max Concurrency'; far more than the default, so that others can go
// ahead of what is refused
const TASKS_AT_ONCE = 500;

const NAMES_IN_A_HINT = 5;

const KEEP_THE_OTHERS =
	"To keep the items that succeed, set 'On Error' to 'Continue' in the node's settings.";

/** What one input item asks for. */
interface ItemTask extends Task {
	itemIndex: number;
	requestOptions: RequestOptions;
}

/** @throws ParameterError, or n8n's own error if an expression fails */
function parseTask(context: IExecuteFunctions, operation: Operation, itemIndex: number): ItemTask {
	const parameter = (name: string, fallback?: unknown) =>
		context.getNodeParameter(name, itemIndex, fallback) as unknown;
	// An option that is not shown is absent: n8n drops what is hidden
	const options = parameter('options', {}) as IDataObject;
	const task = operation.parse(parameter, options);
	return { ...task, itemIndex, requestOptions: parseRequestOptions(options) };
}

/** One run of the node: reads what all its items ask for side by side, and keeps the results in their order. */
class SiteRun {
	/** The results of each input item: its sites, and a failure for each that could not be read. */
	private readonly results: INodeExecutionData[][];

	/** The names that each hint lists. */
	private readonly hints = new Map<string, string[]>();

	private readonly givenOut = new Set<Site>();

	private firstFailure?: NodeFailure;

	/** Whether there is something to keep if one site cannot be read. */
	private isSeveral: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.results = context.getInputData().map(() => []);
		this.isSeveral = this.results.length > 1;
	}

	/** @throws NodeApiError or NodeOperationError, the first one, if the node must stop on a failure */
	async execute(): Promise<INodeExecutionData[]> {
		const tasks = await this.parseTasks();
		const service = await this.openService(tasks);
		if (service) {
			await this.performAll(tasks, service);
			this.stopIfFailed();
			this.addHints(service);
		}
		return this.results.flat();
	}

	/** All parameters first, so that a typo in one stops the run before anything is sent. */
	private async parseTasks(): Promise<ItemTask[]> {
		const tasks: ItemTask[] = [];
		let operation: Operation | undefined;
		for (let itemIndex = 0; itemIndex < this.results.length; itemIndex++) {
			if (itemIndex % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await sleep(0);
			try {
				operation ??= findOperation(this.context.getNodeParameter('operation', 0));
				const task = parseTask(this.context, operation, itemIndex);
				this.isSeveral ||= task.siteIds.length + task.failures.length > 1;
				for (const failure of task.failures) this.fail(failure, itemIndex);
				if (task.siteIds.length > 0) tasks.push(task);
			} catch (error) {
				this.fail(error, itemIndex);
			}
			this.stopIfFailed();
		}
		return tasks;
	}

	/** Undefined if nothing is to be read, or the credential cannot be used: each item says why. */
	private async openService(tasks: ItemTask[]): Promise<SiteService | undefined> {
		const [first] = tasks;
		if (!first) return undefined;
		try {
			return await SiteService.open(this.context, {
				maxConcurrency: first.requestOptions.maxConcurrency,
				longestWait: LONGEST_WAIT_MS,
			});
		} catch (error) {
			for (const { itemIndex } of tasks) this.fail(error, itemIndex);
			this.stopIfFailed();
			return undefined;
		}
	}

	private async performAll(tasks: ItemTask[], service: SiteService): Promise<void> {
		const workers = Math.min(tasks.length, TASKS_AT_ONCE);
		// Taken out one by one, so that none is kept in memory for longer than it takes
		const waiting = tasks.reverse();
		const work = async () => {
			for (let task = waiting.pop(); task; task = waiting.pop()) await this.perform(task, service);
		};
		await Promise.all(Array.from({ length: workers }, work));
	}

	private async perform(task: ItemTask, service: SiteService): Promise<void> {
		const read = await Promise.all(
			task.siteIds.map(async (siteId) => await this.read(siteId, task, service)),
		);
		const sites = read.flat();
		if (sites.length === 0 || this.mustStop()) return;
		const items = await task.toItems(sites, {
			addHint: (hint, name) => {
				const names = this.hints.get(hint) ?? [];
				names.push(name);
				this.hints.set(hint, names);
			},
			storeFile: async (content, fileName, mimeType) =>
				await this.context.helpers.prepareBinaryData(content, fileName, mimeType),
		});
		const pairedItem = { item: task.itemIndex };
		this.results[task.itemIndex]?.unshift(...items.map((item) => ({ ...item, pairedItem })));
	}

	/** The site, or none if it could not be read. */
	private async read(siteId: string, task: ItemTask, service: SiteService): Promise<ReadSite[]> {
		const { parts, requestOptions, itemIndex } = task;
		try {
			const { body, ...response } = await service.read({ siteId, parts, ...requestOptions });
			return [{ siteId, site: this.ownCopy(body), response }];
		} catch (error) {
			this.fail(error, itemIndex, siteId);
			if (this.mustStop()) service.stop();
			return [];
		}
	}

	/** Each item gets a site of its own, even if several asked for the same. */
	private ownCopy(site: Site): Site {
		if (this.givenOut.has(site)) return deepCopy(site as IDataObject);
		this.givenOut.add(site);
		return site;
	}

	private addHints(service: SiteService): void {
		const messages = service.hints();
		for (const [hint, names] of this.hints) {
			messages.push(`${hint}: ${joinList([...new Set(names)], NAMES_IN_A_HINT)}`);
		}
		// n8n renders hints as HTML
		addExecutionHints(this.context, messages.map(escapeHtml));
	}

	private fail(error: unknown, itemIndex: number, siteId?: string): void {
		const failure = toPlainError(this.context.getNode(), error, itemIndex);
		const isOfRun = error instanceof ServiceFailure && error.scope === 'run';
		if (this.isSeveral && !isOfRun && !this.context.continueOnFail()) {
			failure.description = joinSentences(failure.description ?? '', KEEP_THE_OTHERS);
		}
		if (this.results.length > 1) failure.message += ` [item ${itemIndex}]`;
		const hasErrorOutput = this.context.getNode().onError === 'continueErrorOutput';
		const item = errorItem(failure, itemIndex, { siteId, hasErrorOutput });
		this.results[itemIndex]?.push(item);
		this.firstFailure ??= asHtml(failure, error);
	}

	private mustStop(): boolean {
		return this.firstFailure !== undefined && !this.context.continueOnFail();
	}

	private stopIfFailed(): void {
		if (this.firstFailure && this.mustStop()) throw this.firstFailure;
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
		subtitle: siteSubtitle,
		description:
			'Read data about aquaculture sites (sea farms) and their units: details, tables, maps',
		documentationUrl: 'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#use-the-node',
		defaults: { name: 'Aquaculture Site' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
		// Headers of the response that may hold a session, with 'Full Response'
		sensitiveOutputFields: ['headers.set-cookie', 'headers.authorization', 'headers.x-auth-token'],
		properties: siteFields,
	};

	methods = { credentialTest: { testCredential } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await new SiteRun(this).execute()];
	}
}
