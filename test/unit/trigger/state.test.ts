import { Claim, readState } from '../../../nodes/AquacultureSite/trigger/state';
import { defined } from '../../tools/helpers/at';
import { stopClock } from '../../tools/helpers/stop-clock';

afterEach(() => jest.restoreAllMocks());

test('what n8n has stored counts for the same source alone', () => {
	const stored = { ...readState({}, 'A'), readOrder: ['1042'], failedPolls: { 1057: 2 } };
	expect(readState(stored, 'A')).toEqual(stored);
	expect(readState(stored, 'B')).toEqual(readState({}, 'B'));
	expect(readState({}, 'A')).toMatchObject({ readFrom: 'A', readOrder: [], snapshots: {} });
});

describe('a claim', () => {
	test('is held by one poll of a trigger at a time, for a minute if that hangs', () => {
		const clock = stopClock();
		const [staticData, other] = [{}, {}];
		const first = defined(Claim.take(staticData));
		expect(Claim.take(other)?.isValid).toBe(true);
		expect(Claim.take(staticData)).toBeUndefined();
		first.release();
		expect(Claim.take(staticData)?.isValid).toBe(true);
		clock.advance(59_999);
		expect(Claim.take(staticData)).toBeUndefined();
		clock.advance(1);
		expect(Claim.take(staticData)?.isValid).toBe(true);
	});

	test('is not released by a poll that hung and lost it', () => {
		const clock = stopClock();
		const staticData = {};
		const hung = defined(Claim.take(staticData));
		clock.advance(60_000);
		const later = defined(Claim.take(staticData));
		hung.release();
		expect([hung.isValid, later.isValid]).toEqual([false, true]);
		expect(Claim.take(staticData)).toBeUndefined();
		later.release();
		expect([hung.isValid, Claim.take(staticData)?.isValid]).toEqual([false, true]);
	});
});
