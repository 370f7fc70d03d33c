import { setTimeout } from 'node:timers/promises';

/** How long anything may take on a slow and busy machine, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Waits for something to come about, by asking for it again and again.
 * @param what completes the sentence «Waited in vain until …»
 * @returns the first answer that is not undefined, null or false
 */
export async function until<T>(
	what: string,
	ask: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
	const end = Date.now() + PATIENCE;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== null && answer !== false) {
			return answer as Exclude<T, undefined | null | false>;
		}
		if (Date.now() > end) throw new Error(`Waited in vain until ${what}.`);
		await setTimeout(20);
	}
}
