import { RateLimit } from '../../../nodes/AquacultureSite/run/rateLimit';

let now: number;
let limit: RateLimit;

beforeEach(() => {
	now = 1000;
	limit = new RateLimit(() => now);
});

const FIRST = { isRetry: false, isProbe: false };

/** This many are accepted, one each 10 ms. */
function accept(count: number, kind = FIRST): void {
	for (let request = 0; request < count; request++) {
		limit.accept(now, kind);
		now += 10;
	}
}

function refuse(count: number, { isRetry = false, isStale = false } = {}): void {
	for (let request = 0; request < count; request++)
		limit.refuse({ isRetry, isStale, isSure: true });
}

/** The pause is over, and the first request after it is accepted at once. */
function probe(): void {
	limit.accept(now, { isRetry: true, isProbe: true });
}

/** The rate is ten a second: 20 in the two seconds after the first that was accepted, up to the end of the pause. */
function limitToTen(): void {
	const start = now;
	accept(21);
	refuse(2);
	now = start + 2000;
	probe();
}

/** Milliseconds until the next request may start, if one starts now. */
function interval(): number {
	limit.start();
	const start = limit.nextStart;
	limit.start();
	return limit.nextStart - start;
}

test('refusals that may be about their sites set no rate when another one pauses the run', () => {
	accept(20);
	for (let request = 0; request < 5; request++) {
		limit.refuse({ isRetry: false, isStale: false, isSure: false });
	}
	refuse(1);
	now += 1000;
	probe();
	expect(limit.rate).toBe(Infinity);
});

describe('a service that does not limit the rate', () => {
	test('gets any number of requests', () => {
		for (let request = 0; request < 100; request++) limit.start();
		accept(100);
		expect(limit).toMatchObject({ nextStart: -Infinity, rate: Infinity, isLimiting: false });
	});

	test('and refuses one request is not limited: it may be a stray one', () => {
		accept(20);
		refuse(1);
		probe();
		expect(limit.rate).toBe(Infinity);
	});
});

describe('measured at the first refusals', () => {
	test('is what was accepted after the first, by the time from then to the end of the pause', () => {
		now += 5000;
		limitToTen();
		expect(limit).toMatchObject({ rate: 10, isLimiting: true, nextStart: now + 100 });
	});

	test('is not what a service accepts that was refused nothing after a pause', () => {
		accept(20);
		probe();
		expect(limit.rate).toBe(Infinity);
	});

	test('waits for the first request that is accepted after the pause', () => {
		accept(20);
		refuse(2);
		accept(1);
		expect(limit.rate).toBe(Infinity);
	});

	test('is one a second at least, if few or none were accepted', () => {
		refuse(2);
		now += 4000;
		probe();
		expect(limit.rate).toBe(1);
	});

	test('does not count the time in which the response came back', () => {
		const start = now;
		accept(21);
		refuse(2);
		now = start + 3000;
		limit.accept(start + 2000, { isRetry: true, isProbe: true });
		expect(limit).toMatchObject({ rate: 10, nextStart: now + 100 });
	});
});

describe('requests within the rate', () => {
	beforeEach(limitToTen);

	test('start evenly', () => {
		const first = limit.nextStart;
		limit.start();
		limit.start();
		expect(limit.nextStart).toBeCloseTo(first + 200);
	});

	test('that were not needed are not made up for', () => {
		now += 3000;
		limit.start();
		expect(limit.nextStart).toBe(now);
	});
});

describe('with time', () => {
	test('is flat at first, has doubled after 15 seconds, and then grows ever more steeply', () => {
		limitToTen();
		const start = now;
		const intervals = [0, 5, 15, 30].map((seconds) => {
			now = start + 1000 * seconds;
			return interval();
		});
		expect(intervals[0]).toBeCloseTo(100);
		expect(intervals[1]).toBeCloseTo(100 / (1 + 1 / 27));
		expect(intervals[2]).toBeCloseTo(50);
		expect(intervals[3]).toBeCloseTo(100 / 9);
	});

	test.each([
		[9, 50],
		[10, 100 / (1 + 1 / 3375)],
	])('doubles each second, if it was measured by few: %i, so then %f ms', (count, milliseconds) => {
		const start = now;
		accept(count);
		refuse(2);
		now = start + 900;
		probe();
		expect(limit.rate).toBe(10);
		now += 1000;
		expect(interval()).toBeCloseTo(milliseconds);
	});

	test('ends when one each millisecond may start', () => {
		limitToTen();
		now += 69_200;
		limit.start();
		expect(limit.rate).toBe(10);
		now += 200;
		limit.start();
		expect(limit).toMatchObject({ rate: Infinity, isLimiting: false });
		expect(limit.nextStart).toBeLessThanOrEqual(now);
	});
});

describe('refused again', () => {
	beforeEach(limitToTen);

	test('stays where it has grown to', () => {
		now += 15_000;
		refuse(1);
		expect(limit.rate).toBe(20);
		expect(interval()).toBeCloseTo(50);
		now += 15_000;
		expect(interval()).toBeCloseTo(25);
	});

	test('does not, if an earlier refusal has said it already', () => {
		now += 15_000;
		refuse(1, { isStale: true });
		expect(limit.rate).toBe(10);
	});

	test('no longer doubles each second', () => {
		limit = new RateLimit(() => now);
		now += 1000;
		refuse(2);
		probe();
		expect(limit.rate).toBe(1);
		now += 2000;
		refuse(1);
		expect(limit.rate).toBe(4);
		now += 15_000;
		refuse(1);
		expect(limit.rate).toBe(8);
	});

	test.each([
		[1, 30, 9],
		[10, 29, 7.5],
		[30, 9, 5],
	])(
		'shrinks by the share that was refused, a tenth at least and half at most: %i',
		(refused, accepted, rate) => {
			accept(accepted);
			refuse(refused);
			const { rate: before } = limit;
			probe();
			expect(limit.rate / before).toBeCloseTo(rate / 10);
		},
	);

	test('shrinks by what was refused since the last pause alone', () => {
		refuse(1);
		probe();
		const { rate } = limit;
		accept(9);
		refuse(30);
		accept(20);
		probe();
		expect(limit.rate / rate).toBeCloseTo(0.5);
		accept(29);
		refuse(10);
		probe();
		expect(limit.rate / rate).toBeCloseTo(0.5 * 0.75);
	});
});

describe('a refusal that may be about its site alone', () => {
	test('is about the load once ten more were refused than accepted', () => {
		refuse(9);
		expect(limit.isLimiting).toBe(false);
		refuse(1);
		expect(limit.isLimiting).toBe(true);
		accept(1);
		expect(limit.isLimiting).toBe(false);
	});

	test('is not, however much was accepted before', () => {
		accept(100);
		refuse(10);
		expect(limit.isLimiting).toBe(true);
	});

	test('is not counted if it is a retry, and no more is a retry that is accepted', () => {
		refuse(9);
		refuse(9, { isRetry: true });
		expect(limit.isLimiting).toBe(false);
		accept(9, { isRetry: true, isProbe: false });
		refuse(1);
		expect(limit.isLimiting).toBe(true);
	});

	test('is counted anew after a rate was measured', () => {
		limitToTen();
		refuse(9);
		now += 1000;
		probe();
		now += 60_000;
		limit.start();
		refuse(9);
		now += 60_000;
		limit.start();
		expect(limit.isLimiting).toBe(false);
	});
});
