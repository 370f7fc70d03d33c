import type { Limiter } from '../helpers/limiters';
import type { Fault } from './faults';

/** Refuses what is beyond a limit; with Retry-After, that states the wait in whole seconds. */
export function refusalBeyond(limiter: Limiter, hasRetryAfter: boolean, status = 429): Fault {
	let wait = 0;
	const when = () => (wait = limiter(performance.now())) > 0;
	const retryAfter = () => Math.max(1, Math.ceil(wait / 1000));
	return { status, when, ...(hasRetryAfter && { retryAfter }) };
}
