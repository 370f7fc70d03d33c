import { markdownTable } from 'markdown-table';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';
import type { Block } from '../helpers/document';

/** What the credential may point at. */
export interface Services {
	service: Service;
	/** The same over HTTPS, with a self-signed certificate. */
	tls: Service;
	/** An address at which nothing listens. */
	deserted: string;
}

/** What the credential test says in one situation. */
export interface Outcome {
	situation: string;
	/** What stands in the credential instead of the right login. */
	credential?: (services: Services) => ICredentialDataDecryptedObject;
	/** What the token endpoint does. */
	login?: Fault;
	/** What the site endpoint does. */
	data?: Fault;
	/** Without a message, the test succeeds. `{address}` is the base URL. */
	message?: string;
}

const SUCCEEDED = 'The login succeeded, but';
const TRY_LATER = 'Try again later; if this persists, contact the service operator.';
const ADDRESS = 'The address is {address}';
const CHECK_OR_CALL = "Check 'Base URL'; if it is right, contact the service operator.";
const DATA_SERVICE =
	"Check 'Base URL': it must be the address of the data service, not of its website.";
const NO_TOKEN = `The login response contains no access token. ${DATA_SERVICE} If it is right, contact the service operator.`;
const LOST = `The connection to the service was lost. ${TRY_LATER} ${ADDRESS}`;
const LATE = `The service did not respond in time. ${TRY_LATER} ${ADDRESS}`;
const NOT_TRUSTED = `The service's certificate is not trusted. Ask the service operator for the right address. Only if you know that the service uses a self-signed certificate, turn on 'Ignore SSL Issues (Insecure)'. ${ADDRESS}`;
const PAGE = `${SUCCEEDED} the service returned a web page instead of site data. ${DATA_SERVICE} A proxy or your network's login page may be responding instead.`;
const NOT_OPEN = `${SUCCEEDED} the service rejected the access token for site data. Ask the service operator whether this user may read it.`;
const NO_SITE = `${SUCCEEDED} the response to a request for site data contained no site. ${CHECK_OR_CALL}`;
const NO_DATA = `${SUCCEEDED} the response to a request for site data was empty. ${CHECK_OR_CALL}`;
const MOVED =
	'the service redirects to another address. The redirect was not followed. If the service has moved, enter its new address in \'Base URL\'. It redirects to http://127.0.0.1:9 The service says: "Moved."';

const says = (reason: string) => `The service says: "The service says: ${reason}"`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const unavailable = (status: number, reason: string) =>
	`the service is unavailable (status ${status}). The cause is the service, not your workflow. ${TRY_LATER} ${says(reason)}`;
const refused = (status: number, reason: string) =>
	`${SUCCEEDED} the service refused to send site data (status ${status}). ${CHECK_OR_CALL} ${says(reason)}`;
const wrongLogin = (words: string) =>
	`The service rejected the username or password. Re-enter 'Username' and 'Password', and save. The same login is not retried for one minute, so that the account is not locked. The service says: "${words}"`;

const redirect = { redirect: { status: 302, to: 'http://127.0.0.1:9' } };
// Not even a header of gzip (RFC 1952, section 2.3.1)
const garbage: Fault = { body: { text: 'garbage' }, headers: { 'content-encoding': 'gzip' } };
const drip: Fault = { drip: { bytes: 1, everyMs: 2000 }, bytes: 1000 };

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
		situation: `Status ${status} for site 0: the token was accepted, this site is not the user's`,
		data: { status },
	})),
	{ situation: 'Status 404 with an empty body', data: { status: 404, body: 'empty' } },
	{
		situation: 'A token that is rejected, then one that is accepted',
		data: { status: 401, times: 1 },
	},
];

