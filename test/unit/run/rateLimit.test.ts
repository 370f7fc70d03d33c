import { RateLimit } from '../../../nodes/AquacultureSite/run/rateLimit';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { range } from './farm';

const OTHER_STATUS = '503';

/** A limit, of which a test says what was accepted. */
function limitOf() {
	const clock = new FakeClock();
	const limit = RateLimit.enter(crypto.randomUUID(), () => clock.now());
	const accept = (times: number) => range(times).forEach(() => limit.accept(clock.now()));
	return { clock, limit, accept };
}

/** Twenty a second were accepted for two seconds: too many, as the first request after that shows. */
function limited() {
	const all = limitOf();
	all.accept(41);
	all.clock.skip(2000);
	all.limit.prove({ cause: '429', sentAt: 0 }, true);
	all.limit.refuse({ cause: '429', sentAt: all.clock.now() }, true);
	return all;
}

/** Milliseconds from one start to the next. */
const interval = (limit: RateLimit) => -limit.reserve() + limit.reserve();

test('is what was accepted until a refused site was accepted, and starts keep to it', () => {
	const { clock, limit } = limited();
	expect(limit.rate).toBe(20);
	const now = limit.reserve();
	expect([1, 2, 3].map(() => Math.round(limit.reserve() - now))).toEqual([50, 100, 150]);
	// What was not needed is not made up for
	clock.skip(3000);
	expect(limit.reserve()).toBe(clock.now());
});

test('is flat at first, then grows ever more steeply', () => {
	const { clock, limit } = limited();
	for (const milliseconds of [50, 50 / 2 ** (1 / 8), 25]) {
		expect(interval(limit)).toBeCloseTo(milliseconds);
		clock.skip(10_000);
		// By itself, a refusal changes nothing anymore
		limit.refuse({ cause: '429', sentAt: clock.now() }, false);
	}
});

test.each([
	[2000, 40],
	[600, 30],
	[10, 20],
])('%i accepted in 20 s, 40 a second by then: %i a second, half at least', (accepted, rate) => {
	const { clock, limit, accept } = limited();
	accept(accepted);
	clock.skip(20_000);
	const sentAt = clock.now();
	clock.skip(0.001);
	limit.prove({ cause: '429', sentAt }, false);
	expect(limit.rate).toBeCloseTo(rate);
	// What was sent before has told already
	limit.prove({ cause: '429', sentAt }, true);
	limit.accept(sentAt);
	expect(limit.rate).toBeCloseTo(rate);
});

test('begins at one a second or more, and doubles each second until one is refused', () => {
	const { clock, limit, accept } = limitOf();
	clock.skip(5000);
	accept(1);
	limit.prove({ cause: '429', sentAt: 0 }, true);
	expect(limit.rate).toBe(1);
	clock.skip(3000);
	expect(interval(limit)).toBeCloseTo(1000 / 8);
	limit.refuse({ cause: OTHER_STATUS, sentAt: clock.now() }, true);
	clock.skip(1000);
	expect(interval(limit)).toBeCloseTo(1000 / 16);
	limit.refuse({ cause: '429', sentAt: clock.now() }, true);
	clock.skip(1000);
	expect(interval(limit)).toBeGreaterThan(1000 / 17);
});

test('without a control or a 429, it goes on to double, and then to grow', () => {
	const { clock, limit } = limitOf();
	const refusal = () => ({ cause: OTHER_STATUS, sentAt: clock.now() });
	limit.prove(refusal(), true);
	clock.skip(3000);
	limit.refuse(refusal(), false);
	limit.prove(refusal(), false);
	expect(interval(limit)).toBeCloseTo(1000 / 8);
	limit.refuse(refusal(), true);
	clock.skip(17_000);
	limit.prove(refusal(), false);
	expect(interval(limit)).toBeCloseTo(1000 / 16);
	limit.prove(refusal(), true);
	expect(interval(limit)).toBeCloseTo(1000 / 8);
});

test('another status is that of a limit once it is proven', () => {
	const { limit } = limitOf();
	limit.prove({ cause: '500', sentAt: 0 }, true);
	expect(limit.isLimit('500') || limit.isLimit(OTHER_STATUS)).toBe(false);
	expect(limit.rate).toBe(Infinity);
	limit.prove({ cause: OTHER_STATUS, sentAt: 0 }, true);
	expect([limit.isLimit(OTHER_STATUS), limit.rate]).toEqual([true, 1]);
});

test('is that of all runs of a user that overlap, and outlives none of them', () => {
	const enter = (user: string) => RateLimit.enter(user, () => 0);
	const one = enter('two runs');
	expect(enter('another one')).not.toBe(one);
	expect(enter('two runs')).toBe(one);
	one.leave();
	expect(enter('two runs')).toBe(one);
	one.leave();
	one.leave();
	expect(enter('two runs')).not.toBe(one);
});
