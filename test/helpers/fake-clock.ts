import type { Clock } from '../../nodes/AquacultureSite/service/pace';

/** Lets everything happen that waits for no time to pass. */
export async function settle(): Promise<void> {
	await new Promise((done) => setImmediate(done));
}

/** A clock that stands still until a test moves it. It starts at 0. */
export class FakeClock implements Clock {
	private time = 0;

	private sleepers: { until: number; wake: () => void }[] = [];

	/**
	 * @param signal ends all pauses
	 * @param turn milliseconds that a turn of the event loop takes: no pause is shorter
	 */
	constructor(
		private readonly signal: AbortSignal,
		private readonly turn = 0,
	) {
		signal.addEventListener('abort', () => {
			for (const { wake } of this.sleepers.splice(0)) wake();
		});
	}

	get pausing(): number {
		return this.sleepers.length;
	}

	now(): number {
		return this.time;
	}

	async pause(milliseconds: number): Promise<void> {
		if (this.signal.aborted) return;
		await new Promise<void>((wake) => {
			this.sleepers.push({ until: this.time + Math.max(this.turn, milliseconds), wake });
		});
	}

	/** Moves on, from one end of a pause to the next; with Infinity until no pause is left. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		await settle();
		for (;;) {
			const until = Math.min(...this.sleepers.map((sleeper) => sleeper.until));
			if (until === Infinity || until > end) break;
			this.time = until;
			const woken = this.sleepers.filter((sleeper) => sleeper.until === until);
			this.sleepers = this.sleepers.filter((sleeper) => sleeper.until !== until);
			for (const { wake } of woken) wake();
			await settle();
		}
		if (end !== Infinity) this.time = end;
		await settle();
	}
}
