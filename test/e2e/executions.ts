import type { INodeExecutionData, IRun, IRunData } from 'n8n-workflow';

/** What stopped an execution, as n8n shows it. */
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
	/** success, error, canceled, … in n8n's words. */
	readonly status: IRun['status'];

	/** Each node's runs by the name of the node. */
	readonly runData: IRunData;

	readonly failure?: ExecutionFailure;

	constructor({ status, data }: Pick<IRun, 'status' | 'data'>) {
		this.status = status;
		this.runData = data.resultData.runData;
		const { error } = data.resultData;
		if (!error) return;
		const { message, description, node, httpCode } = error as unknown as {
			message: string;
			description?: string | null;
			node?: { name: string };
			httpCode?: string | null;
		};
		this.failure = {
			message,
			...(description && { description }),
			...(node && { node: node.name }),
			...(httpCode && { httpCode }),
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
