import type { WorkflowActivateMode } from 'n8n-workflow';
import {
	type FailureSubject,
	ServiceFailure,
} from '../../../nodes/AquacultureSite/service/failures';
import { activate, pollReasonOf } from '../../../nodes/AquacultureSite/trigger/activation';
import { stopClock } from '../../tools/helpers/stop-clock';

afterEach(() => jest.restoreAllMocks());

test.each<[WorkflowActivateMode, first: string]>([
	['activate', 'activation'],
	['update', 'activation'],
	['init', 'startup'],
	['leadershipChange', 'startup'],
])('why n8n polls: %s, for %s; then by the schedule', (mode, first) => {
	const context = { getActivationMode: () => mode };
	expect([1, 2, 3].map(() => pollReasonOf(context))).toEqual([first, 'schedule', 'schedule']);
});

test.each<[FailureSubject, httpStatus: number | undefined, milliseconds: number, isKnown: boolean]>(
	[
		['site', 400, 0, true],
		['service', 428, 0, true],
		['site', 399, 0, false],
		['service', 429, 0, false],
		['service', 500, 0, false],
		['service', undefined, 0, false],
		['credential', 403, 0, false],
		['service', 500, 5000, false],
		['service', 500, 5001, true],
		['credential', 403, 5001, true],
	],
)(
	'a failed activation, about the %s, with status %p after %i ms: whether the next try knows it: %p',
	async (subject, httpStatus, milliseconds, isKnown) => {
		const clock = stopClock();
		const staticData = {};
		const failure = new ServiceFailure('Failed', 'Wait', { subject, httpStatus, retry: 'no' });
		let polls = 0;
		const isPolled = async (tookMs: number) => {
			const before = polls;
			const poll = async () => {
				polls++;
				clock.advance(tookMs);
				return await Promise.reject(failure);
			};
			await expect(activate(staticData, poll)).rejects.toBe(failure);
			return polls > before;
		};
		expect(await isPolled(milliseconds)).toBe(true);
		// n8n waits for twice as long each time
		for (const wait of [0, 10_000, 10_000]) {
			clock.advance(wait);
			expect(await isPolled(0)).toBe(!isKnown);
		}
		clock.advance(10_001);
		expect(await isPolled(0)).toBe(true);
	},
);

test('an activation that was refused for its parameters is refused again; one that works is not', async () => {
	const [staticData, refusal] = [{}, new Error('Not a field')];
	const poll = jest.fn().mockRejectedValue(refusal);
	for (let tries = 0; tries < 3; tries++) {
		await expect(activate(staticData, poll)).rejects.toBe(refusal);
	}
	expect(poll).toHaveBeenCalledTimes(1);
	expect(await activate({}, () => Promise.resolve('polled'))).toBe('polled');
});
