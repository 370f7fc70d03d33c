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

/** A request or a pause that is under way. */
interface Work {
	readonly controller: AbortController;
	deadline: number;
	/** Ends the wait for it. */
	reject: (reason: Error) => void;
}

/** The clock of one run. Ends its requests in time, and everything when it is stopped (an AbortController for many). */
export class Cancellation {
	private readonly underWay = new Set<Work>();

	private stopped?: Error;

	/** The timer for the next deadline. */
	private timer?: { at: number; controller: AbortController };

	constructor(private readonly timers: Timers = SYSTEM_TIMERS) {}

	get isStopped(): boolean {
		return this.stopped !== undefined;
	}

	/** Ends everything that is under way, and all that is to come. */
	stop(): void {
		this.stopped ??= new StoppedError();
		this.abort();
	}

	/** Ends everything that is under way. */
	abort(): void {
		const reason = this.stopped ?? new StoppedError();
		for (const { controller, reject } of this.underWay) {
			controller.abort();
			// A login that is under way does not listen to the signal: it goes on
			reject(reason);
		}
		this.timer?.controller.abort();
	}

	readonly now = () => this.timers.now();

	/** Resolves after this many milliseconds, at the earliest in the next turn of the event loop, or when the run is stopped. */
	async pause(milliseconds: number): Promise<void> {
		// The sleep of n8n 1.x takes no signal: it goes on there, and nobody waits for it
		const sleep = async (signal?: AbortSignal) =>
			await this.timers.sleep(Math.max(0, milliseconds), signal);
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
		if (this.stopped) throw this.stopped;
		return await new Promise<T>((resolve, reject) => {
			// A signal of its own: Node warns of a leak if more than ten listen to the same one
			const controller = new AbortController();
			const work: Work = { controller, deadline: Infinity, reject };
			this.underWay.add(work);
			const setDeadline = (milliseconds: number) => {
				work.deadline = this.now() + milliseconds;
				this.schedule(work.deadline);
			};
			start({ signal: controller.signal, setDeadline })
				.then(resolve, reject)
				.finally(() => this.end(work));
		});
	}

	private end(work: Work): void {
		this.underWay.delete(work);
		if (this.underWay.size > 0) return;
		this.timer?.controller.abort();
		this.timer = undefined;
	}

	/** One timer for all deadlines: one for each request would keep that in memory long after its response. */
	private schedule(at: number): void {
		if (this.timer && at >= this.timer.at) return;
		this.timer?.controller.abort();
		const controller = new AbortController();
		const timer = (this.timer = { at, controller });
		const check = () => {
			if (this.timer === timer) this.timer = undefined;
			if (controller.signal.aborted) return;
			let next = Infinity;
			for (const work of this.underWay) {
				if (work.deadline <= this.now()) work.controller.abort();
				else next = Math.min(next, work.deadline);
			}
			if (next < Infinity) this.schedule(next);
		};
		const wait = Math.max(0, Math.ceil(at - this.now()));
		this.timers.sleep(wait, controller.signal).then(check, check);
	}
}
