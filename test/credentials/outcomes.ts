import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import type { Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';

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
	/** How the message begins; ` … ` stands for more words. Without it, the test succeeds. */
	message?: string;
}

const SUCCEEDED = 'The login succeeded, but';
const LOST = 'The connection to the service was lost. Try again later';
const LATE = 'The service did not respond in time. Try again later';
const NO_TOKEN =
	"The login response contains no access token. Check 'Base URL' … contact the service operator";
const NOT_TRUSTED =
	"The service's certificate is not trusted. Ask the service operator … turn on 'Ignore SSL Issues (Insecure)'";
const WRONG_LOGIN =
	"The service rejected the username or password. Re-enter 'Username' and 'Password', and save.";
const UNAVAILABLE = 'The service is unavailable (status {status}). … Try again later';
const MOVED =
	"The service redirects to another address. … enter its new address in 'Base URL'. … It redirects to http://127.0.0.1:9";

const afterLogin = (words: string) =>
	`${SUCCEEDED} ${words.charAt(0).toLowerCase()}${words.slice(1)}`;

const CHECK_OR_CALL = "Check 'Base URL'; if it is right, contact the service operator.";
const PAGE = `${SUCCEEDED} the service returned a web page instead of site data. Check 'Base URL' … A proxy or your network's login page may be responding instead.`;
const NOT_OPEN = `${SUCCEEDED} the service rejected the access token for site data. Ask the service operator whether this user may read it.`;
const NO_SITE = `${SUCCEEDED} the response to a request for site data contained no site. ${CHECK_OR_CALL}`;
const NO_DATA = `${SUCCEEDED} the response to a request for site data was empty. ${CHECK_OR_CALL}`;
const REFUSED = `${SUCCEEDED} the service refused to send site data (status {status}). ${CHECK_OR_CALL}`;
const BUSY = 'The service is receiving too many requests. Wait {wait}, then retry.';

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
		message: "The address of the service was not found. Check 'Base URL' for typos.",
	},
	{
		situation: 'Connection refused',
		credential: ({ deserted }) => ({ baseUrl: deserted }),
		message: "Nothing is listening at the service address. Check 'Base URL', including the port",
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
		message:
			"The service does not use HTTPS at this address. Check 'Base URL': it may need to start with http:// instead of https://.",
	},
	{
		situation: 'http:// for a service that uses https://',
		credential: ({ tls }) => ({ baseUrl: tls.baseUrl.replace('https:', 'http:') }),
		message: LOST,
	},
];

/** One for each status. */
const statuses = (
	endpoint: 'login' | 'data',
	codes: number[],
	message: string,
	more: Fault = {},
): Outcome[] =>
	codes.map((status) => ({
		situation: `Status ${status}`,
		[endpoint]: { status, ...more },
		message: message.replace('{status}', String(status)),
	}));

const LOGIN: Outcome[] = [
	{
		situation: 'Wrong password',
		credential: () => ({ password: 'mistyped' }),
		message: `${WRONG_LOGIN} … The service says: "The username or the password is wrong."`,
	},
	...statuses('login', [400, 403], WRONG_LOGIN),
	{
		situation: 'The service repeats the password',
		credential: () => ({ password: 'p+ss w/rd' }),
		login: { status: 401, echo: true },
		message: `${WRONG_LOGIN} … The service says: "Rejected: ••• ••• ••• "•••""`,
	},
	...statuses(
		'login',
		[404, 405],
		"No login endpoint was found at this address. Check 'Base URL': it is the part before '/auth/token'.",
	),
	...statuses(
		'login',
		[423],
		"The service refused the login (status {status}). Check 'Base URL', 'Username' and 'Password'.",
	),
	...statuses(
		'login',
		[407],
		'The network proxy requires a login (status {status}). … Ask your n8n administrator',
	),
	...statuses(
		'login',
		[511],
		'The network requires a login (status {status}). Ask your network administrator',
	),
	{
		situation: 'Status 429 with `Retry-After`',
		login: { status: 429, retryAfter: 30 },
		message: BUSY.replace('{wait}', '30 seconds'),
	},
	...statuses('login', [500, 502, 503, 520], UNAVAILABLE),
	{ situation: 'Redirect', login: redirect, message: MOVED },
	{
		situation: 'A web page',
		login: { body: 'html' },
		message: "The login returned a web page. Check 'Base URL'",
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

const DATA: Outcome[] = [
	...statuses('data', [401], NOT_OPEN),
	{
		situation: 'Status 403 that names the token (`insufficient_scope`)',
		data: { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } },
		message: NOT_OPEN,
	},
	{ situation: 'Status 403 with a web page', data: { status: 403, body: 'html' }, message: PAGE },
	{ situation: 'Redirect', data: redirect, message: afterLogin(MOVED) },
	{ situation: 'A web page', data: { status: 200, body: 'html' }, message: PAGE },
	{ situation: 'Status 404 with a web page', data: { status: 404, body: 'html' }, message: PAGE },
	...statuses('data', [204, 304], NO_DATA),
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
	...statuses('data', [402, 405, 423, 451], REFUSED),
	...statuses(
		'data',
		[407],
		`${SUCCEEDED} the network proxy requires a login (status {status}). … Ask your n8n administrator`,
	),
	...statuses(
		'data',
		[511],
		`${SUCCEEDED} the network requires a login (status {status}). Ask your network administrator`,
	),
	{
		situation: 'Status 403 from a proxy',
		data: { status: 403, headers: { 'x-squid-error': 'ERR_ACCESS_DENIED 0' } },
		message: `${SUCCEEDED} a proxy or firewall blocked the request (status 403). Ask your network administrator`,
	},
	{
		situation: 'Status 429 with `Retry-After`',
		data: { status: 429, retryAfter: 90 },
		message: afterLogin(BUSY).replace('{wait}', '90 seconds'),
	},
	...statuses('data', [429], afterLogin(BUSY).replace('{wait}', '60 seconds')),
	...statuses('data', [500, 502, 503, 504, 520], afterLogin(UNAVAILABLE)),
	{
		situation: 'The service repeats the token',
		data: { status: 500, echo: true },
		message: `${SUCCEEDED} the service is unavailable … The service says: "Rejected: ••• ••• ••• "•••""`,
	},
	{ situation: 'Connection reset', data: { connection: 'reset' }, message: afterLogin(LOST) },
	{
		situation: 'Connection cut in mid-body',
		data: { status: 200, body: { json: { siteId: 0 } }, connection: 'cut' },
		message: afterLogin(LOST),
	},
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

/** What the test must say. */
export function expectedResult({ message }: Outcome): INodeCredentialTestResult {
	if (message === undefined) return { status: 'OK', message: 'Connection successful!' };
	const parts = message.split(' … ').map((part) => part.replace(/[.()|*]/g, '\\$&'));
	const pattern = new RegExp(`^${parts.join('.* ')}`);
	return { status: 'Error', message: expect.stringMatching(pattern) as string };
}
