import type { INodeProperties } from 'n8n-workflow';

import { ParameterError } from './parameters';

/** The list of sites, of node and trigger. */
export const siteIdsField: INodeProperties = {
	displayName: 'Site IDs',
	name: 'siteIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042, 1043, 1051',
	description:
		'The IDs of the sites, separated by commas, spaces or line breaks. An expression can also return a number or an array.',
};

// docs/service.md#site: siteId is an integer. No integer type in use holds more digits than these.
const LONGEST = 19;

function show(entry: unknown): string {
	const whole =
		typeof entry === 'string'
			? entry
			: ((JSON.stringify(entry) as string | undefined) ?? String(entry));
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
	// "[12, 15]" typed into the field, with or without quotes around each ID
	const list = value.trim().replace(/^\[([^[\]]*)\]$/, '$1');
	return list
		.split(/[\s,;]+/)
		.map((entry) => entry.replace(/^(["'])(.*)\1$/, '$2'))
		.filter((entry) => entry !== '');
}

/** What the sentences on a field say. */
const ONE = { displayName: 'Site ID', enter: 'Enter a site ID', takesSeveral: false };
const SEVERAL = {
	displayName: 'Site IDs',
	enter: 'Enter at least one site ID',
	takesSeveral: true,
};

function parse(value: unknown, { displayName, enter, takesSeveral }: typeof ONE): string[] {
	const entries = entriesOf(value);
	if (entries.length === 0) {
		throw new ParameterError(
			`'${displayName}' is empty`,
			`${enter}, e.g. 1042. If an expression supplies it, check what the expression returns.`,
		);
	}
	const ids = entries.map((entry, index) => {
		const id = toSiteId(entry);
		if (id !== undefined) return id;
		if (typeof entry === 'number' && Math.abs(entry) > Number.MAX_SAFE_INTEGER) {
			throw new ParameterError(
				`'${displayName}' contains a number that is too large`,
				'A number this large loses its last digits before it arrives here. Supply the site ID as text, in quotes.',
			);
		}
		const isOneOfSeveral = takesSeveral && entries.length > 1;
		const place = isOneOfSeveral ? ` (entry ${index + 1} of ${entries.length})` : '';
		throw new ParameterError(
			`'${displayName}': "${show(entry)}" is not a site ID${place}`,
			`A site ID is a whole number, digits only, e.g. 1042.${takesSeveral ? ' Separate several with commas, spaces or line breaks.' : ''}`,
		);
	});
	return [...new Set(ids)];
}

/**
 * The site IDs in what people have: `12, 15 18`, one per line, `[12, 15]`, a number, an array of these.
 * Only digits pass, so nothing in it can reach another path of the service (docs/service.md#get-a-site).
 *
 * @returns the IDs in their order, as digits without leading zeros, each once
 * @throws ParameterError where an entry is not an ID, or there is none
 */
export const parseSiteIds = (value: unknown): string[] => parse(value, SEVERAL);

/**
 * The one site ID in a value; {@link parseSiteIds} for the rest.
 *
 * @throws ParameterError where it is not an ID, or there is none, or another one
 */
export function parseSiteId(value: unknown): string {
	const [id, ...more] = parse(value, ONE);
	if (id === undefined || more.length > 0) {
		throw new ParameterError(
			"'Site ID' accepts only one site ID",
			"Enter a single ID. For several sites, set 'Operation' to 'Get Many', and enter the IDs there.",
		);
	}
	return id;
}
