// The sentence in each event.
import { asText, joinList, plainText } from '../utils/text';
import { pick, SITE_FIELDS } from '../site/site';
import type { Row } from '../site/site';
import { isPosition } from './changes';
import type { Difference, FieldChange } from './changes';

const LONGEST_NAME = 60;
const LONGEST_VALUE = 40;

// A sentence that names more fields is not read to its end
const MAX_FIELDS = 3;

/** What people call the fields of the contract; any other field has its own name. */
const LABELS: Record<string, string> = {
	maxTotalBiomass: 'maximum biomass',
	siteName: 'name',
	timezone: 'time zone',
	unitName: 'name',
};

function nameOf(name: unknown, id: unknown, kind: 'site' | 'unit'): string {
	const own = plainText(asText(name) ?? '', LONGEST_NAME);
	return own || plainText(`${kind} ${asText(id) ?? 'without ID'}`, LONGEST_NAME);
}

/** A value in a sentence; '' if there is none, undefined if it cannot be said. */
function toWords(value: unknown): string | undefined {
	if (value === null || value === undefined) return '';
	return typeof value === 'object' ? undefined : plainText(asText(value) ?? '', LONGEST_VALUE);
}

function formatDistance(meters: number): string {
	if (meters < 1) return 'less than 1 m';
	if (meters < 999.5) return `${Math.round(meters)} m`;
	const kilometers = meters / 1000;
	return `${kilometers < 9.95 ? kilometers.toFixed(1) : Math.round(kilometers)} km`;
}

/** What has become of the position: "was moved 120 m"; undefined if its numbers say more. */
function moveOf(changes: FieldChange[], distance: number | undefined): string | undefined {
	if (distance !== undefined) return `was moved ${formatDistance(distance)}`;
	const position = changes.filter(isPosition);
	if (position.length === 0) return undefined;
	if (position.every(({ before }) => before === null)) return 'was given a position';
	return position.every(({ after }) => after === null) ? 'lost its position' : undefined;
}

function labelOf({ field }: FieldChange): string {
	const name = field.slice(field.lastIndexOf('.') + 1);
	return (Object.hasOwn(LABELS, name) && LABELS[name]) || plainText(name, LONGEST_VALUE);
}

/** What has become of a field, after its name: "changed from A to B". */
function changeOf({ before: from, after: to }: FieldChange): string {
	const [before, after] = [toWords(from), toWords(to)];
	if (before === undefined || after === undefined || before === after) return 'changed';
	if (before === '') return `was set to ${after}`;
	if (after === '') return `was removed (it was ${before})`;
	return `changed from ${before} to ${after}`;
}

/**
 * What happened, as one plain sentence without a full stop: "Pen 7 of Storholmen was moved 120 m", "The license of
 * Storholmen changed from A to B", "Pen 6 was removed from Ørnesvika".
 *
 * @param sentence says it with the names of the site and the unit; without it, the changes say it
 */
export function summarize(difference: Difference, sentence = changeSentence): string {
	const { site, unit, changes } = difference;
	const renamed = changes.find(({ field }) => field === (unit ? 'unitName' : 'siteName'));
	// What was renamed is known by its old name
	const old = renamed && { [renamed.field]: renamed.before };
	const names: Row = { ...unit, ...pick(site, SITE_FIELDS), ...old };
	const ofSite = nameOf(names.siteName, names.siteId, 'site');
	const ofUnit = nameOf(names.unitName, names.unitId, 'unit');
	const text = sentence(ofSite, ofUnit, difference, renamed);
	// It may start with an ID in place of a name
	return text.replace(/^(?=unit |site )./, (letter) => letter.toUpperCase());
}

function changeSentence(
	ofSite: string,
	ofUnit: string,
	{ unit, changes, distance }: Difference,
	renamed?: FieldChange,
): string {
	const subject = unit ? `${ofUnit} of ${ofSite}` : ofSite;
	const newName = renamed && toWords(renamed.before) && toWords(renamed.after);
	const move = moveOf(changes, distance);
	const fields = changes.filter(
		(change) => !(newName && change === renamed) && !(move && isPosition(change)),
	);
	const more = fields.splice(MAX_FIELDS).length;
	const [first] = fields;
	const clauses = fields.map((change) => `its ${labelOf(change)} ${changeOf(change)}`);
	if (more > 0) clauses.push(`${more} more ${more === 1 ? 'field' : 'fields'} changed`);

	// "was renamed to Pen 8 and moved 120 m"
	const rename = newName && `was renamed to ${newName}`;
	const deed = rename && move ? `${rename} and ${move.replace(/^was /, '')}` : rename || move;
	if (deed) clauses.unshift(`${subject} ${deed}`);
	else if (first) clauses[0] = `The ${labelOf(first)} of ${subject} ${changeOf(first)}`;
	return joinList(clauses);
}
