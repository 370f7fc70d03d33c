import { CircuitBreaker } from '../../../nodes/AquacultureSite/run/circuitBreaker';

const START = 1000;

let now: number;
let breaker: CircuitBreaker;

beforeEach(() => {
	now = START;
	breaker = new CircuitBreaker(() => now);
});

/** So many first tries that are sent now fail one after the other. */
function fail(times: number): void {
	for (let failure = 0; failure < times; failure++) breaker.fail(++now, false);
}

/** The pause is over: the probe is sent. Returns when. */
function probe(): number {
	now = breaker.nextStart;
	breaker.start();
	return ++now;
}

/** Requests may start at once. */
const isClosed = () => breaker.nextStart === -Infinity;

describe('closed', () => {
	test('lets all requests through, however many start', () => {
		expect(breaker.nextStart).toBe(-Infinity);
		breaker.start();
		expect(breaker).toMatchObject({
			nextStart: -Infinity,
			openings: 0,
			isGivenUp: false,
			paused: 0,
		});
	});

	test('opens for the first backoff after eight failures in a row', () => {
		fail(7);
		expect(isClosed()).toBe(true);
		fail(1);
		expect(breaker).toMatchObject({ nextStart: now + 1000, openings: 1 });
	});

	test('counts anew after a success', () => {
		fail(7);
		breaker.succeed(++now);
		fail(7);
		expect(isClosed()).toBe(true);
		fail(1);
		expect(isClosed()).toBe(false);
	});

	test.each<[string, () => void]>([
		['a retry', () => breaker.fail(now, true)],
		['one during which others succeeded', () => breaker.fail(START - 1, false)],
	])('does not count %s: it says more about its site', (_, failOfSite) => {
		fail(7);
		now = START;
		failOfSite();
		expect(isClosed()).toBe(true);
	});

	test('does not count failures of requests that were sent before it last opened', () => {
		breaker.pause(now);
		const openedAt = now;
		breaker.succeed(probe());
		now = openedAt;
		for (let failure = 0; failure < 8; failure++) breaker.fail(openedAt, false);
		expect(isClosed()).toBe(true);
	});
});

describe('half-open', () => {
	beforeEach(() => fail(8));

	test('lets one request through, the probe', () => {
		const openedAt = now;
		const sentAt = probe();
		expect(breaker.nextStart).toBe(Infinity);
		expect(breaker.isProbe(sentAt)).toBe(true);
		expect(breaker.isProbe(openedAt)).toBe(false);
		expect(breaker.openings).toBe(1);
	});

	test('no request is the probe before it starts', () => {
		expect(breaker.isProbe(now + 1)).toBe(false);
	});

	test('closes when the probe succeeds', () => {
		breaker.succeed(probe());
		expect(breaker).toMatchObject({ nextStart: -Infinity, openings: 0 });
		fail(7);
		expect(isClosed()).toBe(true);
	});

	test('stays so when another request succeeds', () => {
		const openedAt = now;
		breaker.succeed(openedAt);
		expect(isClosed()).toBe(false);
		probe();
		breaker.succeed(openedAt);
		expect(breaker.nextStart).toBe(Infinity);
	});

	test('opens again for twice as long, up to eight seconds, when the probe fails', () => {
		const waits = [2000, 4000, 8000].map(() => {
			// Since the last success, half a minute is not over
			breaker.fail(probe(), false);
			return breaker.nextStart - now;
		});
		expect(waits).toEqual([2000, 4000, 8000]);
		expect(breaker.openings).toBe(4);
	});

	test('a probe may be a retry', () => {
		breaker.fail(probe(), true);
		expect(breaker.openings).toBe(2);
	});

	test('other failures change nothing', () => {
		const openedAt = now;
		probe();
		for (let failure = 0; failure < 8; failure++) breaker.fail(openedAt, false);
		expect(breaker).toMatchObject({ nextStart: Infinity, openings: 1 });
	});
});

describe('for a busy service', () => {
	test('opens for 300 ms at least, if the service names no wait', () => {
		now += 1200;
		breaker.pause(now);
		expect(breaker.nextStart).toBe(now + 300);
	});

	test('opens for a quarter of the time since the last success', () => {
		now += 4000;
		breaker.succeed(now);
		now += 2000;
		breaker.pause(now);
		expect(breaker.nextStart).toBe(now + 500);
	});

	test('opens for as long as the service asks, if that is longer', () => {
		breaker.pause(++now, 5000);
		expect(breaker.nextStart).toBe(now + 5000);
	});

	test('of requests that were in flight together, the first one that is refused counts', () => {
		const sentAt = now;
		now += 10;
		breaker.pause(sentAt, 1000);
		const until = breaker.nextStart;
		now += 10;
		breaker.pause(sentAt, 9000);
		expect(breaker).toMatchObject({ nextStart: until, openings: 1, paused: 1000 });
	});

	test('adds up how long it was open', () => {
		breaker.pause(now, 1000);
		breaker.pause(probe(), 2000);
		expect(breaker.paused).toBe(3000);
	});
});

describe('given up', () => {
	test.each([
		['a service that is silent for half a minute', 30_000, undefined],
		['a rate limit after the longest wait of the run', 60_000, 60_000],
	])('is %s', (_, silence, patience) => {
		const isGivenUpAfterTwo = (after: number) => {
			now = START;
			breaker = new CircuitBreaker(() => now);
			breaker.pause(now, 20_000, patience);
			const sentAt = probe();
			breaker.pause(sentAt, START + after - now, patience);
			return breaker.isGivenUp;
		};
		expect([silence, silence + 1].map(isGivenUpAfterTwo)).toEqual([false, true]);
	});

	test.each([
		[60_000, false],
		[60_001, true],
	])(
		'is decided with a probe, unless the service was silent for very long: %i ms',
		(wait, isSo) => {
			breaker.pause(now, wait);
			expect(breaker.isGivenUp).toBe(isSo);
			expect(breaker.paused).toBe(isSo ? 0 : wait);
		},
	);

	test('counts from the last success, also that of a request sent long before', () => {
		breaker.pause(now, 29_000);
		now += 10_000;
		breaker.succeed(START - 1);
		breaker.pause(probe(), 5000);
		expect(breaker.isGivenUp).toBe(false);
	});

	test('gets no request anymore, whatever comes', () => {
		breaker.giveUp();
		breaker.start();
		breaker.succeed(++now);
		breaker.pause(++now, 1000);
		fail(8);
		expect(breaker).toMatchObject({ isGivenUp: true, nextStart: Infinity, openings: 0, paused: 0 });
	});
});
