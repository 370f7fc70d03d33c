import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import {
	type Circumstances,
	given,
	toWords,
} from '../../../nodes/AquacultureSite/service/messages/advice';
import {
	CONNECTION_RULES,
	PROXY_RULES,
	type Rule,
	type Rules,
	TEST_RULES,
	TOKEN_RULES,
} from '../../../nodes/AquacultureSite/service/messages/rules';
import { DESERTED, type Fault } from '../fake-service/faults';
import { at, defined } from '../helpers/at';
import type { Stage } from './fault-table';
import {
	ADDRESSES,
	type Example,
	messageOf,
	PROXY_EXAMPLES,
	TEST_EXAMPLES,
	TOKEN_EXAMPLES,
} from './examples';

type Words = Pick<Rule, 'message' | 'advice'>;

/** What the credential test says in one situation. */
export interface Outcome {
	situation: string;
	/** What is in the credential instead of the right login. */
	credential?: (stage: Stage) => ICredentialDataDecryptedObject;
	/** What the token endpoint does. */
	login?: Fault;
	/** What the site endpoint does. */
	data?: Fault;
	/** What the message is made of. Without it, the test succeeds. */
	words?: Words;
	/** What the advice depends on. */
	known?: Circumstances;
	/** How the message ends. */
	ends?: string;
}

const SUCCEEDED = 'The login succeeded, but';

const GOOD: Outcome[] = [
	{ situation: 'Everything is right; there is no site 0 (status 404)' },
	{
		situation: 'The base URL has spaces around it, and `/auth/token` at its end',
		credential: ({ service }) => ({ baseUrl: ` ${service.baseUrl}/auth/token/ ` }),
	},
	{
		situation: 'Self-signed certificate, **Ignore SSL Issues (Insecure)** turned on',
		credential: ({ tls }) => ({ baseUrl: tls.baseUrl, allowUnauthorizedCerts: true }),
	},
	{ situation: 'There is a site 0', data: { status: 200, body: { json: { siteId: 0 } } } },
	...[400, 403, 410, 422].map((status) => ({
		situation:
			"Status 400, 403, 410, 422 for site 0: the token was accepted, this site is not the user's",
		data: { status },
	})),
	{ situation: 'Status 404 with an empty body', data: { status: 404, body: 'empty' } },
	{
		situation: 'A token that is rejected, then one that is accepted',
		data: { status: 401, times: 1 },
	},
];

const CREDENTIAL: Array<[string, NonNullable<Outcome['credential']>, Words]> = [
	...[
		['No base URL', '', 'is empty'],
		['Base URL without https://', 'api.example.com', 'must start with https:// or http://'],
		['Base URL with the path of a site', 'http://a/meta/sites/12', 'is the address of site data'],
	].map(([situation = '', baseUrl = '', mistake = '']): (typeof CREDENTIAL)[number] => [
		situation,
		() => ({ baseUrl }),
		{ message: `'Base URL' ${mistake}`, advice: ['Enter the address of the service alone'] },
	]),
	...['Username', 'Password'].map((field): (typeof CREDENTIAL)[number] => [
		`No ${field.toLowerCase()}`,
		() => ({ [field.toLowerCase()]: '' }),
		{ message: `'${field}' is empty`, advice: [`Enter '${field}'`] },
	]),
	...ADDRESSES.map(([situation, baseUrl, words]): (typeof CREDENTIAL)[number] => [
		situation,
		(stage) => ({ baseUrl: baseUrl(stage) }),
		words,
	]),
	[
		'Self-signed certificate, **Ignore SSL Issues (Insecure)** just turned off, a token stored',
		({ tls }) => ({ baseUrl: tls.baseUrl, accessToken: 'kept-by-n8n' }),
		CONNECTION_RULES.badCertificate,
	],
	[
		'`http://` for a service that uses HTTPS',
		({ tls }) => ({ baseUrl: tls.baseUrl.replace('https:', 'http:') }),
		CONNECTION_RULES.lost,
	],
];

/** One form of each example, which stands for the others: they are tested without n8n. */
const outcomesOf = (
	endpoint: 'login' | 'data',
	examples: Record<string, Example[]>,
	rules: Rules,
): Outcome[] =>
	Object.entries(examples).flatMap(([name, ofRule]) =>
		ofRule.map(({ what, forms }) => {
			const fault = at(Object.values(forms), 0);
			// Of the site endpoint, which would refuse the request otherwise
			const status = endpoint === 'data' ? 200 : undefined;
			return { situation: what, [endpoint]: { status, ...fault }, words: defined(rules[name]) };
		}),
	);

