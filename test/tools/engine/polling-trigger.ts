import { AsyncLocalStorage } from 'node:async_hooks';
import { Container } from '@n8n/di';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';

interface PollResult {
	emitted: INodeExecutionData[] | null;
	failure?: Error;
}

/**
 * The polling trigger of an active workflow, through n8n-core's PollTriggerExecutor and PollContext; the test polls
 * instead of the clock. The workflow has the static data, as in n8n; `saved` is what n8n's database would contain, and so
 * what a restarted n8n would start with.
 */
export class PollingTrigger {
	/** The workflow's static data as last saved: after the activation, and when items were emitted. */
	saved: IDataObject;

	/** The failed executions that n8n has recorded, each of which starts the error workflow. */
	readonly failures: Error[] = [];

	private executePoll?: (testingTrigger?: boolean) => Promise<void>;

	/** Of the poll that is running; several may. */
	private readonly results = new AsyncLocalStorage<PollResult>();

	constructor(
		private readonly workflow: Workflow,
		private readonly additionalData: IWorkflowExecuteAdditionalData,
	) {
		this.saved = plain(workflow.staticData);
	}

	/**
	 * One try to activate the workflow, with a context of its own, as in n8n, which tries it up to five times.
	 * `init` is the start of n8n.
	 *
	 * @throws what leaves the workflow dead
	 */
	async activate(mode: WorkflowActivateMode = 'activate'): Promise<INodeExecutionData[] | null> {
		this.executePoll = this.register(mode);
		try {
			return await this.poll(true);
		} finally {
			this.save();
		}
	}

	/**
	 * One scheduled poll.
	 *
	 * @returns the items that started an execution, or null
	 * @throws what the node threw: n8n records a failed execution
	 */
	async poll(isActivation = false): Promise<INodeExecutionData[] | null> {
		const executePoll = (this.executePoll ??= this.register('activate'));
		const result: PollResult = { emitted: null };
		await this.results.run(result, async () => await executePoll(isActivation));
		if (result.failure && !isActivation) throw result.failure;
		return result.emitted;
	}

	private register(mode: WorkflowActivateMode): (testingTrigger?: boolean) => Promise<void> {
		const { workflow } = this;
		const [node] = Object.values(workflow.nodes);
		if (!node) throw new Error('The workflow has no node');
		const note = (result: Partial<PollResult>) => {
			Object.assign(this.results.getStore() ?? {}, result);
		};
		const context = new PollContext(
			workflow,
			node,
			this.additionalData,
			'trigger',
			mode,
			([emitted]) => {
				note({ emitted: emitted ?? [] });
				this.save();
			},
			(failure) => {
				this.failures.push(failure);
				note({ failure });
			},
		);
		return Container.get(PollTriggerExecutor).create(workflow, node, context, () => true);
	}

	private save(): void {
		const { staticData } = this.workflow;
		if (staticData.__dataChanged !== true) return;
		this.saved = plain(staticData);
		staticData.__dataChanged = false;
	}
}

/** A copy, as from the database; static data itself is a proxy that notices changes. */
function plain(staticData: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}
