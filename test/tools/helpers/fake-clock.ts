import type { Timers } from '../../../nodes/AquacultureSite/run/cancellation';

/** Lets everything happen that waits for no time to pass. */
export async function settle(): Promise<void> {
	await new Promise((done) => setImmediate(done));
}

/** A clock that stands still until a test moves it: minutes take milliseconds. It starts at 0. */
export class FakeClock implements Timers {
	private time = 0;

	private timers: { at: number; action: () => void }[] = [];

	/** @param turn milliseconds that a turn of the event loop takes: no timer is shorter */
	constructor(readonly turn = 1) {}

	now(): number {
		return this.time;
	}

	after(milliseconds: number, action: () => void): void {
		const at = this.time + Math.max(this.turn, milliseconds);
		const index = this.timers.findIndex((timer) => timer.at > at);
		this.timers.splice(index < 0 ? this.timers.length : index, 0, { at, action });
	}

	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.after(milliseconds, resolve);
			signal?.addEventListener('abort', () => reject(signal.reason as Error));
		});
	}

	/** Moves on, from one timer to the next. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		await settle();
		while ((this.timers[0]?.at ?? Infinity) <= end) await this.next();
		this.time = end;
	}

	/** Moves on until the work is done. */
	async run<T>(work: Promise<T>): Promise<T> {
		const state = { isDone: false };
		const end = () => (state.isDone = true);
		work.then(end, end);
		await settle();
		while (!state.isDone) await this.next();
		return await work;
	}

	private async next(): Promise<void> {
		const next = this.timers[0]?.at;
		if (next === undefined) throw new Error('Everything waits for something that never happens');
		this.time = next;
		while (this.timers[0]?.at === next) this.timers.shift()?.action();
		await settle();
	}
}