const CREDENTIAL: Outcome[] = [
	{
		situation: 'No base URL',
		credential: () => ({ baseUrl: '' }),
		message: "'Base URL' is empty. Enter the address of the service, e.g. https://api.example.com",
	},
	{
		situation: 'Base URL without https://',
		credential: () => ({ baseUrl: 'api.example.com' }),
		message:
			"'Base URL' must start with https:// or http://. Add https:// in front of the address in 'Base URL', e.g. https://api.example.com",
	},
	{
		situation: 'Base URL with the path of a site',
		credential: ({ service }) => ({ baseUrl: `${service.baseUrl}/meta/sites/12` }),
		message: "'Base URL' is the address of site data. Remove '/meta/sites/12' from its end.",
	},
	...['Username', 'Password'].map((field) => ({
		situation: `No ${field.toLowerCase()}`,
		credential: () => ({ [field.toLowerCase()]: '' }),
		message: `'${field}' is empty. Enter '${field}'. If an expression supplies it, check that it returns a text.`,
	})),
	{
		situation: 'Unknown host',
		credential: () => ({ baseUrl: 'http://sea-farm.invalid' }),
		message: `The address of the service was not found. Check 'Base URL' for typos. If it is right, check the network of the machine that runs n8n. ${ADDRESS}`,
	},
	{
		situation: 'Connection refused',
		credential: ({ deserted }) => ({ baseUrl: deserted }),
		message: `Nothing is listening at the service address. Check 'Base URL', including the port if it has one. If it is right, the service may be down: try again later. ${ADDRESS}`,
	},
	{
		situation: 'Self-signed certificate',
		credential: ({ tls }) => ({ baseUrl: tls.baseUrl }),
		message: NOT_TRUSTED,
	},
	{
		situation:
			'Self-signed certificate, **Ignore SSL Issues (Insecure)** just turned off, a token stored',
		credential: ({ tls }) => ({ baseUrl: tls.baseUrl, accessToken: 'kept-by-n8n' }),
		message: NOT_TRUSTED,
	},
	{
		situation: 'https:// for a service that uses http://',
		credential: ({ service }) => ({ baseUrl: service.baseUrl.replace('http:', 'https:') }),
		message: `The service does not use HTTPS at this address. Check 'Base URL': it may need to start with http:// instead of https://. ${ADDRESS}`,
	},
	{
		situation: 'http:// for a service that uses https://',
		credential: ({ tls }) => ({ baseUrl: tls.baseUrl.replace('https:', 'http:') }),
		message: LOST,
	},
];

const LOGIN: Outcome[] = [
	{
		situation: 'Wrong password',
		credential: () => ({ password: 'mistyped' }),
		message: wrongLogin('The username or the password is wrong.'),
	},
	{
		situation: 'Status 400',
		login: { status: 400 },
		message: wrongLogin('The service says: Bad Request'),
	},
	{
		situation: 'The service repeats the password',
		credential: () => ({ password: 'p+ss w/rd' }),
		login: { status: 401, echo: true },
		message: wrongLogin('Rejected: ••• ••• ••• "•••"'),
	},
	{
		situation: 'Status 404',
		login: { status: 404 },
		message: `No login endpoint was found at this address. Check 'Base URL': it is the part before '/auth/token'. ${says('Not Found')}`,
	},
	{
		situation: 'Status 423',
		login: { status: 423 },
		message: `The service refused the login (status 423). Check 'Base URL', 'Username' and 'Password'. If they are right, contact the service operator. ${says('Locked')}`,
	},
	{
		situation: 'Status 429 with `Retry-After`',
		login: { status: 429, retryAfter: 30 },
		message: 'The service is receiving too many requests. Wait 30 seconds, then retry.',
	},
	...(
		[
			[500, 'Internal Server Error'],
			[503, 'Service Unavailable'],
			[520, '520'],
		] as const
	).map(([status, reason]) => ({
		situation: `Status ${status}`,
		login: { status },
		message: capital(unavailable(status, reason)),
	})),
	{ situation: 'Redirect', login: redirect, message: capital(MOVED) },
	{
		situation: 'A web page',
		login: { body: 'html' },
		message: `The login returned a web page. ${DATA_SERVICE} If it is right, contact the service operator.`,
	},
	{ situation: 'Status 204', login: { status: 204 }, message: NO_TOKEN },
	{ situation: 'Status 200 with `{}`', login: { body: { json: {} } }, message: NO_TOKEN },
	{
		situation: 'A token of another type',
		login: { merge: { token_type: 'MAC' } },
		message: NO_TOKEN,
	},
	{ situation: 'Connection reset', login: { connection: 'reset' }, message: LOST },
	{ situation: 'Connection cut in mid-body', login: { connection: 'cut' }, message: LOST },
	{ situation: 'A body that cannot be unpacked', login: garbage, message: LOST },
	{ situation: 'No response', login: { connection: 'hang' }, message: LATE },
	{ situation: 'A byte every two seconds', login: drip, message: LATE },
];

const afterLogin = (words: string) =>
	`${SUCCEEDED} ${words.charAt(0).toLowerCase()}${words.slice(1)}`;

