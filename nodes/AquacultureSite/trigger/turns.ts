/**
 * The sites of the list in the order of their turns.
 *
 * @param turns the order after the latest poll; a site that is not in it never had a turn and comes first
 */
export function inTurn(siteIds: string[], turns: string[]): string[] {
	const listed = new Set(siteIds);
	const had = new Set(turns);
	return [...siteIds.filter((id) => !had.has(id)), ...turns.filter((id) => listed.has(id))];
}

/** The order for the next poll: sites that had their turn in this one come last. */
export function afterTurns(ordered: string[], had: ReadonlySet<string>): string[] {
	return [...ordered.filter((id) => !had.has(id)), ...ordered.filter((id) => had.has(id))];
}
