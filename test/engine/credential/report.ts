import type { INodeCredentialTestResult } from 'n8n-workflow';
import { type Outcome, OUTCOMES, SUCCEEDED } from '../../tools/cases/credential-outcomes';
import { defined } from '../../tools/helpers/at';
import { groupBy } from '../../tools/helpers/group-by';
import { markdownTable } from '../../tools/helpers/markdown-table';

/** What happened; what to do about it follows in the dialog, and is in messages.md. */
function whatHappened({ message }: INodeCredentialTestResult): string {
	const [first = ''] = message.replace(`${SUCCEEDED} `, '').split('. ');
	return `${first.charAt(0).toUpperCase()}${first.slice(1)}`.replace(/status \d+/, 'status …');
}

/** "Status 500", "Status 503", "Redirect" as "Status 500, 503", "Redirect". */
function situationsOf(outcomes: Outcome[]): string[] {
	const groups = groupBy(outcomes, ({ situation }) => situation.replace(/^Status \d+/, 'Status'));
	return [...groups].map(([text, same]) => {
		const codes = same.flatMap(({ situation }) => /^Status (\d+)/.exec(situation)?.[1] ?? []);
		return text.replace('Status', `Status ${codes.join(', ')}`);
	});
}

/** @param places of `OUTCOMES`, each a column of the table */
function section(places: string[], shown: Map<Outcome, INodeCredentialTestResult>): string {
	const columns = places.map((place) => defined(OUTCOMES[place]));
	const texts = groupBy(columns.flat(), (outcome) => whatHappened(defined(shown.get(outcome))));
	const rows = [...texts].map(([text, same]) => [
		...columns.map((all) => situationsOf(all.filter((each) => same.includes(each))).join('; ')),
		text,
	]);
	return markdownTable([[...places, 'The dialog says'], ...rows]);
}

/**
 * The tables in Markdown.
 *
 * @param shown what the test has said
 */
export function outcomesText(shown: Map<Outcome, INodeCredentialTestResult>): string {
	const [good = '', credential = '', ...requests] = Object.keys(OUTCOMES);
	const list = situationsOf(OUTCOMES[good] ?? []).map((situation) => `- ${situation}`);
	return [
		`${shown.size} situations. ${good}, the dialog says "Connection tested successfully".`,
		list.join('\n'),
		section([credential], shown),
		section(requests, shown),
	].join('\n\n');
}
