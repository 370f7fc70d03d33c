import { Cancellation } from '../../../nodes/AquacultureSite/run/cancellation';
import { ConcurrencyLimit, type Gate } from '../../../nodes/AquacultureSite/run/concurrencyLimit';
import { FakeClock } from '../../tools/helpers/fake-clock';

let clock: FakeClock;
let limit: ConcurrencyLimit;
/** The tasks that have started, in this order. */
let started: number[];
let inFlight: { succeed: () => void; fail: (error: Error) => void }[];
let results: Promise<unknown>[];

function useLimit({ maxConcurrency = 128, gates = [] as Gate[], turn = 1 } = {}): void {
	clock = new FakeClock(turn);
	limit = new ConcurrencyLimit(maxConcurrency, new Cancellation(clock), gates);
	[started, inFlight, results] = [[], [], []];
}

beforeEach(() => useLimit());

/** So many more tasks that end when they are told to. */
function add(count: number): void {
	for (let task = 0; task < count; task++) {
		const name = results.length;
		const result = limit.run(async () => {
			started.push(name);
			await new Promise<void>((succeed, fail) => inFlight.push({ succeed, fail }));
			return name;
		});
		result.catch(() => undefined);
		results.push(result);
	}
}

describe('at once', () => {
	test.each([
		[1, 1],
		[30, 30],
		[64, 64],
		[500, 64],
	])('with Max Concurrency %i: %i', async (maxConcurrency, expected) => {
		useLimit({ maxConcurrency });
		add(200);
		await clock.advance(1000);
		expect(started).toHaveLength(expected);
	});

	test('one more with each success, up to Max Concurrency', async () => {
		useLimit({ maxConcurrency: 66 });
		add(200);
		await clock.advance(1000);
		const inFlightAfter = [];
		for (let success = 0; success < 3; success++) {
			limit.grow();
			limit.grow();
			inFlight.pop()?.succeed();
			await clock.advance(1000);
			inFlightAfter.push(inFlight.length);
		}
		expect(inFlightAfter).toEqual([66, 66, 66]);
		expect(started).toHaveLength(66 + 3);
	});

	test.each(['succeed', 'fail'] as const)(
		'the next one starts when one has ended: %s',
		async (end) => {
			useLimit({ maxConcurrency: 1 });
			add(3);
			await clock.advance(10);
			expect(started).toEqual([0]);
			inFlight[0]?.[end](new Error('No'));
			await clock.advance(10);
			expect(started).toEqual([0, 1]);
		},
	);
});

test('first come, first served', async () => {
	useLimit({ maxConcurrency: 5 });
	add(10);
	await clock.advance(10);
	for (const { succeed } of [...inFlight]) succeed();
	await clock.advance(10);
	expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a task comes to its own result', async () => {
	add(2);
	await clock.advance(10);
	inFlight[0]?.succeed();
	inFlight[1]?.fail(new Error('Lost'));
	await expect(results[0]).resolves.toBe(0);
	await expect(results[1]).rejects.toThrow('Lost');
});

describe('requests start evenly', () => {
	/** How many start in each turn of the event loop. */
	async function startsInTurns(): Promise<number[]> {
		const counts = [];
		for (let turns = 0; turns < 4; turns++) {
			const before = started.length;
			await clock.advance(turns === 0 ? 0 : clock.turn);
			counts.push(started.length - before);
		}
		return counts;
	}

	test.each([
		['one in a turn of the event loop', 64, 1, [1, 1, 1, 1]],
		['one, too, if a few more may be in flight', 64 + 31, 1, [1, 1, 1, 1]],
		['two, if twice as many may', 128, 1, [1, 2, 2, 2]],
		['as many as the turn took milliseconds, if it took long', 64, 5, [1, 5, 5, 5]],
	])('%s', async (_, atOnce, turn, starts) => {
		useLimit({ turn });
		for (let success = 64; success < atOnce; success++) limit.grow();
		add(atOnce);
		expect(await startsInTurns()).toEqual(starts);
	});

	test('one, if only one may be in flight', async () => {
		useLimit({ maxConcurrency: 1 });
		add(2);
		expect(await startsInTurns()).toEqual([1, 0, 0, 0]);
	});

	test('also after a time in which none came', async () => {
		add(1);
		await clock.advance(1000);
		add(10);
		expect(await startsInTurns()).toEqual([1, 1, 1, 1]);
	});
});

describe('a gate', () => {
	/** Lets requests start each 100 ms; `opensAt` of another one may be later. */
	const gate = (nextStart: number, step = 0) => ({
		nextStart,
		start: jest.fn(function (this: { nextStart: number }) {
			this.nextStart += step;
		}),
	});

	test('is told of each request that starts, and decides when the next one does', async () => {
		const every100 = gate(50, 100);
		useLimit({ gates: [every100] });
		add(10);
		await clock.advance(49);
		expect(started).toHaveLength(0);
		await clock.advance(1);
		expect(started).toHaveLength(1);
		await clock.advance(99);
		expect(started).toHaveLength(1);
		await clock.advance(1);
		expect(started).toHaveLength(2);
		expect(every100.start).toHaveBeenCalledTimes(2);
	});

	test('must be open, like all others', async () => {
		useLimit({ gates: [gate(10), gate(500), gate(-Infinity)] });
		add(1);
		await clock.advance(499);
		expect(started).toHaveLength(0);
		await clock.advance(1);
		expect(started).toHaveLength(1);
	});

	test('that is closed until something else has ended is asked again then', async () => {
		const closed = gate(-Infinity, Infinity);
		closed.start.mockImplementation(() => (closed.nextStart = Infinity));
		useLimit({ gates: [closed] });
		add(2);
		await clock.advance(1000);
		expect(started).toHaveLength(1);
		closed.nextStart = -Infinity;
		inFlight[0]?.succeed();
		await clock.advance(10);
		expect(started).toHaveLength(2);
	});

	test('that is opened later while the line waits is waited for again', async () => {
		const opens = gate(100);
		useLimit({ gates: [opens] });
		add(1);
		await clock.advance(50);
		opens.nextStart = 300;
		await clock.advance(249);
		expect(started).toHaveLength(0);
		await clock.advance(1);
		expect(started).toHaveLength(1);
	});
});

test('closed, it starts no more tasks, and lets those in flight end', async () => {
	const reason = new Error('Stopped');
	useLimit({ maxConcurrency: 1 });
	add(2);
	await clock.advance(10);
	limit.close(reason);
	await expect(results[1]).rejects.toBe(reason);
	await expect(limit.run(async () => await Promise.resolve())).rejects.toBe(reason);
	inFlight[0]?.succeed();
	await expect(results[0]).resolves.toBe(0);
	await clock.advance(10);
	expect(started).toEqual([0]);
});
