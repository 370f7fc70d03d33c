// The node: what n8n shows, and the loop over the input items, with item pairing and error items.
import { deepCopy, NodeConnectionTypes, sleep } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { errorItem, nameSite, toNodeError, toPlainError } from './nodeErrors';
import { parseTask, siteFields, siteSubtitle } from './operations';
import type { Output } from './operations/operation';
import { SiteService } from './run/SiteService';
import { joinSentences } from './service/messages/advice';
import { testCredential } from './service/http/credentialTest';
import { ServiceFailure } from './service/messages/failures';
import { CREDENTIAL } from './service/http/request';
import { Parameters } from './utils/parameters';
import { escapeHtml, joinList } from './utils/text';
import type { SiteIds } from './site/siteIds';

// A run is often scheduled: sitting out a longer Retry-After would run into the next one
const LONGEST_WAIT_MS = 60_000;

// n8n serves its editor and its health checks from the same thread, so it gets a turn after this many items
const ITEMS_AT_ONCE = 100;
const isTurnOver = (index: number) => index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1;

const NAMES_IN_A_HINT = 5;

const KEEP_THE_OTHERS =
	"To keep the items that succeed, set 'On Error' to 'Continue' in the node's settings.";

/** What one input item asks for. */
type ItemTask = ReturnType<typeof parseTask> & { itemIndex: number };

/** One run of the node: reads what all its items ask for side by side, and keeps the results in their order. */
class SiteRun implements Output {
	/** The results of each input item: its sites, and a failure for each that could not be read. */
	private readonly results: INodeExecutionData[][];

	/** The names that each hint lists. */
	private readonly hints = new Map<string, Set<string>>();

	/** Whether there is something to keep if one site cannot be read. */
	private isSeveral: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		this.results = context.getInputData().map(() => []);
		this.isSeveral = this.results.length > 1;
	}

	/** @throws NodeApiError or NodeOperationError, the first one, if the node must stop on a failure */
	async execute(): Promise<INodeExecutionData[]> {
		const tasks = await this.parseTasks();
		const [first] = tasks;
		if (!first) return this.results.flat();
		const { maxConcurrency } = first.requestOptions;
		const limits = { maxConcurrency, longestWait: LONGEST_WAIT_MS };
		const service = await SiteService.open(this.context, limits).catch((error: unknown) => {
			// The credential cannot be used: each item says why
			for (const { itemIndex: i } of tasks) this.results[i]?.push(this.fail(error, i));
		});
		if (!service) return this.results.flat();
		// All of them, because any may be the one that tells what the others failed with
		let turn = Promise.resolve();
		const all = tasks.map(async (task, i) => {
			if (isTurnOver(i)) turn = turn.then(async () => await sleep(0));
			await turn;
			await this.perform(task, service);
		});
		await Promise.all(all).finally(() => service.stop());
		this.addHints(service);
		return this.results.flat();
	}

	/** All parameters first, so that a typo in one stops the run before anything is sent. */
	private async parseTasks(): Promise<ItemTask[]> {
		const tasks: ItemTask[] = [];
		for (let itemIndex = 0; itemIndex < this.results.length; itemIndex++) {
			if (isTurnOver(itemIndex)) await sleep(0);
			const parameter = (name: string, fallback: unknown) =>
				this.context.getNodeParameter(name, itemIndex, fallback) as unknown;
			try {
				const task = parseTask(new Parameters(parameter));
				this.isSeveral ||= task.siteIds.length > 1;
				const wrong = task.siteIds.filter((siteId) => typeof siteId !== 'string');
				if (wrong[0] && !this.context.continueOnFail()) throw wrong[0];
				this.results[itemIndex] = wrong.map((error) => this.fail(error, itemIndex));
				if (wrong.length < task.siteIds.length) tasks.push({ ...task, itemIndex });
			} catch (error) {
				this.results[itemIndex] = [this.fail(error, itemIndex)];
			}
		}
		return tasks;
	}

	private async perform(task: ItemTask, service: SiteService): Promise<void> {
		const { itemIndex, siteIds, parts, requestOptions } = task;
		const read = async (siteId: SiteIds[number]) => {
			if (typeof siteId !== 'string') return { failure: this.fail(siteId, itemIndex) };
			try {
				const request = { siteId, parts, ...requestOptions };
				const { body, statusCode, headers } = await service.read(request);
				// Each item gets its own, even if several asked for the same
				const site = deepCopy(body as IDataObject);
				return { site: { siteId, site, response: { statusCode, headers: { ...headers } } } };
			} catch (error) {
				return { failure: this.fail(error, itemIndex, siteId, siteIds.length === 1) };
			}
		};
		const outcomes = await Promise.all(siteIds.map(read));
		const sites = outcomes.flatMap(({ site }) => site ?? []);
		const items = sites.length > 0 ? await task.toItems(sites, this) : [];
		this.results[itemIndex] = [
			...items.map((item) => ({ ...item, pairedItem: { item: itemIndex } })),
			...outcomes.flatMap(({ failure }) => failure ?? []),
		];
	}

	readonly addHint = (hint: string, name: string): void => {
		this.hints.set(hint, (this.hints.get(hint) ?? new Set()).add(name));
	};

	readonly storeFile: Output['storeFile'] = async (content, fileName, mimeType) =>
		await this.context.helpers.prepareBinaryData(content, fileName, mimeType);

	private addHints(service: SiteService): void {
		const messages = service.hints();
		for (const [hint, names] of this.hints) {
			messages.push(`${hint}: ${joinList([...names], NAMES_IN_A_HINT)}`);
		}
		// n8n renders hints as HTML; older n8n 1.x has none, though its types promise it
		(this.context as Partial<IExecuteFunctions>).addExecutionHints?.(
			...messages.map((text) => ({ message: escapeHtml(text), location: 'outputPane' as const })),
		);
	}

	/**
	 * The error item of an input item, or of one of its sites.
	 *
	 * @throws NodeApiError or NodeOperationError if the node must stop on a failure
	 */
	private fail(error: unknown, itemIndex: number, siteId?: string, isOnly?: boolean) {
		const mustStop = !this.context.continueOnFail();
		const node = this.context.getNode();
		const failure = (mustStop ? toNodeError : toPlainError)(node, error, itemIndex);
		const isOfRun = error instanceof ServiceFailure && error.scope === 'run';
		const isNamed = siteId !== undefined && !isOnly && !isOfRun;
		const message = isNamed ? nameSite(failure.message, siteId) : failure.message;
		const itemMessage = this.results.length > 1 ? `${message} [item ${itemIndex}]` : message;
		if (mustStop) {
			failure.message = itemMessage;
			if (this.isSeveral && !isOfRun) {
				failure.description = joinSentences(failure.description ?? '', KEEP_THE_OTHERS);
			}
			throw failure;
		}
		// The failure stays as it is: n8n's own errors are those of several items
		const shown = { message: itemMessage, description: failure.description };
		return errorItem(this.context, shown, itemIndex, siteId);
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
