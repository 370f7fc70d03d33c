import fc from 'fast-check';
import {
	Pace,
	StoppedError,
	type Outcome,
	type Place,
} from '../../../nodes/AquacultureSite/service/pace';

/** Lets everything happen that is ready to. */
const settle = async () => await new Promise((done) => setImmediate(done));

/** A run that asks a pace for places, and sees who was served. */
class Run {
	readonly stopping = new AbortController();

	readonly pace: Pace;

	/** Who was given a place, in order; the places not given back yet. */
	readonly served: number[] = [];

	readonly underWay: Place[] = [];

	readonly stopped: number[] = [];

	mostUnderWay = 0;

	private asked = 0;

	constructor(most: number) {
		this.pace = new Pace(most, this.stopping.signal);
	}

	/** Asks for places. */
	take(count = 1, first?: boolean): void {
		for (let number = 0; number < count; number++) {
			const who = this.asked++;
			this.pace.take(first).then(
				(place) => {
					this.served.push(who);
					this.underWay.push(place);
					this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay.length);
				},
				(error: unknown) => {
					expect(error).toBeInstanceOf(StoppedError);
					this.stopped.push(who);
				},
			);
		}
	}

	/** Gives back all places under way, or so many of them. */
	async give(outcome: Outcome, count = Infinity): Promise<void> {
		await settle();
		for (const place of this.underWay.splice(0, count)) this.pace.give(place, outcome);
		await settle();
	}

	/** How many may be under way now, with more than enough waiting. */
	async width(): Promise<number> {
		await settle();
		return this.underWay.length;
	}
}

test('starts with four, and triples with each round that goes well, up to the most', async () => {
	const run = new Run(20);
	run.take(200);
	const widths = [await run.width()];
	for (let round = 0; round < 4; round++) {
		await run.give('well');
		widths.push(await run.width());
	}
	expect(widths).toEqual([4, 12, 20, 20, 20]);
});

test.each([1, 2, 3])('never has more than %i under way, where that is the most', async (most) => {
	const run = new Run(most);
	run.take(30);
	for (let round = 0; round < 10; round++) {
		expect(await run.width()).toBe(most);
		await run.give('well');
	}
});

test('is halved once by an overload that several requests tell of', async () => {
	const run = new Run(64);
	run.take(1000);
	await run.give('well');
	expect(await run.width()).toBe(12);
	await run.give('overloaded');
	expect(await run.width()).toBe(6);
	// The next overload is another one
	await run.give('overloaded', 1);
	expect(await run.width()).toBe(5);
	await run.give('otherwise');
	expect(await run.width()).toBe(3);
});

test('is never less than one', async () => {
	const run = new Run(64);
	run.take(100);
	for (let round = 0; round < 10; round++) {
		await run.give('overloaded');
	}
	expect(await run.width()).toBe(1);
});

test('after an overload grows again, by about one with each round', async () => {
	const run = new Run(64);
	run.take(1000);
	await run.give('well');
	await run.give('overloaded');
	const widths = [await run.width()];
	for (let round = 0; round < 4; round++) {
		await run.give('well');
		widths.push(await run.width());
	}
	expect(widths[0]).toBe(6);
	for (let round = 1; round < widths.length; round++) {
		expect(widths[round]! - widths[round - 1]!).toBeLessThanOrEqual(1);
	}
	expect(widths.at(-1)).toBeGreaterThanOrEqual(9);
});

test('stays as it is where requests fail for other reasons', async () => {
	const run = new Run(64);
	run.take(100);
	for (let round = 0; round < 5; round++) await run.give('otherwise');
	expect(await run.width()).toBe(4);
});

test('serves in turn, and those that ask again first', async () => {
	const run = new Run(1);
	run.take(3);
	await settle();
	run.take(1, true);
	for (let round = 0; round < 4; round++) await run.give('well');
	expect(run.served).toEqual([0, 3, 1, 2]);
});

describe('a pause', () => {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['setImmediate'] });
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	test('holds back all requests until it is over', async () => {
		const run = new Run(64);
		run.pace.pause(5000);
		run.take(10);
		await jest.advanceTimersByTimeAsync(4999);
		expect(run.served).toEqual([]);
		await jest.advanceTimersByTimeAsync(2);
		expect(run.served).toEqual([0, 1, 2, 3]);
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 5000 });
	});

	test('that is longer takes over, a shorter one does not', async () => {
		const run = new Run(64);
		run.pace.pause(5000);
		run.pace.pause(1000);
		await jest.advanceTimersByTimeAsync(2000);
		run.pace.pause(6000);
		// However often it was prolonged
		expect(jest.getTimerCount()).toBe(1);
		run.take(1);
		await jest.advanceTimersByTimeAsync(5999);
		expect(run.served).toEqual([]);
		await jest.advanceTimersByTimeAsync(2);
		expect(run.served).toEqual([0]);
		// One stretch of waiting, however often it was prolonged
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 8000 });
	});

	test('after another one counts anew', async () => {
		const run = new Run(64);
		for (let round = 0; round < 2; round++) {
			run.pace.pause(1000);
			run.take(1);
			await settle();
			expect(run.served).toHaveLength(round);
			await jest.advanceTimersByTimeAsync(1000);
		}
		expect(run.served).toEqual([0, 1]);
		expect(run.pace.pauses).toEqual({ count: 2, milliseconds: 2000 });
	});

	test('ends for all who wait when the run is stopped', async () => {
		const run = new Run(64);
		run.pace.pause(60_000);
		run.take(3);
		run.stopping.abort();
		await settle();
		expect(run.stopped).toEqual([0, 1, 2]);
		expect(jest.getTimerCount()).toBe(0);
	});
});

test('a stopped run is told by the word by which n8n knows it', () => {
	expect(String(new StoppedError())).toMatch(/^StoppedError: .*\bcanceled\b/);
});

test('a stopped run serves nobody, neither who waits nor who comes later', async () => {
	const run = new Run(2);
	run.take(5);
	await settle();
	run.stopping.abort();
	await settle();
	expect(run.stopped).toEqual([2, 3, 4]);
	run.take(2);
	await run.give('well');
	expect(run.served).toEqual([0, 1]);
	expect(run.stopped).toEqual([2, 3, 4, 5, 6]);
});

test('however the requests go, each is served once, never more than the most at a time', async () => {
	type Step = { take: number; first: boolean; give: number; outcome: Outcome };
	const step: fc.Arbitrary<Step> = fc.record({
		take: fc.nat(5),
		first: fc.boolean(),
		give: fc.nat(8),
		outcome: fc.constantFrom('well', 'overloaded', 'otherwise'),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 10 }),
			fc.array(step),
			fc.boolean(),
			async (most, steps, stops) => {
				const run = new Run(most);
				let asked = 0;
				for (const { take, first, give, outcome } of steps) {
					run.take(take, first);
					asked += take;
					await run.give(outcome, give);
				}
				if (stops) run.stopping.abort();
				await settle();
				while (run.underWay.length > 0) await run.give('well');
				expect([...run.served, ...run.stopped].sort((a, b) => a - b)).toEqual([
					...Array(asked).keys(),
				]);
				expect(run.mostUnderWay).toBeLessThanOrEqual(most);
				if (!stops) expect(run.stopped).toEqual([]);
			},
		),
	);
});
