// Reads site IDs as people have them.
import { listEntries, ParameterError } from '../utils/parameters';
import type { Field } from '../utils/parameters';
import { plainText } from '../utils/text';

/** The list of sites, of node and trigger. */
export const siteIdsField: Field<'string'> = {
	displayName: 'Site IDs',
	name: 'siteIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042, 1043, 1051',
	description:
		'The IDs of the sites, separated by commas, spaces or line breaks. An expression can also return a number or an array.',
};

/** Site IDs in their order, each once, and in the place of each entry that is none, what to say of it. */
export type SiteIds = Array<string | ParameterError>;

/**
 * docs/service.md#site: siteId is an integer. Digits only, so nothing in it can reach another path of the service; no
 * more than a number can hold exactly. A leading zero is most likely the end of a number with thousands: "1 042".
 */
const SITE_ID = /^(0|[1-9]\d{0,14})$/;

/** As n8n's tables show a number: no-break and thin spaces between its thousands belong to it. */
const GROUPED = /(?<!\d)\d{1,3}(?:[\u00A0\u2009\u202F]\d{3})+(?!\d)/g;

/**
 * The site IDs in what people have: `12, 15 18`, one per line, `[12, 15]`, a number, an array of these.
 *
 * @throws ParameterError if there is nothing in it
 */
export function readSiteIds(value: unknown, displayName = siteIdsField.displayName): SiteIds {
	const digitsOf = (number: string) => number.replace(/\D/g, '');
	const ungroup = (entry: unknown) =>
		typeof entry === 'string' ? entry.replace(GROUPED, digitsOf) : entry;
	const entries = listEntries([value].flat(Infinity).map(ungroup));
	if (entries.length === 0) {
		throw new ParameterError(
			`'${displayName}' is empty`,
			'Enter a site ID, e.g. 1042. If an expression supplies it, check what the expression returns.',
		);
	}
	const ids = entries.map((entry, index) => {
		if (SITE_ID.test(entry)) return entry;
		const place = entries.length > 1 ? ` (entry ${index + 1} of ${entries.length})` : '';
		return new ParameterError(
			`'${displayName}': "${plainText(entry, 40)}" is not a site ID${place}`,
			'A site ID is a whole number: digits only, without zeros before it or spaces in it, e.g. 1042.',
		);
	});
	return [...new Set(ids)];
}

/** The one site ID in it. @throws ParameterError if there is none, or more than one */
export function readSiteId(value: unknown): SiteIds {
	const siteIds = readSiteIds(value, 'Site ID');
	if (siteIds.length === 1) return siteIds;
	throw new ParameterError(
		"'Site ID' accepts only one site ID",
		"Enter a single ID. For several sites, set 'Operation' to 'Get Many', and enter the IDs there.",
	);
}
