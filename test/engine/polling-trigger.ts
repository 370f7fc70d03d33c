import { Container } from '@n8n/di';
import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

/**
 * An active workflow's polling trigger, driven by hand instead of by the clock, through n8n-core's
 * own PollTriggerExecutor and PollContext. Static data lives in the workflow, as in n8n; `saved` is
 * what n8n's database would hold, and so what a restarted n8n would begin with.
 */
export class PollingTrigger {
	/** The workflow's static data as last saved: after the activation, and when items went out. */
	saved: IDataObject;

	private readonly executePoll: (testingTrigger?: boolean) => Promise<void>;

	private emitted: INodeExecutionData[] | null = null;

	private failure: Error | undefined;

	constructor(
		private readonly workflow: Workflow,
		private readonly node: INode,
		additionalData: IWorkflowExecuteAdditionalData,
	) {
		this.saved = plain(workflow.staticData);
		const context = new PollContext(
			workflow,
			node,
			additionalData,
			'trigger',
			'activate',
			([items]) => {
				this.emitted = items ?? [];
				this.save();
			},
			(error) => {
				this.failure = error;
			},
		);
		const executor = Container.get(PollTriggerExecutor);
		this.executePoll = executor.create(workflow, node, context, () => true);
	}

	/** The node's static data as it is in memory. */
	get staticData(): IDataObject {
		return plain(this.workflow.getStaticData('node', this.node));
	}

	/**
	 * The poll with which n8n activates a workflow.
	 *
	 * @returns the items that started an execution, or null
	 * @throws what the node threw: the activation failed
	 */
	async activate(): Promise<INodeExecutionData[] | null> {
		const emitted = await this.tick(true);
		this.save();
		return emitted;
	}

	/**
	 * One scheduled poll.
	 *
	 * @returns the items that started an execution, or null
	 * @throws what the node threw: n8n records a failed execution
	 */
	async poll(): Promise<INodeExecutionData[] | null> {
		return await this.tick(false);
	}

	private async tick(activating: boolean): Promise<INodeExecutionData[] | null> {
		this.emitted = null;
		this.failure = undefined;
		await this.executePoll(activating);
		if (this.failure) throw this.failure;
		return this.emitted;
	}

	private save(): void {
		const { staticData } = this.workflow;
		if (staticData.__dataChanged !== true) return;
		this.saved = plain(staticData);
		staticData.__dataChanged = false;
	}
}

/** A copy as it comes back from the database; static data itself is a proxy that notes changes. */
function plain(staticData: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}
