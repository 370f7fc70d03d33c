import type { INodeExecutionData, IRun, IRunData } from 'n8n-workflow';

/** What went wrong, as n8n shows it to a person. */
export interface ExecutionFailure {
	message: string;
	description?: string;
	/** The name of the node, where a node failed. */
	node?: string;
	/** The HTTP status as n8n keeps it, for example '404'. */
	httpCode?: string;
}

/** One run of a workflow, read from n8n's own record of it. */
export class Execution {
	/** Each node's runs by the name of the node. */
	readonly runData: IRunData;

	constructor(private readonly record: IRun) {
		this.runData = record.data.resultData.runData;
	}

	/** Whether it came to its end without a failure that stopped it. */
	get finished(): boolean {
		return this.record.finished === true;
	}

	/** success, error, canceled, … in n8n's words. */
	get status(): IRun['status'] {
		return this.record.status;
	}

	/** The failure that stopped it, if one did. */
	get failure(): ExecutionFailure | undefined {
		const { error } = this.record.data.resultData;
		if (!error) return undefined;
		const { message, description, node, httpCode } = error as unknown as {
			message: string;
			description?: string | null;
			node?: { name: string };
			httpCode?: string | null;
		};
		return {
			message,
			...(description ? { description } : {}),
			...(node ? { node: node.name } : {}),
			...(httpCode ? { httpCode } : {}),
		};
	}

	/** The items that came out of a node in all its runs, in order; none if it did not run. `output` counts from 0. */
	items(node: string, output = 0): INodeExecutionData[] {
		return (this.runData[node] ?? []).flatMap((run) => run.data?.['main']?.[output] ?? []);
	}

	/** The `json` of each of these items. */
	json(node: string, output = 0): Array<INodeExecutionData['json']> {
		return this.items(node, output).map(({ json }) => json);
	}

	/** The execution hints that a node gave. */
	hints(node: string): string[] {
		return (this.runData[node] ?? []).flatMap((run) =>
			(run.hints ?? []).map(({ message }) => message),
		);
	}
}
