import { joinSentences, toWords } from '../../../../nodes/AquacultureSite/service/messages/advice';
import type { FailureScope } from '../../../../nodes/AquacultureSite/service/messages/failures';
import {
	CONNECTION_RULES,
	NOT_SENT_RULES,
} from '../../../../nodes/AquacultureSite/service/messages/rules';
import { CODES } from '../../../tools/cases/examples';
import {
	connectionFailure,
	networkFailure,
	responseIn,
} from '../../../../nodes/AquacultureSite/service/messages/networkFailures';

// That n8n and Node really have such errors is shown in test/engine/faults, test/engine/wire and test/engine/proxy.test.ts

const API = 'https://api.example.com';

const RULES = CONNECTION_RULES;
const NOT_FOUND = RULES.unknownHost.message;
const REFUSED_CONNECTION = RULES.refused.message;
const LOST = RULES.lost.message;

describe('the response in an error', () => {
	const response = { status: 500, headers: { a: 'b' }, data: 'Out of order' };
	const found = { statusCode: 500, headers: { a: 'b' }, body: 'Out of order' };
	const nested = (depth: number): object =>
		depth === 0 ? { response } : { cause: nested(depth - 1) };
	const bare = (status: number) => ({ status, headers: {} });
	const read = (statusCode: number, body?: string) => ({ statusCode, headers: {}, body });
	const request = { protocol: 'https:', socket: { encrypted: false } };

	test.each<[string, unknown, object | undefined]>([
		['of its own', { response }, found],
		['of a cause five levels below', nested(5), found],
		['not deeper: there may be a circle', nested(6), undefined],
		['of one in a list', { errors: [null, { response }] }, found],
		['the outermost', { response, cause: { response: { ...response, status: 400 } } }, found],
		[
			'with what shows whether a proxy sent it',
			{ cause: { response, request } },
			{ ...found, request },
		],
		['from which data was cut off', { response: bare(299) }, undefined],
		['a refusal that was cut off', { response: bare(300) }, read(300)],
		['with data of any kind', { response: { ...bare(100), data: '' } }, read(100, '')],
		['of no status', { response: { ...bare(99), data: '' } }, undefined],
		['of n8n 1.x, its status alone', { httpCode: '502' }, read(502)],
		['of n8n 1.x, from which data was cut off', { httpCode: '200' }, undefined],
		['none: a code of the network', { httpCode: 'ECONNRESET' }, undefined],
		['none: the error is a text', 'Unexpected', undefined],
		['none: there is no error', null, undefined],
	])('%s', (_, error, expected) => {
		expect(responseIn(error)).toEqual(expected);
	});
});

