import type { IPollFunctions } from 'n8n-workflow';

import { ServiceFailure } from '../service/failures';

/**
 * Why n8n polls. `activation`: a person publishes the workflow and sees what is thrown; n8n repeats the poll a few
 * times, and the workflow stays off. `startup`: n8n starts; a throw would leave the workflow off, unseen.
 * `schedule`: a throw is a failed execution, which starts the error workflow.
 */
export type PollReason = 'activation' | 'startup' | 'schedule';

/** n8n hands all polls of an activation the same context. */
const activated = new WeakSet();

/** Why n8n polls; to be called once in each poll. */
export function pollReasonOf(context: Pick<IPollFunctions, 'getActivationMode'>): PollReason {
	if (activated.has(context)) return 'schedule';
	activated.add(context);
	return ['init', 'leadershipChange'].includes(context.getActivationMode())
		? 'startup'
		: 'activation';
}

// n8n repeats a failed activation four times, after 1, 2, 4 and 8 seconds
const RETRIED_WITHIN_MS = 10_000;

const SHORT_TRY_MS = 5000;

/** By the static data, which is one object for all tries of an activation. */
const refusals = new WeakMap<object, { at: number; error: unknown }>();

/**
 * Polls for an activation. If it was refused a moment ago, and another try would bring the same or take too long, it
 * is refused again: n8n gives up after 84 seconds of retries, and then shows its own message in place of the reason.
 *
 * @throws what the poll throws
 */
export async function activate<T>(staticData: object, poll: () => Promise<T>): Promise<T> {
	const startedAt = Date.now();
	const last = refusals.get(staticData);
	if (last && startedAt - last.at <= RETRIED_WITHIN_MS) {
		last.at = startedAt;
		throw last.error;
	}
	return await poll().catch((error: unknown) => {
		const at = Date.now();
		if (isFinal(error) || at - startedAt > SHORT_TRY_MS) refusals.set(staticData, { at, error });
		throw error;
	});
}

/** Whether another try a few seconds later would bring the same. */
function isFinal(error: unknown): boolean {
	if (!(error instanceof ServiceFailure)) return true;
	const { httpStatus = 0, subject } = error;
	return subject !== 'credential' && httpStatus >= 400 && httpStatus < 429;
}
