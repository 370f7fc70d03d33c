import { Container } from '@n8n/di';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

/**
 * The polling trigger of an active workflow, through n8n-core's PollTriggerExecutor and PollContext; the test polls
 * instead of the clock. The workflow has the static data, as in n8n; `saved` is what n8n's database would contain, and so
 * what a restarted n8n would start with.
 */
export class PollingTrigger {
	/** The workflow's static data as last saved: after the activation, and when items were emitted. */
	saved: IDataObject;

	private readonly executePoll: (testingTrigger?: boolean) => Promise<void>;

	private result: { emitted: INodeExecutionData[] | null; failure?: Error } = { emitted: null };

	constructor(
		private readonly workflow: Workflow,
		additionalData: IWorkflowExecuteAdditionalData,
	) {
		const [node] = Object.values(workflow.nodes);
		if (!node) throw new Error('The workflow has no node');
		this.saved = plain(workflow.staticData);
		const context = new PollContext(
			workflow,
			node,
			additionalData,
			'trigger',
			'activate',
			([items]) => {
				this.result.emitted = items ?? [];
				this.save();
			},
			(error) => {
				this.result.failure = error;
			},
		);
		const executor = Container.get(PollTriggerExecutor);
		this.executePoll = executor.create(workflow, node, context, () => true);
	}

	/** The poll with which n8n activates a workflow; like `poll`. */
	async activate(): Promise<INodeExecutionData[] | null> {
		const emitted = await this.poll(true);
		this.save();
		return emitted;
	}

	/**
	 * One scheduled poll.
	 *
	 * @returns the items that started an execution, or null
	 * @throws what the node threw: n8n records a failed execution
	 */
	async poll(isActivation = false): Promise<INodeExecutionData[] | null> {
		this.result = { emitted: null };
		await this.executePoll(isActivation);
		if (this.result.failure) throw this.result.failure;
		return this.result.emitted;
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
