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

/** Something that is under way. */
interface Work {
	readonly controller: AbortController;
	/** In milliseconds of `performance.now()`: setting the system's clock does not move it. */
	deadline: number;
	/** Ends the wait for it. */
	reject: (reason: StoppedError) => void;
}

/** Ends the requests and waits of one run, when the person stops the execution or the run stops itself. */
export class Stopping implements Clock {
	private readonly controller = new AbortController();

	private readonly underWay = new Set<Work>();

	/** When the deadlines are checked next. */
	private nextLook = Infinity;

	/** Aborted with a {@link StoppedError}. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	stop(): void {
		const reason = new StoppedError();
		this.controller.abort(reason);
		for (const { controller, reject } of this.underWay) {
			controller.abort();
			// A login that is under way does not listen to it: it goes on
			reject(reason);
		}
	}

	/**
	 * Does something that ends with the run, or when the time is over that it gives itself.
	 *
	 * @throws StoppedError when the run is stopped
	 */
	async abortable<T>(start: (bounds: RequestBounds) => Promise<T>): Promise<T> {
		this.signal.throwIfAborted();
		return await new Promise<T>((resolve, reject) => {
			// A signal of its own: Node warns of a leak where more than ten listen to the same one
			const controller = new AbortController();
			const work: Work = { controller, deadline: Infinity, reject };
			this.underWay.add(work);
			const setTimeLeft = (milliseconds: number) => {
				work.deadline = performance.now() + milliseconds;
				this.lookIn(milliseconds);
			};
			start({ signal: controller.signal, setTimeLeft })
				.then(resolve, reject)
				.finally(() => this.underWay.delete(work));
		});
	}

	now(): number {
		return Date.now();
	}

	/** Waits; ends at once when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// A turn of the event loop is over before anything can end it
		if (milliseconds === 0) {
			await sleep(0);
			return;
		}
		// In n8n 1.x it takes no signal: it goes on there, and nobody waits for it
		const wait = async ({ signal }: RequestBounds) => await sleep(milliseconds, signal);
		await this.abortable(wait).catch(() => undefined);
	}

	/**
	 * One timer for all that is under way: such a timer cannot be taken back, and one for each request would keep it
	 * in memory long after its response. Not AbortSignal.any: on Node 20, signals combined with a time limit never
	 * fired once garbage was collected.
	 */
	private lookIn(milliseconds: number): void {
		const time = performance.now() + milliseconds;
		if (time >= this.nextLook) return;
		this.nextLook = time;
		AbortSignal.timeout(milliseconds).addEventListener('abort', () => {
			if (time === this.nextLook) this.endOverdue();
		});
	}

	private endOverdue(): void {
		this.nextLook = Infinity;
		const now = performance.now();
		let next = Infinity;
		for (const { controller, deadline } of this.underWay) {
			if (deadline <= now) controller.abort();
			else next = Math.min(next, deadline);
		}
		// A timer takes whole milliseconds
		if (next < Infinity) this.lookIn(Math.ceil(next - now));
	}
}
