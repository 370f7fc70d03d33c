import type { State } from './state';

const MAX_TRIGGERS = 100;

/**
 * The state after the latest poll of a trigger. n8n's durable scheduler loads what is kept anew for each poll, and
 * saves it only when items come out: what silent polls have found out, such as whose turn it is, is here alone.
 */
const latest = new Map<string, State>();

/** The newer one of the state that n8n has kept and the one of the latest poll. */
export function recall(trigger: string, kept: State): State {
	const state = latest.get(trigger);
	return state?.source === kept.source && state.polledAt > kept.polledAt ? state : kept;
}

/** @param trigger what it is known by, in this process of n8n */
export function remember(trigger: string, state: State): void {
	latest.delete(trigger);
	latest.set(trigger, state);
	const [oldest] = latest.keys();
	if (latest.size > MAX_TRIGGERS && oldest !== undefined) latest.delete(oldest);
}
