/**
 * A JSON value in the one form in which values are compared: equal values in another spelling have the same form. What is
 * stored and reported is the value as the service sent it.
 */
export function formOf(value: unknown): unknown {
	if (typeof value === 'string') return formOfText(value);
	// A double holds 15 digits for certain; what follows depends on who printed it
	if (typeof value === 'number')
		return Number.isInteger(value) ? value : Number(value.toPrecision(15));
	// The order of a list may matter, so it stays
	if (Array.isArray(value)) return value.map(formOf);
	if (typeof value === 'object' && value !== null) {
		const entries = Object.entries(value).map(([name, entry]) => [name, formOf(entry)] as const);
		// A field that is null may as well be absent, and the order of fields means nothing (RFC 8259, section 4)
		const known = entries.filter(([, entry]) => entry !== null);
		return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)));
	}
	return value ?? null;
}

function formOfText(value: string): unknown {
	// Systems differ in how they write "Ø" or "é" (Unicode Standard Annex 15), and spaces at the ends cannot be seen
	const text = value.normalize('NFC').trim();
	// Forms and spreadsheets know no null
	if (text === '') return null;
	// Decimals are often sent as text. But only as a number is written: the code "1.10" or "007" is not "1.1" or "7"
	const number = Number(text);
	return Number.isFinite(number) && String(number) === text ? formOf(number) : text;
}

/** The form as text: the same for values that are equal, and in an order of its own for others. */
export function formText(value: unknown): string {
	return JSON.stringify(formOf(value));
}

/** Whether two values are equal, whatever their spelling. */
export function isSame(one: unknown, other: unknown): boolean {
	return formText(one) === formText(other);
}
