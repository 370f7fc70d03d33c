import { sleep } from 'n8n-workflow';

import type { RequestBounds } from '../service/http/request';

/** What a run takes from the platform. The clock's milliseconds are not moved by setting the system's time. */
const SYSTEM_TIMERS = { now: () => performance.now(), sleep };

/** A simulation hands in a time of its own. */
export type Timers = typeof SYSTEM_TIMERS;

/** Thrown to everyone who waits for a site when the run is stopped. */
export class StoppedError extends Error {
	constructor() {
		// By the word "canceled" n8n tells a stopped execution from one that failed
		super('The run was canceled');
		this.name = 'StoppedError';
	}
}

/** The clock of one run. Ends its requests in time, and everything when it is stopped (an AbortController for many). */
export class Cancellation {
	/** Ends what is under way, one for each. */
	private readonly underWay = new Set<() => void>();
	isStopped = false;

	constructor(private readonly timers: Timers = SYSTEM_TIMERS) {}

	/** Ends everything that is under way, and all that is to come. */
	stop(): void {
		this.isStopped = true;
		for (const end of this.underWay) end();
	}

	readonly now = () => this.timers.now();

	/** Resolves after this many milliseconds, at the earliest in the next turn of the event loop, or when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// The sleep of n8n 1.x takes no signal: it goes on there, and nobody waits for it
		const sleeping = this.run(async ({ signal }) => await this.timers.sleep(milliseconds, signal));
		await sleeping.catch(() => {});
	}

	/** Does something that ends with the run, or at a deadline that it sets. @throws StoppedError when the run is stopped */
	async run<T>(start: (bounds: RequestBounds) => Promise<T>): Promise<T> {
		if (this.isStopped) throw new StoppedError();
		// A signal of its own: Node warns of a leak if more than ten listen to the same one
		const controller = new AbortController();
		const { signal } = controller;
		const abort = () => controller.abort();
		const setDeadline = (milliseconds: number) =>
			void this.timers.sleep(milliseconds, signal).then(abort, () => {});
		let end!: () => void;
		const ended = new Promise<never>((_, reject) => (end = () => reject(new StoppedError())));
		this.underWay.add(end);
		try {
			return await Promise.race([start({ signal, setDeadline }), ended]);
		} finally {
			this.underWay.delete(end);
			// Also its deadline. A login that is under way does not listen to it: it goes on
			abort();
		}
	}
}
