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

/** The clock of one run. Its pauses and requests end with the run (an AbortController for many). */
export class Cancellation {
	private readonly underWay = new Set<AbortController>();

	isStopped = false;

	constructor(private readonly timers: Timers = SYSTEM_TIMERS) {}

	/** Ends everything that is under way, and all that is to come. */
	stop(): void {
		this.isStopped = true;
		for (const controller of this.underWay) controller.abort();
	}

	readonly now = () => this.timers.now();

	/** Resolves after this many milliseconds, at the earliest in the next turn of the event loop, or when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// The sleep of n8n 1.x takes no signal: it goes on there
		const sleeping = this.run(async ({ signal }) => await this.timers.sleep(milliseconds, signal));
		await sleeping.catch(() => {});
	}

	/**
	 * Does something that is to end with the run, or at the deadline that it sets itself.
	 *
	 * @throws StoppedError if the run was stopped before
	 */
	async run<T>(start: (bounds: RequestBounds) => Promise<T>): Promise<T> {
		if (this.isStopped) throw new StoppedError();
		// A signal of its own: Node warns of a leak if more than ten listen to the same one
		const controller = new AbortController();
		const { signal } = controller;
		const abort = () => controller.abort();
		const setDeadline = (milliseconds: number) =>
			void this.timers.sleep(milliseconds, signal).then(abort, () => {});
		this.underWay.add(controller);
		try {
			return await start({ signal, setDeadline });
		} finally {
			this.underWay.delete(controller);
			// Also its deadline
			abort();
		}
	}
}
