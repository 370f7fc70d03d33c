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

// "1 042" with a no-break or thin space, as tables show the number 1042
const GROUPED = /(?<!\d)[1-9]\d{0,2}(?:[\u00a0\u2007\u2009\u202f]\d{3})+(?!\d)/g;

// The same with a plain space or a comma stays one entry if a group begins with 0, as no ID in a list does
const ENTRIES =
	/(?<![^\s,;])[1-9]\d{0,2}([ ,])(?:\d{3}\1){0,5}0\d\d(?:\1\d{3}){0,5}(?![^\s,;])|[^\s,;]+/g;

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
	const list = value
		.replace(GROUPED, (number) => number.replace(/\D/g, ''))
		.trim()
		// "[12, 15]" typed into the field, with or without quotes around each ID
		.replace(/^\[([^[\]]*)\]$/, '$1');
	return (list.match(ENTRIES) ?? [])
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

/** The site IDs in a value, and what is in it that is none. */
export interface SiteIds {
	/** Digits without leading zeros, each ID once, in their order. */
	siteIds: string[];
	failures: ParameterError[];
}

function notAnId(
	entry: unknown,
	{ displayName, takesSeveral }: typeof ONE,
	place: string,
): ParameterError {
	if (typeof entry === 'number' && Math.abs(entry) > Number.MAX_SAFE_INTEGER) {
		return new ParameterError(
			`'${displayName}' contains a number that is too large`,
			'A number this large loses its last digits before it arrives here. Supply the site ID as text, in quotes.',
		);
	}
	if (typeof entry === 'string' && /[ ,]/.test(entry)) {
		const groups = entry.split(/[ ,]/);
		const several = groups.map(Number).join(', ');
		return new ParameterError(
			`'${displayName}': "${show(entry)}" can be read as one site ID or as several`,
			`If it is one site, enter ${groups.join('')}.${takesSeveral ? ` If they are several, enter ${several}.` : ''}`,
		);
	}
	return new ParameterError(
		`'${displayName}': "${show(entry)}" is not a site ID${place}`,
		`A site ID is a whole number, digits only, e.g. 1042.${takesSeveral ? ' Separate several with commas, spaces or line breaks.' : ''}`,
	);
}

/** @throws ParameterError if there is nothing in the value */
function parse(value: unknown, field: typeof ONE): SiteIds {
	const entries = entriesOf(value);
	if (entries.length === 0) {
		throw new ParameterError(
			`'${field.displayName}' is empty`,
			`${field.enter}, e.g. 1042. If an expression supplies it, check what the expression returns.`,
		);
	}
	const siteIds = new Set<string>();
	const failures: ParameterError[] = [];
	entries.forEach((entry, index) => {
		const id = toSiteId(entry);
		const isOneOfSeveral = field.takesSeveral && entries.length > 1;
		const place = isOneOfSeveral ? ` (entry ${index + 1} of ${entries.length})` : '';
		if (id === undefined) failures.push(notAnId(entry, field, place));
		else siteIds.add(id);
	});
	return { siteIds: [...siteIds], failures };
}

/**
 * The site IDs in what people have: `12, 15 18`, one per line, `[12, 15]`, a number, an array of these.
 * Only digits pass, so nothing in it can reach another path of the service (docs/service.md#get-a-site).
 *
 * @throws ParameterError if there is nothing in it
 */
export const readSiteIds = (value: unknown): SiteIds => parse(value, SEVERAL);

/**
 * {@link readSiteIds}, if all of them must be right.
 *
 * @throws ParameterError, the first one, if an entry is not an ID, or there is none
 */
export function parseSiteIds(value: unknown): string[] {
	const { siteIds, failures } = readSiteIds(value);
	for (const failure of failures) throw failure;
	return siteIds;
}

/**
 * The one site ID in a value; {@link parseSiteIds} for the rest.
 *
 * @throws ParameterError if it is not an ID, or there is none, or another one
 */
export function parseSiteId(value: unknown): string {
	const {
		siteIds: [id, ...more],
		failures,
	} = parse(value, ONE);
	for (const failure of failures) throw failure;
	if (id === undefined || more.length > 0) {
		throw new ParameterError(
			"'Site ID' accepts only one site ID",
			"Enter a single ID. For several sites, set 'Operation' to 'Get Many', and enter the IDs there.",
		);
	}
	return id;
}
