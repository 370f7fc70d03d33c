import { Rate } from '../../../nodes/AquacultureSite/service/rate';

/** Milliseconds that are one second together with those that requests may come closer than they were started. */
const SECOND = 975;

/** A rate of 20 per second, measured by 20 requests. */
function measured(account?: string): Rate {
	const rate = new Rate(account);
	rate.start(0);
	for (let request = 0; request < 20; request++) rate.accept(0);
	rate.refuse(0, SECOND);
	return rate;
}

test('any number, until the service refuses one; then what it accepted until it does so again', () => {
	const rate = new Rate();
	expect(rate.start(0)).toBe(0);
	rate.refuse(0, 1000);
	// It has accepted nothing: nothing is known
	expect(rate.slowedTo).toBe(Infinity);
	expect(measured().start(1000)).toBe(50);
});

test('what was sent before the refusal counts as well, even if it comes after it', () => {
	const rate = new Rate();
	for (let request = 0; request < 8; request++) rate.accept(0);
	rate.refuse(10, SECOND);
	for (let request = 0; request < 12; request++) rate.accept(20, true);
	expect(rate.slowedTo).toBe(20);
	// It is no rough measure, so it does not double each second
	expect(1000 / rate.start(4000)).toBe(20);
	rate.refuse(4000, 4000 + SECOND);
	expect(rate.slowedTo).toBe(4);
});

test('where all of it comes after the refusal, it is known with the next one', () => {
	const rate = new Rate();
	rate.refuse(0, 500);
	for (let request = 0; request < 20; request++) rate.accept(100, true);
	expect(rate.slowedTo).toBe(Infinity);
	rate.refuse(600, 100 + SECOND);
	expect(rate.slowedTo).toBe(20);
});

test('while nothing is accepted, the measure goes on', () => {
	const rate = measured();
	rate.refuse(1000, 1000 + SECOND);
	expect(rate.slowedTo).toBe(10);
	rate.refuse(2000, 100_000);
	expect(rate.slowedTo).toBe(1);
});

test('a rate that is refused is cut a little, toward what was accepted in all', () => {
	const rate = measured();
	for (let request = 0; request < 20; request++) rate.accept(1500);
	rate.refuse(4000, 5000);
	expect(rate.slowedTo).toBeCloseTo(Math.sqrt(19 * (40 / 4)));
});

test('after a long wait, what would have been accepted meanwhile may start at once', () => {
	const intervals = (silence: number) => {
		const rate = measured();
		rate.refuse(1000, 1000 * (silence - 1) + SECOND);
		rate.accept(1000 * silence);
		return Array.from({ length: 21 }, () => rate.start(1000 * silence));
	};
	expect(intervals(10)).toEqual([...Array<number>(19).fill(0), 500, 500]);
	expect(intervals(2).slice(18)).toEqual([0, 100, 100]);
	expect(intervals(1.9)[0]).toBeCloseTo(95);
});

test('after a long wait, not more may start at once than before it', () => {
	const rate = measured();
	for (let request = 0; request < 20; request++) rate.accept(9000);
	rate.refuse(9000, 12_000);
	expect(3 * rate.slowedTo).toBeGreaterThan(21);
	rate.accept(12_000);
	for (let request = 0; request < 19; request++) expect(rate.start(12_000)).toBe(0);
	expect(rate.start(12_000)).toBeGreaterThan(0);
});

test('nothing more starts at once when the service refuses', () => {
	const rate = measured();
	rate.refuse(1000, 10_000);
	rate.accept(10_000);
	expect(rate.start(10_000)).toBe(0);
	rate.refuse(10_000, 11_000);
	expect(rate.start(11_000)).toBeGreaterThan(0);
});

test('it stays for five seconds, then grows ever faster', () => {
	const rate = measured();
	const at = (now: number) => 1000 / rate.start(now);
	expect([5, 7, 15].map((seconds) => at(SECOND + 1000 * seconds))).toEqual([20, 20.04, 25]);
});

test('a measure of few doubles each second until it is refused, then it is halved once', () => {
	const rate = new Rate();
	rate.accept(0);
	rate.refuse(0, SECOND);
	const later = SECOND + 3000;
	expect(1000 / rate.start(later)).toBeCloseTo(8);
	rate.accept(later);
	rate.refuse(later, 5000);
	expect(rate.slowedTo).toBeCloseTo(4);
	expect(1000 / rate.start(6000)).toBeCloseTo(4);
	// Refused once more, it is the slowest rate, and no first measure
	rate.refuse(6000, 7000);
	expect(rate.start(9000)).toBe(1000);
});

test.each([
	[9, 18],
	[10, 10],
])('a first measure of %i per second becomes %i after another second', (count, next) => {
	const rate = new Rate();
	for (let request = 0; request < count; request++) rate.accept(0);
	rate.refuse(0, SECOND);
	expect(1000 / rate.start(SECOND + 1000)).toBeCloseTo(next);
});

describe('the next run', () => {
	let forget: Array<() => void> = [];
	let timeout: jest.SpyInstance;
	beforeEach(() => {
		forget = [];
		timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
			const over = new AbortController();
			forget.push(() => over.abort());
			return over.signal;
		});
	});
	afterEach(() => jest.restoreAllMocks());

	test('of the same account starts at the rate, until it is forgotten', () => {
		measured('a');
		expect(new Rate('a').slowedTo).toBe(20);
		expect(new Rate('b').slowedTo).toBe(Infinity);
		measured('a');
		// Only the latest measure counts
		forget[0]?.();
		expect(new Rate('a').slowedTo).toBe(19);
		forget[1]?.();
		expect(new Rate('a').slowedTo).toBe(Infinity);
		expect(timeout).toHaveBeenCalledWith(600_000);
	});

	test('goes on with a measure of few, until ten were accepted in all', () => {
		const rate = new Rate('few');
		for (let request = 0; request < 5; request++) rate.accept(0);
		rate.refuse(0, SECOND);
		const nextRun = () => {
			const next = new Rate('few');
			return [0, 1000].map((now) => 1000 / next.start(now));
		};
		expect(nextRun()).toEqual([5, 10]);
		for (let request = 5; request < 10; request++) rate.accept(2000);
		expect(nextRun()).toEqual([5, 5]);
	});

	test('knows nothing where a hundred others were limited since', () => {
		measured('first');
		for (let other = 0; other < 100; other++) measured(`other ${other}`);
		expect(new Rate('first').slowedTo).toBe(Infinity);
		expect(new Rate('other 0').slowedTo).toBe(20);
	});
});
