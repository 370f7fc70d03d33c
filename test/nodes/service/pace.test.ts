import fc from 'fast-check';
import { type LoadReport, Pace } from '../../../nodes/AquacultureSite/service/pace';
import { asyncRuns } from '../../fuzz/fuzz';
import { FakeClock } from '../../helpers/fake-clock';

/** What a request says about the load; a number: that it is limited, for so many milliseconds. */
type Load = 'success' | 'other' | 'overloaded' | number;

/** A run whose requests end when the test says so. */
class Run {
	readonly stopping = new AbortController();

	readonly clock: FakeClock;

	readonly pace: Pace;

	/** The requests that were started, flushed, stopped or failed, by their number. */
	readonly started: number[] = [];

	readonly startedAt: number[] = [];

	readonly flushed: number[] = [];

	readonly stopped: unknown[] = [];

	mostInFlight = 0;

	private readonly inFlight: ((load: Load) => void)[] = [];

	private count = 0;

	constructor(maxConcurrency: number, turn = 0) {
		this.clock = new FakeClock(this.stopping.signal, turn);
		this.pace = new Pace(maxConcurrency, this.clock, this.stopping.signal);
	}

	add(count: number, isRetry?: boolean): void {
		for (let index = 0; index < count; index++) void this.request(this.count++, isRetry);
	}

	/** Until nothing happens but by the time. */
	async settle(): Promise<void> {
		await this.clock.advance(0);
	}

	/** Ends the requests in flight, or so many of them, each with what it says about the load. */
	async end(load: Load, count = Infinity): Promise<void> {
		await this.settle();
		for (const end of this.inFlight.splice(0, count)) end(load);
		await this.settle();
	}

	/** Requests in flight, where more than enough are waiting. */
	async width(): Promise<number> {
		await this.settle();
		return this.inFlight.length;
	}

	private async request(number: number, isRetry?: boolean): Promise<void> {
		const work = async (report: LoadReport) => {
			this.started.push(number);
			this.startedAt.push(this.clock.now());
			const load = await new Promise<Load>((end) => {
				this.inFlight.push(end);
				this.mostInFlight = Math.max(this.mostInFlight, this.inFlight.length);
			});
			if (load === 'success') report.success();
			if (load === 'overloaded') report.overload(0);
			if (typeof load === 'number') report.overload(load, load);
			return 'done';
		};
		try {
			if ((await this.pace.run(work, isRetry)) !== 'done') this.flushed.push(number);
		} catch (reason) {
			this.stopped.push(reason);
		}
	}
}

describe('how many requests are in flight', () => {
	test.each([
		[1, [0, 1, 2, 3, 4, 5, 6]],
		[3, [0, 3, 3, 3, 6, 6, 6]],
	])('64 at first, one each millisecond where a turn takes %i ms', async (turn, times) => {
		const run = new Run(128, turn);
		run.add(200);
		await run.clock.advance(1000);
		expect(run.startedAt.slice(0, 7)).toEqual(times);
		expect(run.started).toHaveLength(64);
	});

	test('one more with each success, up to the maximum', async () => {
		const run = new Run(70);
		run.add(500);
		await run.settle();
		await run.end('success', 4);
		expect(await run.width()).toBe(68);
		await run.end('success', 4);
		expect(await run.width()).toBe(70);
	});

	test('not more without a success', async () => {
		const run = new Run(128);
		run.add(200);
		await run.settle();
		await run.end('other');
		expect(await run.width()).toBe(64);
	});

	test('never more than the maximum', async () => {
		const run = new Run(3);
		run.add(10);
		expect(await run.width()).toBe(3);
	});

	test('at the maximum, four in a turn of the event loop', async () => {
		const run = new Run(6, 1);
		// The first one starts as soon as it is there
		run.add(20);
		await run.clock.advance(100);
		await run.end('success');
		await run.clock.advance(100);
		expect(run.startedAt).toEqual([0, 1, 1, 1, 1, 2, 100, 101, 101, 101, 101, 102]);
	});

	test('four in a turn, too, as soon as 96 may be in flight', async () => {
		const run = new Run(128, 1);
		run.add(300);
		await run.clock.advance(100);
		const nextStartsAfter = async (successes: number) => {
			const before = run.startedAt.length;
			await run.end('success', successes);
			await run.clock.advance(100);
			const [first, second, third] = run.startedAt.slice(before);
			// Milliseconds after the first of them
			return [second, third].map((time = NaN) => time - (first ?? NaN));
		};
		expect(await nextStartsAfter(31)).toEqual([1, 2]);
		expect(await nextStartsAfter(4)).toEqual([0, 0]);
	});
});

