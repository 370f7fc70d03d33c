import { setTimeout } from 'node:timers/promises';

/** For a slow and busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * Repeats an assertion until it holds: n8n shows and writes many things a moment after it has said that it is done.
 * @param assertion reads anew each time
 * @throws what the assertion threw last, when the time is over
 */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
	const end = Date.now() + TIMEOUT_MS;
	for (;;) {
		try {
			await assertion();
			return;
		} catch (error) {
			if (Date.now() > end) throw error;
		}
		await setTimeout(50);
	}
}
