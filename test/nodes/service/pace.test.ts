import fc from 'fast-check';
import { type Load, Pace } from '../../../nodes/AquacultureSite/service/pace';
import { asyncRuns } from '../../fuzz/fuzz';
import { FakeClock, settle } from '../../helpers/fake-clock';

/** A run whose requests end when the test says so. */
class Run {
	readonly stopping = new AbortController();

	readonly clock = new FakeClock(this.stopping.signal);

	readonly pace: Pace;

	/** The requests that were started, flushed, stopped or failed, by their number. */
	readonly started: number[] = [];

	readonly flushed: number[] = [];

	readonly stopped: unknown[] = [];

	mostInFlight = 0;

	private readonly inFlight: ((load?: Load) => void)[] = [];

	private count = 0;

	constructor(maxConcurrency: number) {
		this.pace = new Pace(maxConcurrency, this.clock, this.stopping.signal);
	}

	add(count: number, isRetry?: boolean): void {
		for (let index = 0; index < count; index++) void this.request(this.count++, isRetry);
	}

	/** Ends the requests in flight, or so many of them, each with what it says about the load. */
	async end(load?: Load, count = Infinity): Promise<void> {
		await settle();
		for (const end of this.inFlight.splice(0, count)) end(load);
		await settle();
	}

	/** Requests in flight, where more than enough are waiting. */
	async width(): Promise<number> {
		await settle();
		return this.inFlight.length;
	}

	private async request(number: number, isRetry?: boolean): Promise<void> {
		const work = async (report: (load: Load) => void) => {
			this.started.push(number);
			const load = await new Promise<Load | undefined>((end) => {
				this.inFlight.push(end);
				this.mostInFlight = Math.max(this.mostInFlight, this.inFlight.length);
			});
			if (load) report(load);
			return 'done';
		};
		try {
			if ((await this.pace.run(work, isRetry)) !== 'done') this.flushed.push(number);
		} catch (reason) {
			this.stopped.push(reason);
		}
	}
}

/** The width at the start and after each round in which all requests end so. */
async function widths(run: Run, load: Load | undefined, rounds: number): Promise<number[]> {
	const seen = [await run.width()];
	for (let round = 0; round < rounds; round++) {
		await run.end(load);
		seen.push(await run.width());
	}
	return seen;
}

describe('how many requests are in flight', () => {
	test('four at first, three times as many after each good round, up to the maximum', async () => {
		const run = new Run(20);
		run.add(200);
		expect(await widths(run, 'success', 4)).toEqual([4, 12, 20, 20, 20]);
	});

	test('half as many after an overload, however many requests report it', async () => {
		const run = new Run(64);
		run.add(1000);
		expect(await widths(run, 'success', 1)).toEqual([4, 12]);
		await run.end('overload');
		expect(await run.width()).toBe(6);
		await run.end('overload', 1);
		expect(await run.width()).toBe(5);
		await run.end('other');
		expect(await run.width()).toBe(3);
	});

	test('never less than one', async () => {
		const run = new Run(64);
		run.add(100);
		expect((await widths(run, 'overload', 10)).at(-1)).toBe(1);
	});

	test('one more after each good round once there was an overload', async () => {
		const run = new Run(64);
		run.add(1000);
		await run.end('success');
		await run.end('overload');
		expect(await widths(run, 'success', 4)).toEqual([6, 6, 7, 8, 9]);
	});

	test.each(['other', undefined] as const)(
		'the same after requests that report %s',
		async (load) => {
			const run = new Run(64);
			run.add(100);
			expect(await widths(run, load, 3)).toEqual([4, 4, 4, 4]);
		},
	);
});

test('first come, first served, and retries before all others', async () => {
	const run = new Run(1);
	run.add(3);
	await settle();
	run.add(2, true);
	await widths(run, 'success', 5);
	expect(run.started).toEqual([0, 3, 4, 1, 2]);
});

test('a slot is given back when the request throws', async () => {
	const { pace } = new Run(1);
	const unexpected = new Error('Unexpected');
	await expect(pace.run(() => Promise.reject(unexpected))).rejects.toBe(unexpected);
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
		expect(run.started).toEqual([0, 1, 2, 3]);
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 5000 });
	});

	test('is replaced by a longer one, not by a shorter one, and counts anew once it is over', async () => {
		const run = new Run(64);
		for (const milliseconds of [5000, 1000, 5000]) run.pace.pause(milliseconds);
		await run.clock.advance(2000);
		run.pace.pause(6000);
		expect(run.clock.pausing).toBe(1);
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
		await settle();
		expect(run.stopped).toHaveLength(3);
		run.pace.pause(120_000);
		await settle();
		expect(run.clock.pausing).toBe(0);
	});
});

test('flush lets all who wait go on without a slot', async () => {
	const run = new Run(2);
	run.add(4);
	run.add(1, true);
	await settle();
	run.pace.flush();
	await settle();
	expect(run.flushed).toEqual([4, 2, 3]);
	run.add(3);
	expect(await run.width()).toBe(2);
	await run.end('success');
	expect(run.started).toEqual([0, 1, 5, 6]);
});

test('a stopped run starts no request, waiting or new, and throws the reason', async () => {
	const run = new Run(2);
	run.add(5);
	await settle();
	const reason = new Error('Stopped');
	run.stopping.abort(reason);
	await settle();
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
		load: fc.constantFrom<Load[]>('success', 'overload', 'other'),
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
		while ((await run.width()) > 0) await run.end('success');
		expect(new Set(run.started).size).toBe(run.started.length);
		expect(run.started.length + run.stopped.length).toBe(added);
		expect(run.mostInFlight).toBeLessThanOrEqual(maximum);
		if (!stops) expect(run.stopped).toEqual([]);
	});
	await fc.assert(property, asyncRuns);
});
