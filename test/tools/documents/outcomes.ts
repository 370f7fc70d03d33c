import { type Outcome, OUTCOMES } from '../cases/credential-outcomes';
import { defined } from '../helpers/at';
import { groupBy } from '../helpers/group-by';
import { markdownTable } from '../helpers/markdown-table';

const situationsOf = (outcomes: Outcome[]) => [
	...new Set(outcomes.map(({ situation }) => situation)),
];

/** @param places of `OUTCOMES`, each a column of the table */
function section(places: string[]): string {
	const columns = places.map((place) => defined(OUTCOMES[place]));
	const texts = groupBy(columns.flat(), ({ words }) => defined(words).message);
	const rows = [...texts].map(([text, same]) => [
		...columns.map((all) => situationsOf(all.filter((each) => same.includes(each))).join('; ')),
		text.replace('{status}', '…'),
	]);
	return markdownTable([[...places, 'The dialog says'], ...rows]);
}

/** What the dialog of the credential says when, in Markdown. */
export function outcomesText(): string {
	const [good = '', credential = '', ...requests] = Object.keys(OUTCOMES);
	const list = situationsOf(OUTCOMES[good] ?? []).map((situation) => `- ${situation}`);
	return [
		`${good}, the dialog says "Connection tested successfully".`,
		list.join('\n'),
		section([credential]),
		section(requests),
	].join('\n\n');
}
