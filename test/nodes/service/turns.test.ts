import { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import { type Turn, Turns } from '../../../nodes/AquacultureSite/service/turns';
import { FakeClock } from '../../helpers/fake-clock';

const turn = (sent = 1): Turn => ({ sent, refusals: 0, successesBefore: 0 });

const limited = new ServiceFailure('Limited', 'Wait', { subject: 'service', retry: 'rateLimited' });

function start(longestWait = 60_000) {
	const clock = new FakeClock(new AbortController().signal);
	return { clock, turns: new Turns(clock, longestWait) };
}

/** A request that ends; by default, a first one that goes first after an overload, and succeeds. */
interface Step {
	isRefused?: boolean;
	isRetry?: boolean;
	isProbe?: boolean;
}

const REFUSED_RETRY = { isRefused: true, isRetry: true };

test.each<[isNone: boolean, what: string, steps: Step[]]>([
	[true, 'a first request gets through right after a retry was refused', [REFUSED_RETRY, {}]],
	[false, 'nothing was refused', [{}, {}]],
	[false, 'it was a first request that was refused', [{ isRefused: true }, {}]],
	[false, 'it was another retry that got through', [REFUSED_RETRY, { isRetry: true }]],
	[false, 'the one that got through did not go first', [REFUSED_RETRY, { isProbe: false }]],
	[false, 'another one got through in between', [REFUSED_RETRY, { isProbe: false }, {}]],
])('whether an overload is none: %s where %s', (isNone, _, steps) => {
	const { turns } = start();
	for (const { isRefused = false, isRetry = false, isProbe = true } of steps) {
		const own = turn(isRetry ? 2 : 1);
		if (isRefused) turns.refuseProbe(own);
		else turns.succeed(own, isProbe);
	}
	expect(turns.isNoOverload).toBe(isNone);
});

test.each([
	['for half a minute', 60_000, 29_999],
	['for the longest wait', 10_000, 9999],
])('a limit that lets nothing through is tried %s, and 30 times', async (_, longest, silence) => {
	const { clock, turns } = start(longest);
	await clock.advance(silence);
	expect([30, 31].map((inARow) => turns.refuse(turn(), false, inARow))).toEqual([true, false]);
	await clock.advance(1);
	expect(turns.refuse(turn(), false, 1)).toBe(false);
});

test('the fifth refusal while others get through is the last; after three such sites it is no limit', () => {
	const { turns } = start();
	for (const isNoLimit of [false, false, true]) {
		const own = turn();
		const mayRetry = [1, 2, 3, 4, 5].map(() => turns.refuse(own, true, 1));
		expect(mayRetry).toEqual([true, true, true, true, false]);
		expect(turns.isNoLimit).toBe(isNoLimit);
	}
});

test('a limit that names no wait is tried again after 180 ms, then after a share of its silence', async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const { clock, turns } = start();
	expect(turns.wait(limited)).toBeCloseTo(198);
	await clock.advance(1000);
	expect(turns.wait(limited)).toBeCloseTo(253);
	jest.restoreAllMocks();
});