const one = (what: string, fault: Fault): Example => ({ what, forms: { '': fault } });

const CONNECTION_EXAMPLES = {
	lost: [
		one('Connection reset', { connection: 'reset' }),
		one('Connection cut in mid-body', { connection: 'cut' }),
		// Not even a header of gzip (RFC 1952, section 2.3.1)
		one('A body that cannot be unpacked', {
			body: { text: 'garbage' },
			headers: { 'content-encoding': 'gzip' },
		}),
	],
	late: [
		one('No response', { connection: 'hang' }),
		one('A byte every two seconds', { drip: { bytes: 1, everyMs: 2000 }, bytes: 1000 }),
	],
};

/** What neither endpoint has to itself. */
const commonOutcomes = (endpoint: 'login' | 'data', { moved }: Rules): Outcome[] => [
	...outcomesOf(endpoint, PROXY_EXAMPLES, PROXY_RULES),
	{
		situation: 'Redirect',
		[endpoint]: { redirect: { status: 302, to: DESERTED } },
		words: moved,
		known: { location: DESERTED },
	},
	...outcomesOf(endpoint, CONNECTION_EXAMPLES, CONNECTION_RULES),
];

const REPEATED = '"•••""';

/** A login that the service rejects. */
const typed = (situation: string, password: string, fault: Fault, ends: string): Outcome => ({
	situation,
	credential: () => ({ password }),
	login: fault,
	words: TOKEN_RULES.rejected,
	known: { statusCode: 401, login: { url: 'http:', password } },
	ends,
});
const WRONG = 'The service says: "The username or the password is wrong."';

/** Where it happens, and what the dialog says then. */
export const OUTCOMES: Record<string, Outcome[]> = {
	'If a workflow could read data': GOOD,
	'In the credential, or on the way to the service': CREDENTIAL.map(
		([situation, credential, words]) => ({ situation, credential, words }),
	),
	'At the login': [
		typed('Wrong password', 'mistyped', {}, WRONG),
		typed('A password with a space at its end', 'mistyped ', {}, WRONG),
		typed('The service repeats the password', 'p+ss w/rd', { status: 401, echo: true }, REPEATED),
		...outcomesOf('login', TOKEN_EXAMPLES, TOKEN_RULES),
		...commonOutcomes('login', TOKEN_RULES),
	],
	'When site data is requested': [
		...outcomesOf('data', TEST_EXAMPLES, TEST_RULES),
		...commonOutcomes('data', TEST_RULES),
		{
			situation: 'Status 200 with a maintenance notice',
			data: { status: 200, body: { json: { error: 'maintenance until noon' } } },
			words: TEST_RULES.noSite,
			ends: 'The service says: "maintenance until noon"',
		},
		{
			situation: 'The service repeats the token',
			data: { status: 500, echo: true },
			words: TEST_RULES.unavailable,
			ends: REPEATED,
		},
	],
};

/** Brings the situation about, at services that have seen no other. Returns what is in the credential. */
export function arrange(outcome: Outcome, stage: Stage): ICredentialDataDecryptedObject {
	const { service } = stage;
	if (outcome.login) service.faults.token.push(outcome.login);
	if (outcome.data) service.faults.site.push(outcome.data);
	return { baseUrl: service.baseUrl, ...service.login, ...outcome.credential?.(stage) };
}

/** What the test must say: the words for a reader who has the credential open. */
export function expectedResult(outcome: Outcome): INodeCredentialTestResult {
	const { login, data, words, known, ends = '' } = outcome;
	if (!words) return { status: 'OK', message: 'Connection successful!' };
	const { status: statusCode = 200, retryAfter } = login ?? data ?? {};
	const circumstances = {
		statusCode,
		...(typeof retryAfter === 'number' && { retryAfter: retryAfter * 1000 }),
		...(!data && { login: { url: 'http:' } }),
		...known,
	};
	const message = messageOf(words, statusCode);
	const happened = data
		? `${SUCCEEDED} ${message.charAt(0).toLowerCase()}${message.slice(1)}`
		: message;
	const text = `${happened}. ${toWords(given(circumstances, words.advice), {})}`;
	const [start, end] = [text, ends].map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return { status: 'Error', message: expect.stringMatching(`^${start}.*${end}$`) as string };
}
