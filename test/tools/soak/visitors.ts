/** How long these sites are on the list of a trigger, and then off it. */
const ON_MS = 20_000;
const OFF_MS = 60_000;

/** A poll that began while they were on the list has ended by then, in a storm too, and so has one that began later. */
const FORGOTTEN_AFTER_MS = 45_000;

/** Every other site comes and goes. */
export const isVisitor = (siteId: unknown): boolean => Number(siteId) % 2 === 0;

/** An expression of n8n for the sites that are on the list now. */
export function visitedList(siteIds: number[]): string {
	return `={{ [${siteIds.join()}].filter((id) => id % 2 || $now.toMillis() % ${ON_MS + OFF_MS} < ${ON_MS}) }}`;
}

/** When they are next put back on the list; milliseconds since 1970. */
export function nextReturn(at: number): number {
	const period = ON_MS + OFF_MS;
	return at - (at % period) + period;
}

/** Whether a change was made while they were off the list, and was reported although the trigger must have forgotten them. */
export function isOfAbsence(madeAt: number, detectedAt: number): boolean {
	const sinceReturn = madeAt % (ON_MS + OFF_MS);
	return sinceReturn > ON_MS + FORGOTTEN_AFTER_MS && detectedAt > nextReturn(madeAt);
}
