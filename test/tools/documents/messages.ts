import {
	type Circumstances,
	toWords,
} from '../../../nodes/AquacultureSite/service/messages/advice';
import {
	CONNECTION_RULES,
	NOT_SENT_RULES,
	PROXY_RULES,
	REJECTED_TOKEN_RULES,
	type Rule,
	SITE_RULES,
	TEST_RULES,
	TOKEN_RULES,
} from '../../../nodes/AquacultureSite/service/messages/rules';
import { groupBy } from '../helpers/group-by';
import { markdownTable } from '../helpers/markdown-table';

type Words = Pick<Rule, 'message' | 'advice'>;

const RULES: Words[] = [
	TOKEN_RULES,
	SITE_RULES,
	REJECTED_TOKEN_RULES,
	TEST_RULES,
	CONNECTION_RULES,
	NOT_SENT_RULES,
	PROXY_RULES,
].flatMap((rules: Record<string, Words>) => Object.values(rules));

/** For somebody with the credential open, at the node, which has options, after a rejected login. */
const READER: Circumstances = { hasOptions: true, statusCode: 401 };

/** Each message with what to do, in Markdown: labels are bold, as in the other documents. */
export function messagesText(): string {
	const rows = groupBy(RULES, ({ advice }) => toWords(advice, READER));
	const toRow = ([advice, same]: [string, Words[]]) => [
		[...new Set(same.map(({ message }) => message.replace(/\{\w+\}/g, '…')))].join(' / '),
		advice.replace(/'([A-Z][^']+)'/g, '**$1**').replace(/\b[A-Z\d]+(_[A-Z]+)+\b/g, '`$&`'),
	];
	return markdownTable([['Message', 'What to do'], ...[...rows].map(toRow)]);
}
