import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { Timers } from '../../../nodes/AquacultureSite/run/cancellation';
import { isUnderWay } from './connections';
import { afterTest } from './own';

/** Turns of the event loop without anything under way before time passes. */
const IDLE_TURNS = 5;

/** Lets all promises go on that wait for no time to pass. */
export async function settle(): Promise<void> {
	await new Promise((done) => process.nextTick(done));
}

/** A clock that stands still until a test moves it: minutes take milliseconds. It starts at 0. */
export class FakeClock implements Timers {
	/** What `run` throws if there is no end. */
	readonly ENDLESS = 'It does not end in time';
	readonly STUCK = 'Everything waits for something that never happens';

	private time = 0;

	private isStanding = false;

	private readonly timers: { at: number; action?: () => void }[] = [];

	/** @param turn milliseconds that a turn of the event loop takes: no timer is shorter */
	constructor(readonly turn = 1) {}

	now(): number {
		return this.time;
	}

	/** @returns how to take it back */
	after(milliseconds: number, action: () => void): () => void {
		const at = this.time + Math.max(this.turn, milliseconds);
		const timer: { at: number; action?: () => void } = { at, action };
		this.timers.splice(this.timers.findLastIndex((other) => other.at <= at) + 1, 0, timer);
		return () => delete timer.action;
	}

	/** The next one that was not taken back. */
	private get first() {
		while (this.timers[0] && !this.timers[0].action) this.timers.shift();
		return this.timers[0];
	}

	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			const takeBack = this.after(milliseconds, resolve);
			signal?.addEventListener('abort', () => {
				takeBack();
				reject(signal.reason as Error);
			});
		});
	}

	/** Moves on, from one timer to the next. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.time + milliseconds;
		await settle();
		while ((this.first?.at ?? Infinity) <= end) await this.next();
		this.time = end;
	}

	/** Moves on until the work is done, or this time is over. */
	async run<T>(work: Promise<T>, until = Infinity): Promise<T> {
		const state = { isDone: false };
		const end = () => (state.isDone = true);
		work.then(end, end);
		await settle();
		while (!state.isDone) {
			if ((this.first?.at ?? 0) > until) throw new Error(this.ENDLESS);
			await this.next();
		}
		return await work;
	}

	/** Puts it forward in the midst of whatever is under way. */
	skip(milliseconds: number): void {
		this.time += milliseconds;
	}

	/** From now on it moves only when the test says so. */
	stand(): void {
		this.isStanding = true;
	}

	/** Moves on whenever this process has nothing else to do. */
	async passWhileIdle(): Promise<void> {
		let turns = 0;
		for (;;) {
			await new Promise((done) => setImmediate(done));
			// What Node does in its one other thread (jest.config.js), such as to decompress, is done before this is
			if (turns > 0) await new Promise((done) => randomBytes(1, done));
			// Asked last: nothing can begin between this and the step
			turns = isUnderWay() ? 0 : turns + 1;
			if (this.isStanding) return;
			const next = this.first?.at ?? Infinity;
			if (next === Infinity || (next > this.time && turns <= IDLE_TURNS)) continue;
			await this.next();
			turns = 0;
		}
	}

	private async next(): Promise<void> {
		const next = this.first?.at;
		if (next === undefined) throw new Error(this.STUCK);
		this.time = Math.max(this.time, next);
		while ((this.first?.at ?? Infinity) <= this.time) this.timers.shift()?.action?.();
		await settle();
	}
}

/** The time of this process, in place of the real one until the test is over: it stands still until the test moves it. */
export function stopTime(): FakeClock {
	if (jest.isMockFunction(Date.now)) throw new Error('The time of this process stands already');
	const clock = new FakeClock();
	const start = Date.now();
	// As in reality, no two moments are whole milliseconds apart
	let readings = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => start + clock.now());
	jest.spyOn(performance, 'now').mockImplementation(() => clock.now() + ++readings * 1e-9);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		if (!Number.isInteger(milliseconds)) throw new RangeError(`${milliseconds} is not an integer`);
		const timer = new AbortController();
		clock.after(milliseconds, () => timer.abort());
		return timer.signal;
	});
	// Node has timers of its own for it, which would tell how busy this machine is
	jest.spyOn(Socket.prototype, 'setTimeout').mockReturnThis();
	const { setTimeout, clearTimeout } = globalThis;
	const takeBack = new WeakMap<object, () => void>();
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((action, milliseconds = 0) => {
		const handle = setTimeout(() => undefined, 0);
		// What only waits for its turn takes no time
		const turn = milliseconds < 1 ? setImmediate(action) : undefined;
		takeBack.set(handle, turn ? () => clearImmediate(turn) : clock.after(milliseconds, action));
		return handle;
	});
	jest.spyOn(globalThis, 'clearTimeout').mockImplementation((handle) => {
		if (typeof handle === 'object') takeBack.get(handle)?.();
		clearTimeout(handle);
	});
	return clock;
}

/** Time that passes as soon as this process has nothing else to do, until the test is over: minutes take milliseconds. */
export function skipIdleTime(): FakeClock {
	const clock = stopTime();
	void clock.passWhileIdle();
	afterTest(() => clock.stand());
	return clock;
}
