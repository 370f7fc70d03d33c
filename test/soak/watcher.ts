import type { ExecutionEntry, N8nInstance } from '../e2e/n8n';
import type { Changes } from './changes';
import { isKnownFailure } from './reader';

/** Reads what the trigger has started. */
export class Watcher {
	/** Polls that n8n recorded as failed, and executions that a kill interrupted. */
	readonly polls = { failed: 0, interrupted: 0 };

	/** Messages of failed polls that do not belong to a fault. */
	readonly wrong: string[] = [];

	private readonly read = new Set<string>();

	constructor(
		private readonly n8n: N8nInstance,
		private readonly changes: Changes,
		private readonly workflowId: string,
	) {}

	/** Reads the newest executions that it has not read yet. */
	async look(): Promise<void> {
		for (const entry of await this.n8n.executions(this.workflowId, 100)) {
			if (!this.read.has(entry.id)) await this.readExecution(entry);
		}
	}

	private async readExecution({ id, status }: ExecutionEntry): Promise<void> {
		if (status === 'crashed') this.polls.interrupted += 1;
		else if (status === 'success' || status === 'error') {
			const execution = await this.n8n.waitForExecution(id);
			for (const event of execution.json('Reported')) this.changes.report(event);
			if (execution.failure) {
				this.polls.failed += 1;
				const { message } = execution.failure;
				if (!isKnownFailure(message)) this.wrong.push(message);
			}
		} else return;
		this.read.add(id);
	}
}
