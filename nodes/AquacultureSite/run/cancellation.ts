import { sleep } from 'n8n-workflow';

import type { RequestBounds } from '../service/http/request';
import { after } from '../utils/timer';

/** What a run takes from the platform. The clock's milliseconds are not moved by setting the system's time. */
const SYSTEM_TIMERS = { now: () => performance.now(), sleep, after };

/** A simulation hands in a time of its own. */
export type Timers = typeof SYSTEM_TIMERS;

/** Thrown to everyone who waits for a request when the run is stopped. */
export class StoppedError extends Error {
	constructor() {
		// By the word "canceled" n8n tells a stopped execution from one that failed
		super('The run was canceled');
		this.name = 'StoppedError';
	}
}

/** A request or a pause that is under way. */
interface Work {
	readonly controller: AbortController;
	deadline: number;
	/** Ends the wait for it. */
	reject: (reason: StoppedError) => void;
}

/** Ends the requests and pauses of one run when it is stopped (an AbortController for many), and requests in time. */
export class Cancellation {
	private readonly controller = new AbortController();

	private readonly underWay = new Set<Work>();

	/** When the deadlines are checked next. */
	private nextCheck = Infinity;

	constructor(private readonly timers: Timers = SYSTEM_TIMERS) {}

	/** @returns what everyone who waits gets */
	stop(): StoppedError {
		const reason = new StoppedError();
		this.controller.abort(reason);
		for (const { controller, reject } of this.underWay) {
			controller.abort();
			// A login that is under way does not listen to the signal: it goes on
			reject(reason);
		}
		return reason;
	}

	readonly now = () => this.timers.now();

	/** Resolves after this many milliseconds, at the earliest in the next turn of the event loop, or when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// The sleep of n8n 1.x takes no signal: it goes on there, and nobody waits for it
		const sleep = async (signal?: AbortSignal) => await this.timers.sleep(milliseconds, signal);
		if (milliseconds > 0) await this.run(async ({ signal }) => await sleep(signal)).catch(() => {});
		// A turn of the event loop is over before anything can end it
		else await sleep();
	}

	/**
	 * Does something that ends with the run, or at the deadline that it sets itself.
	 *
	 * @throws StoppedError when the run is stopped
	 */
	async run<T>(start: (bounds: RequestBounds) => Promise<T>): Promise<T> {
		this.controller.signal.throwIfAborted();
		return await new Promise<T>((resolve, reject) => {
			// A signal of its own: Node warns of a leak if more than ten listen to the same one
			const controller = new AbortController();
			const work: Work = { controller, deadline: Infinity, reject };
			this.underWay.add(work);
			const setDeadline = (milliseconds: number) => {
				work.deadline = this.now() + milliseconds;
				this.scheduleCheck(work.deadline);
			};
			start({ signal: controller.signal, setDeadline })
				.then(resolve, reject)
				.finally(() => this.underWay.delete(work));
		});
	}

	/**
	 * One timer for all deadlines: it cannot be taken back, and one for each request would keep that in memory long after
	 * its response. Not AbortSignal.any: on Node 20, such signals never fired once garbage was collected.
	 */
	private scheduleCheck(time: number): void {
		if (time >= this.nextCheck) return;
		this.nextCheck = time;
		this.timers.after(Math.max(0, Math.ceil(time - this.now())), () => {
			if (time !== this.nextCheck) return;
			this.nextCheck = Infinity;
			for (const { controller, deadline } of this.underWay) {
				if (deadline <= this.now()) controller.abort();
				else this.scheduleCheck(deadline);
			}
		});
	}
}