describe('after an overload', () => {
	test('one request goes first, and the others when it has ended', async () => {
		const run = new Run(4);
		run.add(20);
		await run.settle();
		await run.end(1000);
		await run.clock.advance(1000);
		expect(run.started).toHaveLength(5);
		await run.end('other');
		await run.settle();
		expect(run.started).toHaveLength(9);
	});

	test('the one that goes first is alone, even when those before it end', async () => {
		const run = new Run(4);
		run.add(20);
		await run.settle();
		await run.end(0, 1);
		await run.end('other', 3);
		expect(run.started).toHaveLength(5);
		await run.end('other');
		expect(run.started).toHaveLength(9);
	});

	test('the request that found it goes first', async () => {
		const { pace, clock } = new Run(1);
		const order: string[] = [];
		const add = async (name: string, isRetry?: boolean) =>
			await pace.run(async () => await Promise.resolve(order.push(name)), isRetry);
		const limited = pace.run(async ({ overload }) => {
			await clock.pause(0);
			overload(0, 0);
		});
		void limited.then(() => add('again', true));
		void add('next');
		await clock.advance(0);
		expect(order).toEqual(['again', 'next']);
	});

	test.each([
		['none goes first, but half as many at once', 'overloaded', 2],
		['one goes first where the rate is limited', 0, 1],
	] as const)('where all requests were refused, %s', async (_, load, first) => {
		const run = new Run(4);
		run.add(4);
		await run.end(load);
		run.add(4, true);
		expect(await run.width()).toBe(first);
	});

	test('overloads count in a row once for those in flight together, until a success', async () => {
		const { pace, clock } = new Run(2);
		const inARow: number[] = [];
		const add = (isOverload: boolean) =>
			void pace.run(async ({ overload, overloadsInARow, success }) => {
				await clock.pause(0);
				inARow.push(overloadsInARow());
				if (isOverload) overload(0);
				else success();
			});
		for (const isOverload of [true, true, true, false, true]) add(isOverload);
		await clock.advance(0);
		expect(inARow).toEqual([1, 1, 2, 3, 1]);
	});

	test('requests start at the rate that was accepted, whatever those in flight bring', async () => {
		const run = new Run(64);
		run.add(300);
		await run.settle();
		await run.end('success', 20);
		await run.end(975, 5);
		await run.end(500);
		await run.clock.advance(1000);
		await run.end('success');
		const before = run.started.length;
		await run.clock.advance(150);
		// 20 in one second, with 25 milliseconds that requests may come closer: one each 50 milliseconds
		expect(run.startedAt.slice(before)).toEqual([1025, 1075, 1125]);
	});

	test('by a rate limit that refuses a retry, too, it is the turn of another request', async () => {
		const run = new Run(1);
		run.add(2);
		await run.end(0);
		run.add(2, true);
		await run.settle();
		for (const load of [0, 'success', 'success'] as const) await run.end(load);
		expect(run.started).toEqual([0, 1, 2, 3]);
	});
});

test('first come, first served, and retries before all others', async () => {
	const run = new Run(1);
	run.add(3);
	await run.settle();
	run.add(2, true);
	for (let round = 0; round < 5; round++) await run.end('other');
	expect(run.started).toEqual([0, 3, 4, 1, 2]);
});

