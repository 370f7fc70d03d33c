import { markdownTable } from 'markdown-table';
import type { OnError } from 'n8n-workflow';
import { at } from '../helpers/at';
import type { Block } from '../helpers/document';
import { count } from '../helpers/numbers';
import { expectedOutcome, ON_ERROR, SETTINGS } from './cell';
import { type Place, type Row, SITES, TABLE } from './table';

/** The place of the matrix in the document. */
export const BLOCK: Block = {
	document: 'reliability.md',
	name: 'fault matrix',
	command: 'npm run test:faults',
};

const TITLES: Record<Place, string> = {
	'first login': 'At the first login',
	'renewed login': 'At the login that renews a token in mid-run',
	site: 'When sites are requested',
};

function cellText(row: Row, onError: OnError): string {
	const variation = at(Object.values(row.variations), 0);
	const { stopped, kept, failed, requests, logins } = expectedOutcome(row, variation, onError);
	const failures = failed.length === 0 ? '' : `, ${failed.length} failed`;
	const items = stopped ? `stops at item ${stopped.item}` : `${kept.length} kept${failures}`;
	return `${items}; ${count(requests, 'request')}, ${count(logins, 'login')}`;
}

/** The matrix in Markdown. */
export function matrixText(): string {
	const head = ['Fault', 'Forms', 'Message', ...SETTINGS.map((setting) => ON_ERROR[setting])];
	const sections = (Object.keys(TITLES) as Place[]).map((place) => {
		const rows = TABLE.filter((row) => row.place === place).map((row) => [
			row.fault,
			String(Object.keys(row.variations).length),
			row.message ?? '–',
			...SETTINGS.map((setting) => cellText(row, setting)),
		]);
		return `### ${TITLES[place]}\n\n${markdownTable([head, ...rows])}`;
	});
	const forms = TABLE.reduce((sum, row) => sum + Object.keys(row.variations).length, 0);
	return [
		`${TABLE.length} faults in ${forms} forms, each with ${SETTINGS.length} settings of **On Error**: ${forms * SETTINGS.length} runs with ${SITES.length} items.`,
		...sections,
	].join('\n\n');
}
