import { ParameterError } from '../service/failures';

// service.md, «Site»: siteId is an integer. More digits than these no integer type in use holds.
const LONGEST = 19;

function show(entry: unknown): string {
	const whole = typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? String(entry));
	// Control characters have no place in a sentence
	const text = whole.replace(/\p{Cc}/gu, '\uFFFD');
	return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function toSiteId(entry: unknown): string | undefined {
	if (typeof entry === 'number') {
		return Number.isSafeInteger(entry) && entry >= 0 ? String(entry) : undefined;
	}
	if (typeof entry !== 'string') return undefined;
	const digits = entry.trim();
	if (!/^\d+$/.test(digits)) return undefined;
	const id = digits.replace(/^0+(?=\d)/, '');
	return id.length <= LONGEST ? id : undefined;
}

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value.flatMap(entriesOf);
	if (typeof value !== 'string') return value === null || value === undefined ? [] : [value];
	// «[12, 15]» typed into the field, with or without quotes
	const list = value.trim().replace(/^\[([^[\]]*)\]$/, '$1');
	return list
		.split(/[\s,;]+/)
		.map((entry) => entry.replace(/^(["'])(.*)\1$/, '$2'))
		.filter((entry) => entry !== '');
}

/**
 * The site IDs in what people have: `12, 15 18`, one per line, `[12, 15]`, a number, a list of these.
 * Only digits pass, so nothing in it can reach another path of the service (service.md, «Get a site»).
 *
 * @returns the IDs in their order, as digits without leading zeros, each once
 * @throws ParameterError where an entry is no ID, or there is none
 */
export function parseSiteIds(value: unknown, displayName = 'Site IDs'): string[] {
	const entries = entriesOf(value);
	if (entries.length === 0) {
		throw new ParameterError(
			`'${displayName}' is empty`,
			'Fill in at least one site ID, e.g. 1042. If an expression gives the list, check that the item before holds it.',
		);
	}
	const ids = entries.map((entry, index) => {
		const id = toSiteId(entry);
		if (id !== undefined) return id;
		const place = entries.length === 1 ? '' : ` (entry ${index + 1} of ${entries.length})`;
		throw new ParameterError(
			`'${displayName}': "${show(entry)}" is not a site ID${place}`,
			'A site ID is a whole number in digits only, e.g. 1042. Several are separated by commas, spaces or lines.',
		);
	});
	return [...new Set(ids)];
}

/** The one site ID in a value; {@link parseSiteIds} for the rest. */
export function parseSiteId(value: unknown, displayName = 'Site ID'): string {
	const [id, ...more] = parseSiteIds(value, displayName);
	if (id === undefined || more.length > 0) {
		throw new ParameterError(
			`'${displayName}' takes one site ID`,
			"Leave one ID in it, or choose the operation 'Get Many' for several.",
		);
	}
	return id;
}
