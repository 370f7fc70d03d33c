import { sleep } from 'n8n-workflow';

import type { Clock } from './pace';
import type { RequestBounds } from './request';

/** Thrown to everyone who waits for a request when the run is stopped. */
export class StoppedError extends Error {
	constructor() {
		// By the word "canceled" n8n tells a stopped execution from one that failed
		super('The run was canceled');
		this.name = 'StoppedError';
	}
}

/** Ends the requests and waits of one run, when the person stops the execution or the run stops itself. */
export class Stopping implements Clock {
	private readonly controller = new AbortController();

	private readonly underWay = new Set<AbortController>();

	constructor() {
		this.signal.addEventListener('abort', () => {
			for (const work of this.underWay) work.abort();
		});
	}

	/** Aborted with a {@link StoppedError}. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	stop(): void {
		this.controller.abort(new StoppedError());
	}

	/**
	 * Does something that ends with the run, or when the time is over that it gives itself.
	 *
	 * @throws StoppedError when the run is stopped
	 */
	async abortable<T>(work: (bounds: RequestBounds) => Promise<T>): Promise<T> {
		this.signal.throwIfAborted();
		// A signal of its own: Node warns of a leak where more than ten listen to the same one. Not
		// AbortSignal.any: on Node 20, signals combined with a time limit never fired once garbage was collected.
		const controller = new AbortController();
		this.underWay.add(controller);
		// A login that is under way does not listen to it: it goes on, and nobody waits for it
		const stopped = new Promise<never>((_, reject) => {
			controller.signal.addEventListener('abort', () => {
				if (this.signal.aborted) reject(this.signal.reason as StoppedError);
			});
		});
		let timers = 0;
		const setTimeLeft = (milliseconds: number) => {
			const own = ++timers;
			AbortSignal.timeout(milliseconds).addEventListener('abort', () => {
				// Not if it was set anew meanwhile, or the work is done
				if (own === timers) controller.abort();
			});
		};
		try {
			return await Promise.race([work({ signal: controller.signal, setTimeLeft }), stopped]);
		} finally {
			timers = 0;
			this.underWay.delete(controller);
		}
	}

	now(): number {
		return Date.now();
	}

	/** Waits; ends at once when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// In n8n 1.x it takes no signal: it goes on there, and nobody waits for it
		const wait = async ({ signal }: RequestBounds) => await sleep(milliseconds, signal);
		await this.abortable(wait).catch(() => undefined);
	}
}