test('a slot is given back when the request throws', async () => {
	const { pace, clock } = new Run(1);
	const unexpected = new Error('Unexpected');
	await expect(pace.run(() => Promise.reject(unexpected))).rejects.toBe(unexpected);
	await clock.advance(0);
	expect(await pace.run(() => Promise.resolve('next'))).toBe('next');
});

describe('a pause', () => {
	test('holds back all requests until it is over', async () => {
		const run = new Run(64);
		// Of no time, so that it is not counted
		run.pace.pause(0);
		run.pace.pause(5000);
		run.add(10);
		await run.clock.advance(4999);
		expect(run.started).toEqual([]);
		await run.clock.advance(1);
		await run.settle();
		expect(run.started).toHaveLength(10);
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 5000 });
	});

	test('is replaced by a longer one, not by a shorter one, and counts anew once it is over', async () => {
		const run = new Run(64);
		for (const milliseconds of [5000, 1000, 5000]) run.pace.pause(milliseconds);
		await run.clock.advance(2000);
		run.pace.pause(6000);
		run.add(1);
		await run.clock.advance(5999);
		expect(run.started).toEqual([]);
		await run.clock.advance(1);
		expect(run.started).toEqual([0]);
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 8000 });
		run.pace.pause(1000);
		run.add(1);
		await run.clock.advance(999);
		expect(run.started).toEqual([0]);
		await run.clock.advance(1);
		expect(run.started).toEqual([0, 1]);
		expect(run.pace.pauses).toEqual({ count: 2, milliseconds: 9000 });
	});

	test('ends when the run is stopped', async () => {
		const run = new Run(64);
		run.pace.pause(60_000);
		run.add(3);
		run.stopping.abort();
		await run.settle();
		expect(run.stopped).toHaveLength(3);
		run.pace.pause(120_000);
		await run.settle();
		expect(run.clock.pausing).toBe(0);
	});
});

test('flush lets all who wait go on without a slot', async () => {
	const run = new Run(2);
	run.add(4);
	await run.settle();
	run.add(1, true);
	await run.settle();
	run.pace.flush();
	await run.settle();
	expect(run.flushed).toEqual([4, 2, 3]);
	run.add(3);
	expect(await run.width()).toBe(2);
	await run.end('success');
	expect(run.started).toEqual([0, 1, 5, 6]);
});

test('a stopped run starts no request, waiting or new, and throws the reason', async () => {
	const run = new Run(2);
	run.add(5);
	await run.settle();
	const reason = new Error('Stopped');
	run.stopping.abort(reason);
	await run.settle();
	expect(run.stopped).toEqual([reason, reason, reason]);
	run.add(2);
	await run.end('success');
	expect(run.started).toEqual([0, 1]);
	expect(run.stopped).toEqual(Array(5).fill(reason));
});

test('however requests end, each is started once and never more than the maximum at once', async () => {
	const step = fc.record({
		add: fc.nat(5),
		isRetry: fc.boolean(),
		end: fc.nat(8),
		load: fc.constantFrom<Load[]>('success', 'other', 0),
	});
	const history = [fc.integer({ min: 1, max: 10 }), fc.array(step), fc.boolean()] as const;
	const property = fc.asyncProperty(...history, async (maximum, steps, stops) => {
		const run = new Run(maximum);
		let added = 0;
		for (const { add, isRetry, end, load } of steps) {
			run.add(add, isRetry);
			added += add;
			await run.end(load, end);
		}
		if (stops) run.stopping.abort();
		await run.clock.advance(1000);
		while ((await run.width()) > 0) {
			await run.end('success');
			await run.clock.advance(1000);
		}
		expect(new Set(run.started).size).toBe(run.started.length);
		expect(run.started.length + run.stopped.length).toBe(added);
		expect(run.mostInFlight).toBeLessThanOrEqual(maximum);
		if (!stops) expect(run.stopped).toEqual([]);
	});
	await fc.assert(property, asyncRuns);
});
