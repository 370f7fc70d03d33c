import { fixedWindow, type Limiter } from '../helpers/limiters';
import type { Fault } from './faults';
import type { Service } from './service';

/** Lets so many requests through in each window of so many seconds, as many services do; the others get a 429. */
export function limit({ faults }: Service, requests: number, seconds: number): void {
	const limiter = fixedWindow(requests, seconds * 1000);
	faults.site.push({ when: () => limiter(Date.now()) > 0, status: 429, retryAfter: seconds });
}

/** Refuses what is beyond a limit; with Retry-After, that states the wait in whole seconds. */
export function refusalBeyond(limiter: Limiter, hasRetryAfter: boolean, status = 429): Fault {
	let wait = 0;
	const when = () => (wait = limiter(performance.now())) > 0;
	const retryAfter = () => Math.max(1, Math.ceil(wait / 1000));
	return { status, when, ...(hasRetryAfter && { retryAfter }) };
}
