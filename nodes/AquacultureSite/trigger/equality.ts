function sameNumber(a: number, b: number): boolean {
	if (a === b || (Number.isInteger(a) && Number.isInteger(b))) return a === b;
	// The last digits of a float differ between two ways of printing it
	return Math.abs(a - b) <= 4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether two JSON values are equal, the order of keys and the last float digits aside; absent is null. */
export function sameValue(a: unknown, b: unknown): boolean {
	if (typeof a === 'number' && typeof b === 'number') return sameNumber(a, b);
	if (a === undefined || a === null || b === undefined || b === null) {
		return (a ?? null) === (b ?? null);
	}
	if (typeof a !== 'object' || typeof b !== 'object') return a === b;
	if (Array.isArray(a) || Array.isArray(b)) {
		if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
		return a.every((entry, index) => sameValue(entry, b[index]));
	}
	const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
	return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
		sameValue(own(left, key), own(right, key)),
	);
}

/** A field of the object itself: a service may well name a field `constructor`. */
function own(fields: Record<string, unknown>, key: string): unknown {
	return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
