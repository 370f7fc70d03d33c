import type { INodeExecutionData, IRun, IRunData, NodeApiError } from 'n8n-workflow';
import { defined } from '../helpers/at';

/** One run of a workflow, read from n8n's own record of it. */
export class Execution {
	/** success, error, canceled, … in n8n's words. */
	readonly status: IRun['status'];

	readonly runData: IRunData;

	/** What stopped it, as n8n shows it; `node` where a node failed, with the HTTP status as text. */
	readonly failure?: { message: string; description?: string; node?: string; httpCode?: string };

	constructor({ status, data }: Pick<IRun, 'status' | 'data'>) {
		this.status = status;
		const { error, runData } = data.resultData;
		this.runData = runData;
		if (!error) return;
		const { message, description, node, httpCode } = error as Partial<NodeApiError>;
		this.failure = {
			message: defined(message),
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

	hints(node: string): string[] {
		return (this.runData[node] ?? []).flatMap((run) =>
			(run.hints ?? []).map(({ message }) => message),
		);
	}
}
