import { RateLimit } from '../../../nodes/AquacultureSite/run/rateLimit';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { range } from './farm';

/** A limit, of which a test says what was accepted. */
function limitOf() {
	const clock = new FakeClock();
	const limit = RateLimit.enter(crypto.randomUUID(), () => clock.now());
	const accept = (times: number) => range(times).forEach(() => limit.accept(clock.now()));
	return { clock, limit, accept };
}

/** Milliseconds from one start to the next. */
const interval = (limit: RateLimit) => -limit.reserve() + limit.reserve();

/** Forty a second were accepted for two seconds: too many, as the first request after that shows. */
function limited() {
	const all = limitOf();
	all.accept(81);
	all.clock.skip(2000);
	all.limit.prove({ cause: '429', sentAt: 0 }, true);
	return all;
}

/** Once more too many: half of it. */
function halved() {
	const all = limited();
	all.limit.prove({ cause: '429', sentAt: all.clock.now() }, true);
	return all;
}

test('is what was accepted until a refused site was accepted, and starts keep to it', () => {
	const { clock, limit } = limited();
	expect(limit.rate).toBe(40);
	const now = limit.reserve();
	expect([1, 2, 3].map(() => Math.round(limit.reserve() - now))).toEqual([25, 50, 75]);
	// What was not needed is not made up for
	clock.skip(3000);
	expect(limit.reserve()).toBe(clock.now());
});

test('doubles each second at first, if all is accepted', () => {
	const { clock, limit, accept } = limited();
	const end = clock.now() + 2000;
	while (clock.now() < end) {
		clock.skip(limit.reserve() - clock.now());
		accept(1);
	}
	expect(interval(limit)).toBeCloseTo(1000 / 160, 0);
});

test('then it is flat at first, and grows ever more steeply, not while nothing is accepted', () => {
	const { clock, limit, accept } = halved();
	for (const perSecond of [20, 22.5, 40]) {
		expect(interval(limit)).toBeCloseTo(1000 / perSecond);
		accept(200);
		clock.skip(60_000);
	}
});

test('a pause after it has doubled does not count: only what was let through before', () => {
	const { clock, limit, accept } = limited();
	accept(60);
	clock.skip(9000);
	limit.prove({ cause: '429', sentAt: clock.now() - 8000 }, true);
	expect(limit.rate).toBeCloseTo(0.85 * 60);
});

test.each([
	[100, 1, 20.3],
	[100, 20, 10.2],
	[400, 20, 20],
	[500, 20, 29.5],
])('%i accepted in %i s, from 20 a second on: half at least, %f', (accepted, seconds, rate) => {
	const { clock, limit, accept } = halved();
	accept(accepted);
	clock.skip(1000 * seconds);
	const sentAt = clock.now();
	clock.skip(0.001);
	limit.prove({ cause: '429', sentAt }, false);
	expect(limit.rate).toBeCloseTo(rate, 1);
	// What was sent before has told already
	limit.prove({ cause: '429', sentAt }, true);
	limit.accept(sentAt);
	expect(limit.rate).toBeCloseTo(rate, 1);
});

test('a status is that of the limit once a control was refused with it; then any site tells', () => {
	const { limit } = limitOf();
	const prove = (cause: string, isControl: boolean) => limit.prove({ cause, sentAt: 0 }, isControl);
	expect([prove('500', true), prove('429', false), limit.rate]).toEqual([false, false, Infinity]);
	expect([prove('503', true), limit.rate]).toEqual([true, 1]);
	expect([prove('503', false), prove('429', false)]).toEqual([true, false]);
	expect(['503', '429', '500'].filter((cause) => limit.statuses.has(cause))).toEqual(['503']);
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
