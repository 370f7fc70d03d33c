import type { IHttpRequestHelper } from 'n8n-workflow';
import type { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import { logIn } from '../../../nodes/AquacultureSite/service/login';

let logins = 0;

/** What a login says whose request n8n ends with this error. */
async function textFor(error: unknown): Promise<string> {
	const helper = {
		helpers: { httpRequest: jest.fn().mockRejectedValue(error) },
	} as unknown as IHttpRequestHelper;
	// A user of its own, whom no other login is remembered for
	const username = `user-${logins++}`;
	const credentials = { baseUrl: 'https://api.example.com', username, password: 'secret' };
	const failure: unknown = await logIn(helper, credentials).catch((error: unknown) => error);
	return `${String(failure)}. ${(failure as ServiceFailure).description}`;
}

const REFUSED = { code: 'ECONNREFUSED' };
const REFUSED_CONNECTION = 'The service refused the connection';
const LOST = 'The connection to the service was lost';
const NOT_SENT = 'n8n did not send the request';

const nest = (depth: number, wrap: (inner: unknown) => unknown): unknown =>
	depth === 0 ? REFUSED : wrap(nest(depth - 1, wrap));
const asCause = (cause: unknown) => ({ cause });
const inBundle = (error: unknown) => ({ errors: [error] });

const circle: Record<string, unknown> = { code: 'E_WHATEVER' };
circle.cause = circle;

test.each<[string, unknown, string]>([
	['as httpCode, as n8n 1.x has it', { httpCode: 'ECONNREFUSED' }, REFUSED_CONNECTION],
	['five causes below', nest(5, asCause), REFUSED_CONNECTION],
	['five bundles below', nest(5, inBundle), REFUSED_CONNECTION],
	['in the second of a bundle', { errors: [circle, asCause(REFUSED)] }, REFUSED_CONNECTION],
	['in a circle', circle, LOST],
	['six causes below', nest(6, asCause), NOT_SENT],
	['six bundles below', nest(6, inBundle), NOT_SENT],
	['in something like a bundle', { errors: REFUSED }, NOT_SENT],
	['as the status of data that broke off, in n8n 1.x', { httpCode: '200' }, LOST],
	...['econnrefused', 7].map((code): [string, unknown, string] => [
		'by none',
		{ code, httpCode: code },
		NOT_SENT,
	]),
	['by no error at all', null, NOT_SENT],
	['by words of n8n alone', { message: 'No.', description: 'Allow it' }, 'says: "No. Allow it"'],
])('the code of the network is found %s', async (_, error, text) => {
	expect(await textFor(error)).toContain(text);
});

const PROXY =
	'The network proxy cannot be reached. n8n is set up to reach the service through a proxy, ';

test.each<[string, unknown, string]>([
	['proxy.example.com:3128', { messages: ['getaddrinfo ENOTFOUND proxy.example.com'] }, PROXY],
	['10.0.0.1:3128', { messages: ['', 'connect ECONNREFUSED 10.0.0.1:3128'] }, `${PROXY}10.0.0.1:`],
	['[::1]:3128', asCause({ message: 'connect ETIMEDOUT ::1:3128' }), `${PROXY}::1:3128.`],
	['none', { ...REFUSED, message: 'connect ECONNREFUSED 10.0.0.1:443' }, REFUSED_CONNECTION],
	[
		'none, by its name',
		{ message: 'getaddrinfo ENOTFOUND api.example.com', code: 'ENOTFOUND' },
		'was not',
	],
	[
		'one that hangs up',
		{ messages: ['Proxy connection ended before receiving CONNECT response'] },
		'The network proxy ended the connection. Try again later',
	],
])('a proxy is known by what Node tried to reach: %s', async (_, error, text) => {
	expect(await textFor(error)).toContain(text);
});

const REJECTED = 'The service rejected the username or password';

// Sent again, it could lock the account
test.each([
	['n8n 1.x', { httpCode: '401', messages: ['stream has been aborted'] }],
	['n8n 2.x', asCause({ code: 'ERR_BAD_RESPONSE', response: { status: 401, headers: {} } })],
])('a refusal that breaks off is one all the same: %s', async (_, error) => {
	expect(await textFor(error)).toContain(REJECTED);
});
