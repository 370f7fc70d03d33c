/** Ends what was started: the newest first, and each also where another could not be ended. */
export class Cleanup {
	private readonly steps: Array<() => unknown> = [];

	defer(step: () => unknown): void {
		this.steps.push(step);
	}

	async run(): Promise<void> {
		const failures: unknown[] = [];
		for (const step of this.steps.splice(0).reverse()) {
			try {
				await step();
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be ended');
	}
}
