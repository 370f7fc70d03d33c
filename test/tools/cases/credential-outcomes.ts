import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import { DESERTED, type Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';

/** What the credential may point at. */
export interface Services {
	service: Service;
	/** The same over HTTPS, with a self-signed certificate. */
	tls: Service;
}

/** What the credential test says in one situation. */
export interface Outcome {
	situation: string;
	/** What is in the credential instead of the right login. */
	credential?: (services: Services) => ICredentialDataDecryptedObject;
	/** What the token endpoint does. */
	login?: Fault;
	/** What the site endpoint does. */
	data?: Fault;
	/** How the message begins; ` … ` stands for more words. Without it, the test succeeds. */
	message?: string;
}

export const SUCCEEDED = 'The login succeeded, but';
const LOST = 'The connection to the service was lost. Try again later … The address is http';
const TRY_HTTPS = "Try https:// instead of http:// in 'Base URL'.";
const LOST_AT_LOGIN = LOST.replace('Try', `${TRY_HTTPS} Try`);
const LATE = 'The service did not respond in time. Try again later … The address is http';
const LATE_AT_LOGIN = LATE.replace('Try', `${TRY_HTTPS} Try`);
const NO_TOKEN =
	"The login response contains no access token. Check 'Base URL' … contact the service operator";
const NOT_TRUSTED =
	"The service's certificate is not trusted. Ask the service operator … turn on 'Ignore SSL Issues (Insecure)'. The address is https";
const WRONG_LOGIN =
	"The service rejected the username or password. Re-enter 'Username' and 'Password', then save.";
const UNAVAILABLE = 'The service is unavailable (status {status}). … Try again later';
const MOVED = `The service redirects to another address. … enter its new address in 'Base URL'. … It redirects to ${DESERTED}`;

const afterLogin = (words: string) =>
	`${SUCCEEDED} ${words.charAt(0).toLowerCase()}${words.slice(1)}`;

const CHECK_OR_CALL = "Check 'Base URL'; if it is right, contact the service operator.";
const PAGE = `${SUCCEEDED} the service returned a web page instead of site data. Check 'Base URL' … A proxy or your network's login page may be responding instead.`;
const NOT_OPEN = `${SUCCEEDED} the service rejected the access token for site data. Ask the service operator whether this user may read it.`;
const NO_SITE = `${SUCCEEDED} the response to a request for site data contained no site. ${CHECK_OR_CALL}`;
const NO_DATA = `${SUCCEEDED} the response to a request for site data was empty. ${CHECK_OR_CALL}`;
const REFUSED = `${SUCCEEDED} the service refused to send site data (status {status}). ${CHECK_OR_CALL}`;
const BUSY =
	'The service is receiving too many requests. Try again {wait}; if this persists, ask the service operator for a higher limit.';

/** As nginx answers plain HTTP on a port for HTTPS. */
const NGINX_PAGE = `<html>
<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>
<body>
<center><h1>400 Bad Request</h1></center>
<center>The plain HTTP request was sent to HTTPS port</center>
<hr><center>nginx</center>
</body>
</html>
`;

const redirect = { redirect: { status: 302, to: DESERTED } };
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

const CREDENTIAL: Array<[string, NonNullable<Outcome['credential']>, string]> = [
	[
		'No base URL',
		() => ({ baseUrl: '' }),
		"'Base URL' is empty. Enter the address of the service, e.g. https://api.example.com",
	],
	[
		'Base URL without https://',
		() => ({ baseUrl: 'api.example.com' }),
		"'Base URL' must start with https:// or http://. Add https:// in front of the address in 'Base URL', e.g. https://api.example.com",
	],
	[
		'Base URL with the path of a site',
		({ service }) => ({ baseUrl: `${service.baseUrl}/meta/sites/12` }),
		"'Base URL' is the address of site data. Remove '/meta/sites/12' from its end.",
	],
	...['Username', 'Password'].map((field): (typeof CREDENTIAL)[number] => [
		`No ${field.toLowerCase()}`,
		() => ({ [field.toLowerCase()]: '' }),
		`'${field}' is empty. Enter '${field}'. If an expression supplies it, check that it returns text.`,
	]),
	[
		'Unknown host',
		() => ({ baseUrl: 'http://sea-farm.invalid' }),
		"The address of the service was not found. Check 'Base URL' for typos. … The address is http",
	],
	[
		'Connection refused',
		() => ({ baseUrl: DESERTED }),
		`The service refused the connection. ${TRY_HTTPS} Check 'Base URL', including the port … contact the service operator. The address is http`,
	],
	['Self-signed certificate', ({ tls }) => ({ baseUrl: tls.baseUrl }), NOT_TRUSTED],
	[
		'Self-signed certificate, **Ignore SSL Issues (Insecure)** just turned off, a token stored',
		({ tls }) => ({ baseUrl: tls.baseUrl, accessToken: 'kept-by-n8n' }),
		NOT_TRUSTED,
	],
	[
		'https:// for a service that uses http://',
		({ service }) => ({ baseUrl: service.baseUrl.replace('http:', 'https:') }),
		"The service does not use HTTPS at this address. Check 'Base URL': it may need to start with http:// instead of https://. The address is https",
	],
	[
		'http:// for a service that uses https://',
		({ tls }) => ({ baseUrl: tls.baseUrl.replace('https:', 'http:') }),
		LOST_AT_LOGIN,
	],
];

/** What an endpoint does, and what the dialog says; `typed` is in the credential instead of the right login. */
type Row = [
	situation: string,
	fault: Fault,
	message: string,
	typed?: ICredentialDataDecryptedObject,
];

/** One for each status. */
const statuses = (codes: number[], message: string): Row[] =>
	codes.map((status) => [
		`Status ${status}`,
		{ status },
		message.replace('{status}', String(status)),
	]);

const LOGIN: Row[] = [
	[
		'Wrong password',
		{},
		`${WRONG_LOGIN} … The service says: "The username or the password is wrong."`,
		{ password: 'mistyped' },
	],
	[
		'A password with a space at its end',
		{},
		WRONG_LOGIN.replace(
			'Re-enter',
			"'Password' begins or ends with a space: remove it, unless it belongs to the password. Re-enter",
		),
		{ password: 'mistyped ' },
	],
	...statuses([400, 403], WRONG_LOGIN),
	[
		'http:// for a service that uses https://, behind nginx',
		{ status: 400, body: { text: NGINX_PAGE }, headers: { 'content-type': 'text/html' } },
		"The service expects HTTPS at this address. Enter https:// instead of http:// in 'Base URL'.",
	],
	...[400, 401, 403, 423].map((status): Row => [
		`Status ${status} with a web page`,
		{ status, body: 'html' },
		`The login was refused with a web page (status ${status}). ${TRY_HTTPS} A proxy or firewall`,
	]),
	[
		'The service repeats the password',
		{ status: 401, echo: true },
		`${WRONG_LOGIN} … The service says: "Rejected: ••• ••• ••• "•••""`,
		{ password: 'p+ss w/rd' },
	],
	...statuses(
		[404, 405],
		"No login endpoint was found at this address. Check 'Base URL': this is not the address of the data service.",
	),
	...statuses(
		[423],
		"The service refused the login (status {status}). Check 'Base URL', 'Username' and 'Password'.",
	),
	...statuses(
		[407],
		'The network proxy requires a login (status {status}). … Ask your n8n administrator',
	),
	...statuses(
		[511],
		'The network requires a login (status {status}). Ask your network administrator',
	),
	[
		'Status 429 with `Retry-After`',
		{ status: 429, retryAfter: 30 },
		BUSY.replace('{wait}', 'in 30 seconds'),
	],
	...statuses([500, 502, 503, 520], UNAVAILABLE),
	['Redirect', redirect, MOVED],
	['A web page', { body: 'html' }, `The login returned a web page. ${TRY_HTTPS} Check 'Base URL'`],
	['Status 204', { status: 204 }, NO_TOKEN],
	['Status 200 with `{}`', { body: { json: {} } }, NO_TOKEN],
	['A token of another type', { merge: { token_type: 'MAC' } }, NO_TOKEN],
	['Connection reset', { connection: 'reset' }, LOST_AT_LOGIN],
	['Connection cut in mid-body', { connection: 'cut' }, LOST_AT_LOGIN],
	['A body that cannot be unpacked', garbage, LOST_AT_LOGIN],
	['No response', { connection: 'hang' }, LATE_AT_LOGIN],
	['A byte every two seconds', drip, LATE_AT_LOGIN],
];

const DATA: Row[] = [
	...statuses([401], NOT_OPEN),
	[
		'Status 403 that names the token (`insufficient_scope`)',
		{ status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } },
		NOT_OPEN,
	],
	['Status 401 with a web page', { status: 401, body: 'html' }, PAGE],
	['Status 403 with a web page', { status: 403, body: 'html' }, PAGE],
	['Redirect', redirect, afterLogin(MOVED)],
	['A web page', { status: 200, body: 'html' }, PAGE],
	['Status 404 with a web page', { status: 404, body: 'html' }, PAGE],
	...statuses([204, 304], NO_DATA),
	['Status 200 with an empty body', { status: 200, body: 'empty' }, NO_DATA],
	['Status 200 with `{}`', { status: 200, body: { json: {} } }, NO_SITE],
	[
		'Status 200 with a maintenance notice',
		{ status: 200, body: { json: { error: 'maintenance until noon' } } },
		`${NO_SITE} The service says: "maintenance until noon"`,
	],
	['Status 200 with broken JSON', { status: 200, body: { text: '{ "siteId": 0, ' } }, NO_SITE],
	...statuses([402, 405, 423, 451], REFUSED),
	...statuses(
		[407],
		`${SUCCEEDED} the network proxy requires a login (status {status}). … Ask your n8n administrator`,
	),
	...statuses(
		[511],
		`${SUCCEEDED} the network requires a login (status {status}). Ask your network administrator`,
	),
	[
		'Status 403 from a proxy',
		{ status: 403, headers: { 'x-squid-error': 'ERR_ACCESS_DENIED 0' } },
		`${SUCCEEDED} a proxy or firewall blocked the request (status 403). Ask your network administrator`,
	],
	[
		'Status 429 with `Retry-After`',
		{ status: 429, retryAfter: 90 },
		afterLogin(BUSY).replace('{wait}', 'in 90 seconds'),
	],
	...statuses([429], afterLogin(BUSY).replace('{wait}', 'later')),
	...statuses([500, 502, 503, 504, 520], afterLogin(UNAVAILABLE)),
	[
		'The service repeats the token',
		{ status: 500, echo: true },
		`${SUCCEEDED} the service is unavailable … The service says: "Rejected: ••• ••• ••• … "•••""`,
	],
	['Connection reset', { connection: 'reset' }, afterLogin(LOST)],
	[
		'Connection cut in mid-body',
		{ status: 200, body: { json: { siteId: 0 } }, connection: 'cut' },
		afterLogin(LOST),
	],
	['A body that cannot be unpacked', { status: 200, ...garbage }, afterLogin(LOST)],
	['No response', { connection: 'hang' }, afterLogin(LATE)],
	['A byte every two seconds', { status: 200, ...drip }, afterLogin(LATE)],
];

