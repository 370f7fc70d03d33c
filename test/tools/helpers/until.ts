import { setTimeout } from 'node:timers/promises';

interface UntilOptions {
	/** How long to wait; the default leaves room for a slow and busy machine. */
	timeoutMs?: number;
	intervalMs?: number;
}

/**
 * Calls a function until it returns something.
 * @param what completes the sentence "Timed out waiting until …"
 * @returns the first value that is not undefined, null or false
 * @throws what the function throws, and an error when the time is over
 */
export async function until<T>(
	what: string,
	probe: () => T | Promise<T>,
	{ timeoutMs = 60_000, intervalMs = 20 }: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
	const end = Date.now() + timeoutMs;
	for (;;) {
		const value = await probe();
		if (value !== undefined && value !== null && value !== false) {
			return value as Exclude<T, undefined | null | false>;
		}
		if (Date.now() > end) throw new Error(`Timed out waiting until ${what}`);
		await setTimeout(intervalMs);
	}
}
