import type { Cancellation } from './cancellation';

// As many as ten people with a browser, which sends six at once
const FIRST_IN_FLIGHT = 64;

/** What decides when the next request may start. */
export interface Gate {
	/** A time of the clock; Infinity if something else must end first. */
	readonly nextStart: number;
	/** A request starts. */
	start(): void;
}

/**
 * How many requests of a run are in flight at once (like p-limit): 64, and one more with each success, as in Netflix's
 * AIMDLimit. First come, first served. A service that refuses requests is spared by the rate limit, not here.
 */
export class ConcurrencyLimit {
	private limit: number;
	private inFlight = 0;
	private isStarting = false;

	private readonly line: { start: () => void; reject: (reason: unknown) => void }[] = [];

	private closed?: { reason: unknown };

	/** @param maxConcurrency requests in flight at once, 1 or more */
	constructor(
		private readonly maxConcurrency: number,
		private readonly clock: Pick<Cancellation, 'now' | 'pause'>,
		private readonly gates: readonly Gate[],
	) {
		this.limit = Math.min(FIRST_IN_FLIGHT, maxConcurrency);
	}

	/**
	 * Runs a task when its turn comes.
	 *
	 * @throws what the task throws; the reason why the line was closed
	 */
	async run<T>(task: () => Promise<T>): Promise<T> {
		if (this.closed) throw this.closed.reason;
		await new Promise<void>((start, reject) => {
			this.line.push({ start, reject });
			void this.startNext();
		});
		try {
			return await task();
		} finally {
			this.inFlight--;
			void this.startNext();
		}
	}

	/** One more at once: a request succeeded. */
	grow(): void {
		this.limit = Math.min(this.maxConcurrency, this.limit + 1);
	}

	/** Starts no more tasks: those that wait, and those to come, reject with this reason. */
	close(reason: unknown): void {
		this.closed ??= { reason };
		for (const { reject } of this.line.splice(0)) reject(reason);
	}

	/**
	 * Starts requests evenly. If all started at once, they would also end at once, and then none would be in flight: so
	 * one or two start in a turn of the event loop, and more if the turn took longer than a millisecond.
	 */
	private async startNext(): Promise<void> {
		if (this.isStarting) return;
		this.isStarting = true;
		let turnStart = this.clock.now();
		while (this.nextStart < Infinity) {
			const now = this.clock.now();
			let starts = Math.max(1, Math.round(this.limit / FIRST_IN_FLIGHT), now - turnStart);
			turnStart = now;
			while (starts-- >= 1 && this.nextStart <= now) {
				this.inFlight++;
				for (const gate of this.gates) gate.start();
				this.line.shift()?.start();
			}
			// Also if none waits: others may come in this turn
			await this.clock.pause(this.nextStart < Infinity ? this.nextStart - now : 0);
		}
		this.isStarting = false;
	}

	/** Infinity until a request comes or ends. */
	private get nextStart(): number {
		if (this.line.length === 0 || this.inFlight >= this.limit) return Infinity;
		return Math.max(...this.gates.map(({ nextStart }) => nextStart));
	}
}
