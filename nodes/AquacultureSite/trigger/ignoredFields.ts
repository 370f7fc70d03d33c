import { ParameterError } from '../site/parameters';
import { joinList, plainText } from '../site/plainText';
import { asText } from '../site/site';

/** The fields of a site and a unit (docs/service.md#site); a site may lack some of them for now. */
const KNOWN_FIELDS = [
	...['siteId', 'siteName', 'unitId', 'unitName', 'latitude', 'longitude'],
	...['latitude', 'longitude', 'type', 'code', 'license', 'maxTotalBiomass', 'timezone'].map(
		(name) => `info.${name}`,
	),
];

/**
 * The names under "Ignore Fields", separated like site IDs: by commas, semicolons, spaces or line breaks, also in
 * brackets and quotes, or a list of them from an expression.
 */
export function parseIgnoredFields(value: unknown): string[] {
	const texts = [value].flat(Infinity).map((entry) => asText(entry) ?? '');
	return texts.flatMap((text) => text.split(/[\s,;[\]"']+/)).filter((name) => name !== '');
}

/** Whether a field is among the names: by its whole name or its last part, `info.license` or `license`, in any case. */
export function isIgnored(field: string, names: readonly string[]): boolean {
	const own = field.toLowerCase();
	return names.some((name) => own === name.toLowerCase() || own.endsWith(`.${name.toLowerCase()}`));
}

/**
 * Refuses names that no field has: most likely they are mistyped, and the changes would be reported all the same.
 *
 * @param fields the names of all fields that the sites and their units have; undefined if not all are known
 * @throws ParameterError
 */
export function checkIgnoredFields(names: readonly string[], fields: string[] | undefined): void {
	if (!fields) return;
	const known = [...new Set([...KNOWN_FIELDS, ...fields])];
	const unknown = names.filter((name) => !known.some((field) => isIgnored(field, [name])));
	if (unknown.length === 0) return;
	const shown = joinList(unknown.slice(0, 3).map((name) => `"${plainText(name, 40)}"`));
	throw new ParameterError(
		// All that n8n shows when a workflow is published
		`'Ignore Fields': these sites have no field ${shown}. Enter names such as license, unitName or latitude.`,
		`Correct the name, or remove it. The fields are ${joinList(known.map((name) => plainText(name, 40)))}.`,
	);
}
