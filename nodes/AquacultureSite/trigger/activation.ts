import type { IPollFunctions } from 'n8n-workflow';

import type { ServiceFailure } from '../service/failures';

/**
 * Why n8n polls. `activation`: a person publishes the workflow and sees what is thrown; n8n repeats the poll a few
 * times, and the workflow stays off. `startup`: n8n starts; a throw would leave the workflow off, unseen.
 * `schedule`: a throw is a failed execution, which starts the error workflow.
 */
export type Occasion = 'activation' | 'startup' | 'schedule';

// Longer than a poll, which ends itself: a poll that hangs does not stop the trigger for good
const LONGEST_CLAIM_MS = 60_000;

// n8n repeats a failed activation four times, after 1, 2, 4 and 8 seconds
const RETRIED_WITHIN_MS = 10_000;

const SHORT_TRY_MS = 5000;

interface Refusal {
	at: number;
	failure: ServiceFailure;
}

// What n8n keeps for a trigger is one object from its activation to its end, and so for the retries of an activation
const running = new WeakMap<object, number>();
const refusals = new WeakMap<object, Refusal>();

/** n8n hands all polls of an activation the same context. */
const activated = new WeakSet();

/** What n8n 2.x says where it sets no limit. */
const NO_LIMIT_MS = 300_000;

/** Milliseconds that n8n gives a poll: some with its durable scheduler, and otherwise far more than a poll takes. */
export function pollBudget(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	// Not in n8n 1.x
	return context.getPollBudgetMs?.() ?? NO_LIMIT_MS;
}

/** Whether n8n's durable scheduler polls: it makes a context for each poll, and sets a limit. */
export function isDurable(context: IPollFunctions): boolean {
	return pollBudget(context) < NO_LIMIT_MS;
}

/** Why n8n polls; to be called once in each poll. */
export function occasionOf(context: IPollFunctions): Occasion {
	const isFirst = !activated.has(context);
	activated.add(context);
	if (!isFirst || isDurable(context)) return 'schedule';
	return ['init', 'leadershipChange'].includes(context.getActivationMode())
		? 'startup'
		: 'activation';
}

/** Whether this poll may read; not while another one does. A poll that may must release it. */
export function claim(kept: object): boolean {
	const now = Date.now();
	if (now - (running.get(kept) ?? -Infinity) < LONGEST_CLAIM_MS) return false;
	running.set(kept, now);
	return true;
}

export function release(kept: object): void {
	running.delete(kept);
}

/**
 * Why the activation has failed a moment ago, where another try would bring the same or take too long: n8n gives up
 * after 84 seconds of retries, and then shows a message of its own in place of the reason.
 */
export function refusalOf(kept: object): ServiceFailure | undefined {
	const last = refusals.get(kept);
	if (!last || Date.now() - last.at > RETRIED_WITHIN_MS) return undefined;
	last.at = Date.now();
	return last.failure;
}

/** @param startedAt milliseconds since 1970 when the poll began */
export function rememberRefusal(kept: object, failure: ServiceFailure, startedAt: number): void {
	const { httpStatus = 0, subject } = failure;
	const isFinal = subject !== 'credential' && httpStatus >= 400 && httpStatus < 429;
	const now = Date.now();
	if (isFinal || now - startedAt > SHORT_TRY_MS) refusals.set(kept, { failure, at: now });
}