const outcomesAt = (endpoint: 'login' | 'data', rows: Row[]): Outcome[] =>
	rows.map(([situation, fault, message, typed]) => ({
		situation,
		[endpoint]: fault,
		message,
		credential: () => typed ?? {},
	}));

/** Where it happens, and what the dialog says then. */
export const OUTCOMES: Record<string, Outcome[]> = {
	'If a workflow could read data': GOOD,
	'In the credential, or on the way to the service': CREDENTIAL.map(
		([situation, credential, message]) => ({ situation, credential, message }),
	),
	'At the login': outcomesAt('login', LOGIN),
	'When site data is requested': outcomesAt('data', DATA),
};

/** Brings the situation about, with services that have seen no other. Returns what is in the credential. */
export function arrange(outcome: Outcome, services: Services): ICredentialDataDecryptedObject {
	const { service } = services;
	if (outcome.login) service.faults.token.push(outcome.login);
	if (outcome.data) service.faults.site.push(outcome.data);
	return { baseUrl: service.baseUrl, ...service.login, ...outcome.credential?.(services) };
}

/** What the test must say. */
export function expectedResult({ message }: Outcome): INodeCredentialTestResult {
	if (message === undefined) return { status: 'OK', message: 'Connection successful!' };
	const parts = message.split(' … ').map((part) => part.replace(/[.()|*]/g, '\\$&'));
	const pattern = new RegExp(`^${parts.join('.* ')}`);
	return { status: 'Error', message: expect.stringMatching(pattern) as string };
}
