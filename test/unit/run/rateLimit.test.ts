import { RateLimit } from '../../../nodes/AquacultureSite/run/rateLimit';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { range } from './farm';

/** Ten a second were accepted for two seconds, then two were refused, and the pause is over. */
function limited() {
	const clock = new FakeClock();
	const limit = new RateLimit(() => clock.now());
	const accept = (count: number) => {
		for (let request = 0; request < count; request++) limit.accept();
	};
	const refuse = (count: number) => {
		for (let request = 0; request < count; request++) limit.refuse();
	};
	const resume = (status = '429') => {
		clock.skip(100);
		limit.resume(status, clock.now(), clock.now());
	};
	accept(21);
	refuse(2);
	clock.skip(1900);
	resume();
	return { clock, limit, accept, refuse, resume };
}

/** Milliseconds from one start to the next. */
const interval = (limit: RateLimit) => -limit.reserve() + limit.reserve();

test('there is none until requests are refused, and one refusal may be a stray one', () => {
	const limit = new RateLimit(() => 0);
	limit.accept();
	limit.refuse();
	limit.resume('429', 0, 0);
	expect(limit.rate).toBe(Infinity);
	expect(range(100).map(() => limit.reserve())).toEqual(range(100).map(() => 0));
});

test('is what was accepted until requests were accepted again, and starts keep to it', () => {
	const { clock, limit } = limited();
	expect(limit.rate).toBe(10);
	const now = clock.now();
	expect([1, 2, 3].map(() => limit.reserve() - now)).toEqual([100, 200, 300]);
	// What was not needed is not made up for
	clock.skip(3000);
	expect(limit.reserve()).toBe(clock.now());
});

test('is flat at first, then grows ever more steeply, until one each millisecond may start', () => {
	const { clock, limit } = limited();
	for (const milliseconds of [100, 100 / (1 + 1 / 27), 50]) {
		expect(interval(limit)).toBeCloseTo(milliseconds);
		clock.skip(milliseconds < 99 ? 10_000 : 5000);
	}
	clock.skip(60_000);
	limit.reserve();
	expect(limit.rate).toBe(Infinity);
});

test('a refusal ends its growth; the share that was refused is cut, a tenth at least and half at most', () => {
	for (const [accepted, refused, share] of [
		[99, 1, 0.9],
		[30, 10, 0.75],
		[9, 30, 0.5],
	] as const) {
		const { clock, limit, accept, refuse, resume } = limited();
		clock.skip(15_000);
		accept(accepted - 1);
		refuse(refused);
		expect(limit.rate).toBeCloseTo(20);
		resume();
		expect(limit.rate).toBeCloseTo(20 * share);
	}
});

test('that few requests have measured doubles each second', () => {
	const clock = new FakeClock();
	const limit = new RateLimit(() => clock.now());
	limit.refuse();
	limit.refuse();
	clock.skip(5000);
	limit.resume('503', clock.now(), 0);
	expect(limit.rate).toBe(1);
	clock.skip(3000);
	expect(interval(limit)).toBeCloseTo(1000 / 8);
});

test('a status is no longer its own when sites were refused with it several times in a row although others were accepted', () => {
	const { limit, resume } = limited();
	const doubtsUntilForgotten = () => {
		let doubts = 0;
		for (; limit.statuses.has('503'); doubts++) limit.doubt('503');
		return doubts;
	};
	resume('503');
	const most = doubtsUntilForgotten();
	expect(most).toBeGreaterThan(1);
	resume('503');
	limit.doubt('503');
	resume('503');
	expect(doubtsUntilForgotten()).toBe(most);
	expect(limit.statuses.has('429')).toBe(true);
});

test('is that of all runs of a user that overlap, and outlives none of them', () => {
	const now = () => 0;
	const one = RateLimit.of('user', now);
	one.enter('user');
	expect(RateLimit.of('another user', now)).not.toBe(one);
	const other = RateLimit.of('user', now);
	expect(other).toBe(one);
	other.enter('user');
	one.leave('user');
	expect(RateLimit.of('user', now)).toBe(one);
	other.leave('user');
	expect(RateLimit.of('user', now)).not.toBe(one);
});
