import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Service, startService } from '../../tools/fake-service/service';
import { takeViolations } from '../../tools/fake-service/violations';
import { own } from '../../tools/helpers/own';

interface Call {
	method?: string;
	path?: string;
	headers?: Record<string, string>;
	body?: string;
}

let service: Service;

beforeEach(async () => {
	service = await own(startService());
});

/** Sends a request as it is; fetch would add headers, or refuse it. */
async function call({ path = '', method, headers, body = '' }: Call) {
	// Node sends the body of a GET only with its length
	const length = body && { 'content-length': String(Buffer.byteLength(body)) };
	const all = { ...headers, ...(length || {}) };
	const sent = request(service.origin + path, { method, headers: all, agent: false }).end(body);
	const [response] = (await once(sent, 'response')) as [IncomingMessage];
	return { status: response.statusCode, json: (await json(response)) as Record<string, unknown> };
}

const VERSION = { 'api-version': '2025-01-01' };
const TYPE = { 'content-type': 'application/json' };

const login = (change: Call = {}) =>
	call({
		method: 'POST',
		path: '/auth/token',
		headers: { ...VERSION, ...TYPE },
		body: JSON.stringify(service.login),
		...change,
	});

async function site(change: Call = {}) {
	const authorization = `Bearer ${String((await login()).json['access_token'])}`;
	return await call({
		path: '/meta/sites/1042',
		headers: { ...VERSION, authorization },
		...change,
	});
}

const refused = (status: number) => ({ status, json: { message: expect.any(String) as string } });

test.each([
	['another method', { method: 'PUT' }, 405],
	['a query', { path: '/auth/token?a=1' }, 400],
	['no Content-Type', { headers: VERSION }, 400],
	['a longer type', { headers: { ...VERSION, 'content-type': 'application/jsonp' } }, 400],
	['no Api-Version', { headers: TYPE }, 400],
	['the earlier version', { headers: { ...TYPE, 'api-version': '2023-01-01' } }, 400],
	['broken JSON', { body: '{"username":' }, 400],
	['null', { body: 'null' }, 400],
	['no password', { body: '{"username":"a"}' }, 400],
	['a number for a password', { body: '{"username":"a","password":1}' }, 400],
	['another field', { body: '{"username":"a","password":"b","x":1}' }, 400],
])('a login with %s is refused, and the contract has it as wrong', async (_, change, status) => {
	expect(await login(change)).toEqual(refused(status));
	expect(takeViolations()).not.toEqual([]);
});

test.each([
	['no token', { headers: VERSION }, 401],
	['an empty token', { headers: { ...VERSION, authorization: 'Bearer ' } }, 401],
	['another scheme', { headers: { ...VERSION, authorization: 'Basic YTpi' } }, 401],
	['another method', { method: 'POST' }, 405],
	['a body', { body: '{}' }, 400],
	['an empty $include', { path: '/meta/sites/1042?$include=' }, 400],
	['an unknown part', { path: '/meta/sites/1042?$include=Units' }, 400],
	['a space', { path: '/meta/sites/1042?$include=units,%20info' }, 400],
	['another parameter', { path: '/meta/sites/1042?$include=units&page=1' }, 400],
	['a name for a site ID', { path: '/meta/sites/abc' }, 400],
	['an encoded path for a site ID', { path: '/meta/sites/..%2F..%2Fauth' }, 400],
	['another address', { path: '/meta/sites/1042/units' }, 404],
])(
	'a request for a site with %s is refused, and the contract has it as wrong',
	async (_, change, status) => {
		expect(await site(change)).toEqual(refused(status));
		expect(takeViolations()).not.toEqual([]);
	},
);