const DATA: Outcome[] = [
	{
		situation: 'Status 401',
		data: { status: 401 },
		message: `${NOT_OPEN} ${says('Unauthorized')}`,
	},
	{
		situation: 'Status 403 that names the token (`insufficient_scope`)',
		data: { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } },
		message: `${NOT_OPEN} ${says('Forbidden')}`,
	},
	{ situation: 'Status 403 with a web page', data: { status: 403, body: 'html' }, message: PAGE },
	{ situation: 'Redirect', data: redirect, message: `${SUCCEEDED} ${MOVED}` },
	{ situation: 'Status 304', data: { status: 304 }, message: NO_DATA },
	{ situation: 'A web page', data: { status: 200, body: 'html' }, message: PAGE },
	{ situation: 'Status 404 with a web page', data: { status: 404, body: 'html' }, message: PAGE },
	{ situation: 'Status 204', data: { status: 204 }, message: NO_DATA },
	{
		situation: 'Status 200 with an empty body',
		data: { status: 200, body: 'empty' },
		message: NO_DATA,
	},
	{
		situation: 'Status 200 with `{}`',
		data: { status: 200, body: { json: {} } },
		message: NO_SITE,
	},
	{
		situation: 'Status 200 with a maintenance notice',
		data: { status: 200, body: { json: { error: 'maintenance until noon' } } },
		message: `${NO_SITE} The service says: "maintenance until noon"`,
	},
	{
		situation: 'Status 200 with broken JSON',
		data: { status: 200, body: { text: '{ "siteId": 0, ' } },
		message: NO_SITE,
	},
	...(
		[
			[402, 'Payment Required'],
			[405, 'Method Not Allowed'],
			[423, 'Locked'],
			[451, 'Unavailable For Legal Reasons'],
		] as const
	).map(([status, reason]) => ({
		situation: `Status ${status}`,
		data: { status },
		message: refused(status, reason),
	})),
	{
		situation: 'Status 429 with `Retry-After`',
		data: { status: 429, retryAfter: 90 },
		message: `${SUCCEEDED} the service is receiving too many requests. Wait 90 seconds, then retry.`,
	},
	{
		situation: 'Status 429 without it',
		data: { status: 429 },
		message: `${SUCCEEDED} the service is receiving too many requests. Wait 60 seconds, then retry.`,
	},
	...(
		[
			[500, 'Internal Server Error'],
			[502, 'Bad Gateway'],
			[503, 'Service Unavailable'],
			[504, 'Gateway Timeout'],
			[520, '520'],
		] as const
	).map(([status, reason]) => ({
		situation: `Status ${status}`,
		data: { status },
		message: `${SUCCEEDED} ${unavailable(status, reason)}`,
	})),
	{
		situation: 'The service repeats the token',
		data: { status: 500, echo: true },
		message: `${SUCCEEDED} ${unavailable(500, '').replace(/The service says: .*/, 'The service says: "Rejected: ••• ••• ••• "•••""')}`,
	},
	{ situation: 'Connection reset', data: { connection: 'reset' }, message: afterLogin(LOST) },
	{
		situation: 'A body that cannot be unpacked',
		data: { status: 200, ...garbage },
		message: afterLogin(LOST),
	},
	{ situation: 'No response', data: { connection: 'hang' }, message: afterLogin(LATE) },
	{
		situation: 'A byte every two seconds',
		data: { status: 200, ...drip },
		message: afterLogin(LATE),
	},
];

/** Where it happens, and what the dialog says then. */
export const OUTCOMES: Record<string, Outcome[]> = {
	'Nothing that would keep a workflow from its data': GOOD,
	'In the credential, or on the way to the service': CREDENTIAL,
	'At the login': LOGIN,
	'When site data is requested': DATA,
};

let users = 0;

/** Brings the situation about, for a user of its own, so that no other login is remembered. Returns what is in the credential. */
export function arrange(outcome: Outcome, services: Services): ICredentialDataDecryptedObject {
	const { service, tls } = services;
	const login = { username: `user-${++users}@example.com`, password: `sample-${users}` };
	for (const { logins } of [service, tls]) logins.push(login);
	if (outcome.login) service.faults.token.push(outcome.login);
	if (outcome.data) service.faults.site.push(outcome.data);
	return { baseUrl: service.baseUrl, ...login, ...outcome.credential?.(services) };
}

/** Whether the service never completes a response: the test ends by itself. */
export const hangs = ({ login, data }: Outcome): boolean =>
	[login, data].some((fault) => fault?.drip !== undefined || fault?.connection === 'hang');

/** What the test must say of a credential. */
export function expectedResult({ message }: Outcome, { baseUrl }: ICredentialDataDecryptedObject) {
	return message === undefined
		? { status: 'OK', message: 'Connection successful!' }
		: { status: 'Error', message: message.replace('{address}', baseUrl as string) };
}

/** The place of the table in the documents. */
export const BLOCK: Block = {
	document: 'credential-test.md',
	name: 'outcomes',
	command: 'CREDENTIAL_OUTCOMES=print npx jest test/credentials',
};

/** The table in Markdown. */
export function outcomesText(): string {
	const shown = ({ message }: Outcome) =>
		message?.replace('{address}', 'https://api.example.com') ?? 'Connection tested successfully';
	const sections = Object.entries(OUTCOMES).map(([place, outcomes]) => {
		const rows = outcomes.map((outcome) => [outcome.situation, shown(outcome)]);
		return `### ${place}\n\n${markdownTable([['Situation', 'The dialog says'], ...rows])}`;
	});
	const all = Object.values(OUTCOMES).flat().length;
	return [`${all} situations.`, ...sections].join('\n\n');
}
