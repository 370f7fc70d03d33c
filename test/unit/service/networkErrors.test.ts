import {
	networkFailure,
	responseIn,
	toServiceResponse,
} from '../../../nodes/AquacultureSite/service/networkErrors';

// That n8n and Node really have such errors is shown in test/engine/wire and test/engine/proxy.test.ts

const API = 'https://api.example.com';

describe('whether a proxy sent a response itself', () => {
	const plain = { encrypted: false };
	const REFUSED = { statusCode: 403, headers: {}, body: 'Blocked' };
	const ABSOLUTE = { protocol: 'http:', path: 'http://api.example.com/auth/token' };

	test.each([
		['https without encryption: it refused to CONNECT', { socket: plain }, {}, true],
		['https with encryption: the service', { socket: { encrypted: true } }, {}, false],
		['https, nobody knows', {}, {}, false],
		['https, nobody knows any more', { socket: null }, {}, false],
		['http to a proxy', ABSOLUTE, {}, true],
		['http to a proxy, in capitals', { ...ABSOLUTE, path: 'HTTP://API.EXAMPLE.COM/' }, {}, true],
		['http to a proxy, without a body', ABSOLUTE, { body: null }, true],
		['http to a proxy that names itself in what it forwards', ABSOLUTE, { via: '1.1 x' }, false],
		['http to a proxy, but JSON', ABSOLUTE, { body: {} }, false],
		['http to a proxy, but not what proxies say', ABSOLUTE, { statusCode: 500 }, false],
		['http to the service', { protocol: 'http:', path: '/auth/http://' }, {}, false],
		['http, nobody knows', { protocol: 'http:' }, {}, false],
	])('%s', (_, request, { via, ...response }: Record<string, unknown>, isFromProxy) => {
		const full = { ...REFUSED, ...response, headers: via === undefined ? {} : { via } };
		const all = { ...full, request: { protocol: 'https:', ...request } };
		expect(toServiceResponse(all)).toEqual({ ...full, isFromProxy });
	});

	test('is asked of refusals only, and where the request is known', () => {
		const request = { protocol: 'https:', socket: plain };
		const responses = [299, 300].map((statusCode) => ({ ...REFUSED, statusCode, request }));
		const isKnown = [...responses, REFUSED].map((each) => 'isFromProxy' in toServiceResponse(each));
		expect(isKnown).toEqual([false, true, false]);
	});
});

describe('the response in an error', () => {
	const response = { status: 500, headers: { a: 'b' }, data: 'Out of order' };
	const found = { statusCode: 500, headers: { a: 'b' }, body: 'Out of order' };
	const nested = (depth: number): object =>
		depth === 0 ? { response } : { cause: nested(depth - 1) };

	test.each<[string, unknown, object | undefined]>([
		['of its own', { response }, found],
		['of its cause', nested(1), found],
		['of a cause five levels below', nested(5), found],
		['not deeper: there may be a circle', nested(6), undefined],
		['of one in a list', { errors: [null, { response }] }, found],
		['the outermost', { response, cause: { response: { ...response, status: 400 } } }, found],
		['from which data was cut off', { response: { status: 299, headers: {} } }, undefined],
		[
			'a refusal that was cut off',
			{ response: { status: 300, headers: {} } },
			{ statusCode: 300, headers: {}, body: undefined },
		],
		[
			'with data of any kind',
			{ response: { status: 100, headers: {}, data: '' } },
			{ statusCode: 100, headers: {}, body: '' },
		],
		['of no status', { response: { status: 99, headers: {}, data: '' } }, undefined],
		[
			'of n8n 1.x, its status alone',
			{ httpCode: '502' },
			{ statusCode: 502, headers: {}, body: undefined },
		],
		['none: a code of the network', { httpCode: 'ECONNRESET' }, undefined],
		['none: the error is a text', 'Unexpected', undefined],
		['none: there is no error', null, undefined],
		['none at all', undefined, undefined],
	])('%s', (_, error, expected) => {
		expect(responseIn(error)).toEqual(expected);
	});

	test('with the request beside it, which shows that a proxy sent it', () => {
		const request = { protocol: 'https:', socket: { encrypted: false } };
		expect(responseIn({ cause: { response, request } })).toEqual({ ...found, isFromProxy: true });
	});
});

describe('a request without a response', () => {
	const PROXY = 'The network proxy cannot be reached';
	const CLOSED = 'The network proxy ended the connection';
	const LOST = 'The connection to the service was lost';
	const REFUSED_CONNECTION = 'The service refused the connection';
	const NOT_FOUND = 'The address of the service was not found';
	const NOT_SENT = 'n8n did not send the request';
	const closed = 'Proxy connection ended before receiving CONNECT response';
	const connect = (address: string) => `connect ECONNREFUSED ${address}`;
	const refused = (address: string) => ({ message: connect(address), code: 'ECONNREFUSED' });

	test.each<[message: string, description: string, error: unknown, url?: string]>([
		[CLOSED, API, { message: closed }],
		[CLOSED, API, { cause: { messages: ['500', closed] } }],
		[PROXY, '10.0.0.1:3128.', refused('10.0.0.1:3128')],
		[PROXY, '10.0.0.1:80.', refused('10.0.0.1:80')],
		[PROXY, '10.0.0.1:443.', refused('10.0.0.1:443'), 'http://api.example.com'],
		[PROXY, '10.0.0.1:443.', refused('10.0.0.1:443'), 'https://api.example.com:8443'],
		[PROXY, 'proxy.example.', { message: 'getaddrinfo ENOTFOUND proxy.example' }],
		[PROXY, 'proxy.example.', { messages: ['', 'getaddrinfo EAI_AGAIN proxy.example'] }],
		[REFUSED_CONNECTION, API, refused('10.0.0.1:443')],
		[REFUSED_CONNECTION, 'http://a', refused('10.0.0.1:80'), 'http://a'],
		[REFUSED_CONNECTION, API, refused('10.0.0.1:8443'), `${API}:8443`],
		[
			REFUSED_CONNECTION,
			API,
			{ message: `Failed: ${connect('10.0.0.1:1')}`, code: 'ECONNREFUSED' },
		],
		[NOT_FOUND, API, { message: 'getaddrinfo ENOTFOUND api.example.com', code: 'ENOTFOUND' }],
		[NOT_FOUND, API, { message: 'x getaddrinfo ENOTFOUND proxy.example', code: 'ENOTFOUND' }],
		[REFUSED_CONNECTION, API, { code: 7, cause: { httpCode: 'ECONNREFUSED' } }],
		[LOST, API, { httpCode: '502' }],
		[NOT_SENT, 'n8n says: "Blocked by rules". ', { message: 'Blocked', description: 'by rules' }],
		[NOT_SENT, 'n8n says: "Blocked". ', { message: 'Blocked', code: 'blocked_by_n8n' }],
		[NOT_SENT, 'Check whether n8n', { code: 502, httpCode: '502x' }],
		[NOT_SENT, 'Check whether n8n', undefined],
	])('%s, %s: %j', (message, description, error, url = API) => {
		const failure = networkFailure(error, url);
		expect(failure.message).toBe(message);
		expect(failure.description).toContain(description);
	});

	test.each([{ message: closed }, refused('10.0.0.1:3128'), { code: 'ECONNRESET' }])(
		'of the login is one for all: %j',
		(error) => {
			expect(networkFailure(error, API, 'run').scope).toBe('run');
			expect(networkFailure(error, API).scope).toBe('request');
		},
	);
});
