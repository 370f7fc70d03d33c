import { markdownTable } from 'markdown-table';
import type { INodeCredentialTestResult } from 'n8n-workflow';
import { defined } from '../helpers/at';
import type { Block } from '../helpers/document';
import { type Outcome, OUTCOMES } from './outcomes';

/** The place of the table in the documents. */
export const BLOCK: Block = {
	document: 'credential-test.md',
	name: 'outcomes',
	command: 'CREDENTIAL_OUTCOMES=print npx jest test/credentials',
};

/**
 * The table in Markdown.
 *
 * @param shown what the test has said
 */
export function outcomesText(shown: Map<Outcome, INodeCredentialTestResult>): string {
	const textOf = (outcome: Outcome) => {
		const { status, message } = defined(shown.get(outcome));
		const addressed = message.replace(/(The address is https?:\/\/)\S+/, '$1api.example.com');
		return status === 'OK' ? 'Connection tested successfully' : addressed;
	};
	const sections = Object.entries(OUTCOMES).map(([place, outcomes]) => {
		const rows = outcomes.map((outcome) => [outcome.situation, textOf(outcome)]);
		return `### ${place}\n\n${markdownTable([['Situation', 'The dialog says'], ...rows])}`;
	});
	return [`${shown.size} situations.`, ...sections].join('\n\n');
}
