import type { IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import {
	type FailureSubject,
	ServiceFailure,
} from '../../../nodes/AquacultureSite/service/failures';
import {
	claim,
	occasionOf,
	refusalOf,
	release,
	rememberRefusal,
} from '../../../nodes/AquacultureSite/trigger/activation';
import { stopClock } from '../../helpers/stop-clock';

afterEach(() => jest.restoreAllMocks());

test.each<[WorkflowActivateMode, budget: number | undefined, occasions: string[]]>([
	['activate', undefined, ['activation', 'schedule', 'schedule']],
	['update', 300_000, ['activation', 'schedule', 'schedule']],
	['init', undefined, ['startup', 'schedule', 'schedule']],
	['leadershipChange', 300_000, ['startup', 'schedule', 'schedule']],
	// n8n's durable scheduler, which makes a context for each poll
	['activate', 45_000, ['schedule', 'schedule', 'schedule']],
])('why n8n polls: %s, with %p ms', (mode, budget, occasions) => {
	const getPollBudgetMs = budget === undefined ? undefined : () => budget;
	const context = { getActivationMode: () => mode, getPollBudgetMs } as unknown as IPollFunctions;
	expect(occasions.map(() => occasionOf(context))).toEqual(occasions);
});

test('one poll of a trigger reads at a time; one that hangs holds up the others for a minute', () => {
	const clock = stopClock();
	const [kept, other] = [{}, {}];
	expect([claim(kept), claim(other), claim(kept)]).toEqual([true, true, false]);
	release(kept);
	expect(claim(kept)).toBe(true);
	clock.advance(59_999);
	expect(claim(kept)).toBe(false);
	clock.advance(1);
	expect(claim(kept)).toBe(true);
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
	(subject, httpStatus, milliseconds, isKnown) => {
		const clock = stopClock();
		const [kept, startedAt] = [{}, Date.now()];
		const failure = new ServiceFailure('Failed', 'Wait', { subject, httpStatus, retry: 'no' });
		clock.advance(milliseconds);
		rememberRefusal(kept, failure, startedAt);
		// n8n waits for twice as long each time
		for (const wait of [0, 10_000, 10_000]) {
			clock.advance(wait);
			expect(refusalOf(kept)).toBe(isKnown ? failure : undefined);
		}
		clock.advance(10_001);
		expect(refusalOf(kept)).toBeUndefined();
	},
);
