import {
	expectedOutcome,
	MOST,
	type Place,
	type Row,
	SETTINGS,
	SITES,
	TABLE,
} from '../cases/fault-table';
import { at } from '../helpers/at';
import { groupBy } from '../helpers/group-by';

/** The parts of the matrix; what fails at a login also fails at the next one, so those are told together. */
const SECTIONS: Array<{ title: string; places: Partial<Record<Place, string>> }> = [
	{
		title: 'Logins',
		places: { 'first login': 'At the first login, the run', 'renewed login': 'At a later one, it' },
	},
	{ title: 'Requests for sites', places: { site: 'The run' } },
];

/** What comes of a fault, with "Stop Workflow" and with either "Continue". */
function outcomeText(row: Row): string {
	const form = at(Object.values(row.variations), 0);
	const stop = expectedOutcome(row, form, 'stopWorkflow');
	const go = expectedOutcome(row, form, 'continueRegularOutput');
	const kept = `keeps ${go.kept.length || 'none'}`;
	return stop.stopped ? `stops or ${kept}` : kept;
}

/** The message without the item and the credential that follow it, and all faults that lead to it. */
function faultsText([message, rows]: [string, Row[]]): string {
	const faults = [...new Set(rows.map(({ fault }) => fault))].join('; ');
	const general = message.replace(/: credential ".*"$/, '').replace(/\{\w+\}/g, '…');
	return general === '' ? `- ${faults}` : `- _${general}_: ${faults}`;
}

/** All rows with one outcome: for each message, the faults that lead to it. */
function outcomeSection([outcome, rows]: [string, Row[]]): string {
	const messages = [...groupBy(rows, ({ message = '' }) => message)];
	return `**${outcome}**\n\n${messages.map(faultsText).join('\n')}`;
}

/** The matrix in Markdown. */
export function matrixText(): string {
	const sections = SECTIONS.map(({ title, places }) => {
		const rows = TABLE.filter(({ place }) => place in places);
		const outcomes = new Map<Row, string>();
		for (const same of groupBy(rows, ({ fault, message }) => `${fault} ${message}`).values()) {
			const text = same.map((row) => `${places[row.place]} ${outcomeText(row)}`).join('. ');
			outcomes.set(at(same, 0), text);
		}
		const groups = groupBy([...outcomes.keys()], (row) => outcomes.get(row) ?? '');
		return [`### ${title}`, ...[...groups].map(outcomeSection)].join('\n\n');
	});
	const forms = TABLE.reduce((sum, row) => sum + Object.keys(row.variations).length, 0);
	return [
		`${TABLE.length} faults in ${forms} forms, each with ${SETTINGS.length} settings of **On Error**: ${forms * SETTINGS.length} runs with ${SITES.length} items. A failure may be sent again to find out whose it is: at most ${MOST.requests} requests for each try, and ${MOST.logins} logins for each that fails.`,
		...sections,
	].join('\n\n');
}
