import type { IPollFunctions } from 'n8n-workflow';

/**
 * Why n8n polls. `test`: a person fetches a test event. `activation`: a person publishes the workflow and sees what is
 * thrown; n8n repeats the poll a few times, and the workflow stays off. `startup`: n8n starts; a throw would leave the
 * workflow off, unseen. `schedule`: a throw is a failed execution, which starts the error workflow.
 */
export type PollReason = 'test' | 'activation' | 'startup' | 'schedule';

/** n8n hands all polls of an activation the same context. */
const activated = new WeakSet();

/** Why n8n polls; to be called once in each poll. */
export function pollReasonOf(
	context: Pick<IPollFunctions, 'getMode' | 'getActivationMode'>,
): PollReason {
	if (context.getMode() === 'manual') return 'test';
	if (activated.has(context)) return 'schedule';
	activated.add(context);
	const isStartup = ['init', 'leadershipChange'].includes(context.getActivationMode());
	return isStartup ? 'startup' : 'activation';
}

// n8n repeats a failed activation four times, after 1, 2, 4 and 8 seconds
const RETRIED_FOR_MS = 20_000;

/** By the static data, which is one object for all tries of an activation. */
const refusals = new WeakMap<object, { at: number; error: unknown }>();

/**
 * Polls for an activation. The first failure stands, and nothing is requested again, while n8n repeats it: n8n gives up
 * after 84 seconds, and then shows its own message in place of the reason.
 *
 * @throws what the poll throws
 */
export async function activate<T>(staticData: object, poll: () => Promise<T>): Promise<T> {
	const refusal = refusals.get(staticData);
	if (refusal && Date.now() - refusal.at <= RETRIED_FOR_MS) throw refusal.error;
	return await poll().catch((error: unknown) => {
		refusals.set(staticData, { at: Date.now(), error });
		throw error;
	});
}

/** The triggers of which a poll runs, by their static data: one object from the activation to the end. */
const running = new WeakSet();

/**
 * One poll of a trigger at a time: n8n may start another one before the first has ended, which it does by itself.
 *
 * @returns what the poll returns; nothing while another one reads the same sites
 */
export async function oneAtATime<T>(staticData: object, poll: () => Promise<T[]>): Promise<T[]> {
	if (running.has(staticData)) return [];
	running.add(staticData);
	try {
		return await poll();
	} finally {
		running.delete(staticData);
	}
}
