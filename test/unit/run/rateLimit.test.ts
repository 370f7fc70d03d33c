import { RateLimit } from '../../../nodes/AquacultureSite/run/rateLimit';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { range } from './farm';

const OTHER_STATUS = '503';

/** A limit, of which a test says what was accepted and refused. */
function limitOf() {
	const clock = new FakeClock();
	const limit = RateLimit.of('user', () => clock.now());
	const count = (times: number, cause?: string) => {
		for (let request = 0; request < times; request++) limit.count(cause, clock.now());
	};
	return {
		clock,
		limit,
		accept: (times: number) => {
			count(times);
			limit.heardAt = clock.now();
		},
		refuse: (times: number, cause = '429') => count(times, cause),
	};
}

/** Twenty a second were accepted for two seconds: too many, as the first request after that shows. */
function limited() {
	const all = limitOf();
	all.accept(41);
	all.refuse(2);
	all.clock.skip(2000);
	all.limit.prove('429', 0, true);
	all.refuse(1);
	all.limit.prove('429', all.clock.now(), false);
	return all;
}

/** Milliseconds from one start to the next. */
const interval = (limit: RateLimit) => -limit.reserve() + limit.reserve();

test('there is none until it is proven', () => {
	const { limit, accept, refuse } = limitOf();
	accept(20);
	refuse(1);
	expect(limit.rate).toBe(Infinity);
	expect(range(100).map(() => limit.reserve())).toEqual(range(100).map(() => 0));
});

test('is what was accepted until a refused site was accepted, less what was refused, and starts keep to it', () => {
	const { clock, limit } = limited();
	expect(limit.rate).toBe(10);
	const now = limit.reserve();
	expect([1, 2, 3].map(() => Math.round(limit.reserve() - now))).toEqual([100, 200, 300]);
	// What was not needed is not made up for
	clock.skip(3000);
	expect(limit.reserve()).toBe(clock.now());
});

test('is flat at first, then grows ever more steeply', () => {
	const { clock, limit } = limited();
	for (const milliseconds of [100, 100 / (1 + 1 / 27), 50]) {
		expect(interval(limit)).toBeCloseTo(milliseconds);
		clock.skip(milliseconds < 99 ? 10_000 : 5000);
	}
});

test.each([
	[99, 1, 0.99],
	[30, 10, 0.75],
	[11, 30, 0.5],
])(
	'%i accepted and %i refused: the share that was refused is cut, half at most',
	(accepted, refused, share) => {
		const { clock, limit, accept, refuse } = limited();
		clock.skip(15_000);
		accept(accepted);
		refuse(refused);
		const sentAt = clock.now();
		// The growth until the proof does not count
		clock.skip(5000);
		limit.prove('429', sentAt, false);
		expect(limit.rate).toBeCloseTo(20 * share);
		// What was sent before has told already
		limit.prove('429', sentAt, false);
		expect(limit.rate).toBeCloseTo(20 * share);
	},
);

test('doubles each second until one is refused, and begins at one or more', () => {
	const { clock, limit, refuse, accept } = limitOf();
	refuse(2);
	clock.skip(5000);
	accept(1);
	limit.prove('429', 0, true);
	expect(limit.rate).toBe(1);
	clock.skip(3000);
	expect(interval(limit)).toBeCloseTo(1000 / 8);
	refuse(1);
	clock.skip(3000);
	expect(interval(limit)).toBeGreaterThan(1000 / 9);
});

test('another status is that of a limit once it is proven', () => {
	const { clock, limit, refuse } = limitOf();
	refuse(2, OTHER_STATUS);
	clock.skip(1000);
	limit.prove('500', 0, true);
	expect([limit.isLimit('500'), limit.isLimit(OTHER_STATUS), limit.rate]).toEqual([
		false,
		false,
		Infinity,
	]);
	limit.prove(OTHER_STATUS, 0, true);
	expect([limit.isLimit(OTHER_STATUS), limit.rate]).toEqual([true, 1]);
});

test('grows later if nothing was accepted for long', () => {
	const { clock, limit, accept, refuse } = limited();
	accept(1);
	refuse(1);
	clock.skip(30_000);
	limit.prove('429', 2000, false);
	const rate = limit.rate;
	clock.skip(30_000);
	expect(interval(limit)).toBeCloseTo(1000 / (rate * (1 + 1 / 8)));
});

test('is that of all runs of a user that overlap, and outlives none of them', () => {
	const now = () => 0;
	const one = RateLimit.of('user', now);
	one.enter();
	expect(RateLimit.of('another user', now)).not.toBe(one);
	const other = RateLimit.of('user', now);
	expect(other).toBe(one);
	other.enter();
	one.leave();
	expect(RateLimit.of('user', now)).toBe(one);
	other.leave();
	expect(RateLimit.of('user', now)).not.toBe(one);
});