describe('a request without a response', () => {
	const PROXY = NOT_SENT_RULES.proxyUnreached.message;
	const CLOSED = NOT_SENT_RULES.proxyEnded.message;
	const closed = 'Proxy connection ended before receiving CONNECT response';
	const connect = (address: string) => `connect ECONNREFUSED ${address}`;
	const refused = (address: string) => ({ message: connect(address), code: 'ECONNREFUSED' });

	test.each<[message: string, description: string, error: unknown, url?: string]>([
		[CLOSED, API, { message: closed }],
		[CLOSED, API, { cause: { messages: ['500', closed] } }],
		[PROXY, '10.0.0.1:3128.', refused('10.0.0.1:3128')],
		[PROXY, ' ::1:3128.', { cause: { message: 'connect ETIMEDOUT ::1:3128' } }],
		[PROXY, '10.0.0.1:80.', refused('10.0.0.1:80')],
		[PROXY, '10.0.0.1:443.', refused('10.0.0.1:443'), 'http://api.example.com'],
		[PROXY, '10.0.0.1:443.', refused('10.0.0.1:443'), 'https://api.example.com:8443'],
		[PROXY, 'proxy.example.', { message: 'getaddrinfo ENOTFOUND proxy.example' }],
		[PROXY, 'proxy.example.', { messages: ['', 'getaddrinfo EAI_AGAIN proxy.example'] }],
		[REFUSED_CONNECTION, API, refused('10.0.0.1:443')],
		[REFUSED_CONNECTION, 'http://a', refused('10.0.0.1:80'), 'http://a'],
		[REFUSED_CONNECTION, API, refused('10.0.0.1:8443'), `${API}:8443`],
		[REFUSED_CONNECTION, API, { ...refused(''), message: `Failed: ${connect('10.0.0.1:1')}` }],
		[NOT_FOUND, API, { message: 'getaddrinfo ENOTFOUND api.example.com', code: 'ENOTFOUND' }],
		[NOT_FOUND, API, { message: 'x getaddrinfo ENOTFOUND proxy.example', code: 'ENOTFOUND' }],
		[REFUSED_CONNECTION, API, { code: 7, cause: { httpCode: 'ECONNREFUSED' } }],
		[LOST, API, { httpCode: '502' }],
	])('%s, %s: %j', (message, description, error, url = API) => {
		const failure = networkFailure(error, url);
		expect(failure.message).toBe(message);
		expect(failure.description).toContain(description);
	});

	test.each([{ message: closed }, refused('10.0.0.1:3128'), { code: 'ECONNRESET' }])(
		'may pass, and of the login is one for all: %j',
		(error) => {
			const mayPass = { subject: 'service', mayPass: true };
			expect(networkFailure(error, API, 'run')).toMatchObject({ ...mayPass, scope: 'run' });
			expect(networkFailure(error, API)).toMatchObject({ ...mayPass, scope: 'request' });
		},
	);

	test.each<[error: unknown, said: string]>([
		[{ message: 'Blocked', description: 'by rules' }, 'n8n says: "Blocked by rules". '],
		[{ message: 'Blocked', code: 'blocked_by_n8n' }, 'n8n says: "Blocked". '],
		[{ message: '', code: 502, httpCode: '502x' }, ''],
		[{ errors: { code: 'ECONNREFUSED' } }, ''],
		[undefined, ''],
	])('was not sent by n8n: %j', (error, said) => {
		expect(networkFailure(error, API)).toMatchObject({
			message: NOT_SENT_RULES.blocked.message,
			description: `${said}${toWords(NOT_SENT_RULES.blocked.advice)} The service's address is ${API}`,
			...{ subject: 'service', mayPass: false, scope: 'run' },
		});
	});
});

describe('a connection that failed', () => {
	test.each(Object.entries(RULES))('%s', (name, rule) => {
		const { message, advice, isFinal } = rule;
		const verdict = isFinal
			? { mayPass: false, scope: 'run' }
			: { mayPass: true, scope: 'request' };
		for (const code of CODES[name as keyof typeof CODES].split(' ')) {
			const failure = connectionFailure([code], API);
			expect(failure).toMatchObject({ message, subject: 'service', ...verdict });
			expect(failure.description).toBe(
				joinSentences(toWords(advice), `The service's address is ${API}`),
			);
			expect(failure.message + failure.description).not.toContain(code);
			expect(failure.message + failure.description).not.toMatch(/error|problem|failure|mistake/i);
		}
	});

	test.each(['ECONNRESET', 'HPE_INVALID_CONSTANT', 'ECONNREFUSED', 'ETIMEDOUT'])(
		'of a login that was sent to http://: try https:// (%s)',
		(code) => {
			const TRY = /^Try https:\/\/ instead of http:\/\/ in 'Base URL'\. /;
			const adviceAt = (url: string, scope?: FailureScope) =>
				connectionFailure([code], url, scope).description;
			expect(adviceAt('http://api.example.com', 'run')).toMatch(TRY);
			expect(adviceAt(API, 'run')).not.toMatch(TRY);
			// A site is requested after a login, or with a token of this address
			expect(adviceAt('http://api.example.com')).not.toMatch(TRY);
		},
	);

	test('in time is about an option of the node, unless it was the login', () => {
		const inNode = (scope?: FailureScope) =>
			toWords(connectionFailure(['ETIMEDOUT'], API, scope).advice, { hasOptions: true });
		expect(inNode()).toMatch(/increase 'Timeout' under 'Options'\. The service's address/);
		expect(inNode('run')).not.toContain('Options');
	});
});
