import type { ServiceFailure } from '../service/messages/failures';

// As in ky and the AWS SDKs: a service that stumbles is back within seconds
const FIRST_BACKOFF_MS = 1000;

// A service that has just recovered is not left waiting for longer
const LONGEST_BACKOFF_MS = 8000;

// A rate limit refuses a site a few times while others get their share; one that never lets it through is none
const MAX_WAITS = 10;

/** What came of sending a request once. If it failed for the load on the service, the whole run waits: no retry of this one. */
export type Result<T> =
	{ readonly value: T } | { readonly failure: ServiceFailure; readonly isLoad: boolean };

/**
 * Milliseconds of exponential backoff.
 *
 * @param count 1 before the first try again
 */
export function backoff(count: number): number {
	return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1));
}

/**
 * Sends a request until it succeeds or is given up, as p-retry does: after a random share of the backoff (full
 * jitter), or later if the service says so (Retry-After). Nothing is kept from one call to the next.
 *
 * @throws ServiceFailure if a retry cannot help or none is left; what `send` throws
 */
export async function retry<T>(
	send: (isRetry: boolean) => Promise<Result<T>>,
	maxRetries: number,
	pause: (milliseconds: number) => Promise<void>,
): Promise<T> {
	let retries = 0;
	let waits = 0;
	for (;;) {
		const result = await send(retries + waits > 0);
		if ('value' in result) return result.value;
		const { failure, isLoad } = result;
		if (failure.retry === 'no') throw failure;
		// The run waits: back to the end of the line
		if (isLoad && ++waits <= MAX_WAITS) continue;
		if (isLoad || ++retries > maxRetries) throw failure;
		await pause(Math.max(failure.retryAfter ?? 0, Math.random() * backoff(retries)));
	}
}
