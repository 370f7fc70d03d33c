import { type Outcome, OUTCOMES } from '../cases/credential-outcomes';
import { mapValues } from '../cases/examples';
import { byMessage } from './by-message';

const toTold = (outcomes: Outcome[]) =>
	outcomes.map(({ situation, words }) => ({ situation, message: words?.message ?? '' }));

/** What the dialog of the credential says when, in Markdown. */
export function outcomesText(): string {
	const [good = '', credential = ''] = Object.keys(OUTCOMES);
	const { [good]: fine = [], [credential]: typed = [], ...requests } = mapValues(OUTCOMES, toTold);
	return [
		`${good}, the dialog says "Connection tested successfully".`,
		[...new Set(fine.map(({ situation }) => `- ${situation}`))].join('\n'),
		byMessage({ [credential]: typed }, 'The dialog says'),
		byMessage(requests, 'The dialog says'),
	].join('\n\n');
}
