import fc from 'fast-check';
import { given, toWords } from '../../../../nodes/AquacultureSite/service/messages/advice';
import { ServiceFailure } from '../../../../nodes/AquacultureSite/service/messages/failures';
import type { ServiceResponse } from '../../../../nodes/AquacultureSite/service/messages/response';
import {
	isFromProxy,
	readSiteResponse,
	readTestResponse,
	readTokenResponse,
} from '../../../../nodes/AquacultureSite/service/messages/response';
import {
	PROXY_RULES,
	REJECTED_TOKEN_RULES,
	type Rule,
	type Rules,
	SITE_RULES,
	TEST_RULES,
	TOKEN_RULES,
} from '../../../../nodes/AquacultureSite/service/messages/rules';
import {
	type Example,
	messageOf,
	PROXY_EXAMPLES,
	responseOf,
	SITE_EXAMPLES,
	TEST_EXAMPLES,
	TOKEN_EXAMPLES,
} from '../../../tools/cases/examples';
import { defined } from '../../../tools/helpers/at';
import { forAll } from '../../../tools/helpers/fuzz';

const SITE_ID = '1042';
const LOGIN = { url: 'https://api.example.com', password: 'sample' };

const PAGE = '<!DOCTYPE html>\n<html><body>Welcome</body></html>';

type Details = Partial<Omit<ServiceResponse, 'statusCode'>> &
	Partial<Parameters<typeof readSiteResponse>[2]>;

function fromToken(
	statusCode: number,
	{ secrets: [password = 'sample'] = [], ...rest }: Details = {},
	url = 'https://api.example.com',
): ServiceFailure {
	const response = { statusCode, headers: {}, body: {}, ...rest };
	const result = readTokenResponse(response, { url, password: String(password) });
	if (result instanceof ServiceFailure) return result;
	throw new Error('There is a token');
}

function fromSite(statusCode: number, { secrets = [], scope = 'request', ...rest }: Details = {}) {
	const response = { statusCode, headers: {}, body: {}, ...rest };
	const result = readSiteResponse(SITE_ID, response, { scope, secrets });
	if (result instanceof ServiceFailure) return result;
	throw new Error('A site was read');
}

/** The proxy refused to CONNECT. */
const FROM_PROXY: Details = { request: { protocol: 'https:', socket: { encrypted: false } } };

function fromTest(statusCode: number, { secrets = [], ...rest }: Details): ServiceFailure {
	const failure = readTestResponse('0', { statusCode, headers: {}, body: {}, ...rest }, secrets);
	if (failure) return failure;
	throw new Error('The token was accepted');
}

describe.each([
	['the login', fromToken, TOKEN_RULES, TOKEN_EXAMPLES],
	['a site', fromSite, SITE_RULES, SITE_EXAMPLES],
	['the credential test', fromTest, TEST_RULES, TEST_EXAMPLES],
	['the login, by a proxy', fromToken, PROXY_RULES, PROXY_EXAMPLES],
	['a site, by a proxy', fromSite, PROXY_RULES, PROXY_EXAMPLES],
] as const)('a response to %s', (_, fail, rules: Rules, examples) => {
	test.each(Object.entries<Example[]>(examples))('%s', (name, ofRule) => {
		const rule = defined(rules[name]);
		for (const fault of ofRule.flatMap(({ forms }) => Object.values(forms))) {
			const { statusCode, ...details } = responseOf(fault);
			const failure = fail(statusCode, details);
			expect(failure.message).toBe(messageOf(rule, statusCode));
			const known = { statusCode, retryAfter: failure.retryAfter, login: LOGIN };
			const whatToDo = toWords(given(known, rule.advice));
			expect(failure.description).toContain(whatToDo);
			// Neither a full stop after one sentence nor the words that the guidelines of n8n avoid
			expect(failure.message).toMatch(/^[A-Z].*[^.]$/);
			expect(failure.message).not.toMatch(/error|problem|failure|mistake/i);
			expect(whatToDo).not.toMatch(/error|failure|mistake/i);
		}
	});
});

const body = (...all: unknown[]): Details[] => all.map((each) => ({ body: each }));

test.each<[string, Rule, number, Details[]]>([
	[
		'a page of any kind',
		SITE_RULES.webPage,
		200,
		body('<HTML>', '\n <!DocType html>', '<?xml version="1.0"?>', '<head>', '<body a="b">'),
	],
	['no page', SITE_RULES.otherData, 200, body('some <html> inside', Buffer.from('{}'))],
	[
		'another site',
		SITE_RULES.otherData,
		200,
		body({ siteId: 1043 }, { siteId: [1042] }, { siteId: 2 ** 60 }, { data: { siteId: 1042 } }),
	],
	['a redirect, whatever is in it', SITE_RULES.moved, 300, body({ siteId: 1042 })],
	['a page, instead of a closed site', SITE_RULES.noAccess, 401, body(PAGE)],
	['a rejected token', REJECTED_TOKEN_RULES.rejectedToken, 401, [{ scope: 'run' }]],
])('%s', (_, rule, status, all) => {
	const messages = all.map((details) => fromSite(status, details).message);
	expect(messages).toEqual(all.map(() => messageOf(rule, status)));
});

test.each(['proxy-agent', 'proxy-authenticate', 'proxy-connection', 'x-squid-error'])(
	'a refusal with the header %s is of a proxy, a redirect is not',
	(name) => {
		const messageFor = (status: number) => fromSite(status, { headers: { [name]: '1' } }).message;
		expect(messageFor(400)).toBe(messageOf(PROXY_RULES.other, 400));
		expect(messageFor(399)).toBe(SITE_RULES.moved.message);
	},
);

test.each([
	[undefined, /^The redirect was not followed\. .* let n8n through\.$/],
	['/elsewhere', / let n8n through\.$/],
	['https://other.example/a?b=c', / n8n through\. It redirects to https:\/\/other\.example$/],
])('a redirect says where it leads, without path and query: %j', (location, advice) => {
	expect(fromSite(302, { headers: { location } }).description).toMatch(advice);
});

describe.each([
	['token', fromToken],
	['site', fromSite],
] as const)('a response of the %s endpoint', (_, fail) => {
	test.each([
		[false, [200, 302, 400, 404, 407, 409, 422, 501, 505, 511]],
		[true, [408, 425, 429, 500, 502, 503, 504, 519, 520, 525, 529, 599]],
	])('may pass: %s for %j', (mayPass, statuses) => {
		for (const status of statuses) expect(fail(status, { body: '' }).mayPass).toBe(mayPass);
	});

	test.each([200, 302, 400, 500])('%i quotes the service, without the secrets', (status) => {
		const { description } = fail(status, { body: { error: 'Not t0ken!' }, secrets: ['t0ken'] });
		expect(description).toMatch(/[^.]\. The service says: "Not •••!"$/);
	});
});

test.each([
	['credential', 'run', fromToken, [200, 302, 400, 404, 405, 422]],
	['service', 'run', fromToken, [429, 500, 502, 503]],
	['credential', 'run', (status: number) => fromSite(status, { scope: 'run' }), [401]],
	['credential', 'request', fromSite, [302]],
	['service', 'request', fromSite, [429, 500, 503]],
	['site', 'request', fromSite, [200, 400, 401, 403, 404, 422]],
] as const)('a failure about the %s, of scope %s', (subject, scope, fail, statuses) => {
	for (const status of statuses) {
		for (const body of ['', PAGE, {}]) {
			expect(fail(status, { body })).toMatchObject({ subject, scope });
		}
	}
});

test.each([
	['login', fromToken, 'run'],
	['site', fromSite, 'request'],
] as const)('a proxy that responds instead of the service to a %s', (_, fail, scope) => {
	for (const status of [399, 401, 403, 407, 500, 502, 503, 504, 511]) {
		const failure = fail(status, { ...FROM_PROXY, body: { error: 'No' } });
		const isOfGateway = [502, 503, 504].includes(status);
		const mayPass = isOfGateway || (scope === 'request' && [401, 403, 500].includes(status));
		expect(failure).toMatchObject({ subject: 'service', mayPass, scope });
		expect(failure.httpStatus).toBeUndefined();
		expect(failure.description).toMatch(/\. The proxy says: "No"$/);
	}
});

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
	])('%s', (_, request, { via, ...response }: Record<string, unknown>, expected) => {
		const full = { ...REFUSED, ...response, headers: via === undefined ? {} : { via } };
		const all = { ...full, request: { protocol: 'https:', ...request } };
		expect(isFromProxy(all)).toBe(expected);
	});

	test('that does not name itself is for all sites to tell: one that fails alone says nothing', () => {
		const details = { ...REFUSED, request: ABSOLUTE };
		const messageFor = (scope: 'run' | 'request') => fromSite(403, { ...details, scope }).message;
		expect(messageFor('run')).toBe(messageOf(PROXY_RULES.other, 403));
		expect(messageFor('request')).toBe(messageOf(SITE_RULES.noAccess, 403));
	});

	test('is asked of refusals only, and where the request is known', () => {
		const request = { protocol: 'https:', socket: plain };
		const responses = [299, 300].map((statusCode) => ({ ...REFUSED, statusCode, request }));
		expect([...responses, REFUSED].map((each) => isFromProxy(each))).toEqual([false, true, false]);
	});
});

test.each([
	['1042', 1042],
	['1042', '1042'],
	// A status that a proxy's copy may have (RFC 9110, section 15.4.5)
	['1042', 1042, 304],
])('site %s is what has its ID: %j', (siteId, received, statusCode = 200) => {
	const response = { statusCode, headers: { a: 'b' }, body: { siteId: received } };
	expect(readSiteResponse(siteId, response, { scope: 'run', secrets: [] })).toBe(response);
});

test('fewer requests help against a rate limit, unless it was that of the login; fewer side by side do not', () => {
	const inNode = (failure: ServiceFailure) => toWords(failure.advice, { hasOptions: true });
	expect(inNode(fromSite(429))).toMatch(
		/\. Or run the workflow less often, or request fewer sites at a time\./,
	);
	expect(inNode(fromToken(429))).not.toContain('fewer');
	expect(inNode(fromSite(429))).not.toContain('Max Concurrency');
});

describe('a login that was sent to http://', () => {
	const atHttp = (status: number, body: unknown) =>
		fromToken(status, { body }, 'http://api.example.com').description;

	test.each([200, 400, 401, 403, 422])('and a web page with status %i: try https://', (status) => {
		expect(atHttp(status, PAGE)).toMatch(/^Try https:\/\/ instead of http:\/\/ in 'Base URL'\./);
		expect(fromToken(status, { body: PAGE }).description).not.toContain('http');
	});

	test('and a refusal in JSON: that was the service', () => {
		expect(atHttp(400, {})).not.toContain('http');
	});
});

describe('a rejected login', () => {
	test.each([' pa ss', 'pa ss\n', '\u00A0pa ss'])('with %j: a space is around it', (password) => {
		const { description } = fromToken(401, { secrets: [password] });
		expect(description).toMatch(/^'Password' begins or ends with a space: remove it, unless/);
	});

	test('with a space inside only: nothing is said of it', () => {
		expect(fromToken(401, { secrets: ['pa ss'] }).description).not.toContain('space');
	});
});

describe('the access token', () => {
	const read = (body: unknown, statusCode = 200) =>
		readTokenResponse({ statusCode, headers: {}, body }, { url: 'http://a', password: 'sample' });

	test.each<[unknown, number?]>([
		[{ access_token: '!a.b-c~', token_type: 'Bearer' }],
		[{ access_token: '!a.b-c~', token_type: 'BEARER', expires_in: null }, 201],
		[{ access_token: '!a.b-c~' }, 299],
	])('is in %j', (body, status = 200) => {
		expect(read(body, status)).toBe('!a.b-c~');
	});

	test.each([199, 300, 400])('is in no response with status %i', (status) => {
		expect(read({ access_token: 'a' }, status)).toBeInstanceOf(ServiceFailure);
	});
});

test('any response of either endpoint is a site, or a sentence without the secrets', () => {
	const near = fc.string({ unit: fc.constantFrom(...Array.from('0123456789 ,:-SunNovGMT')) });
	const response = fc.record({
		statusCode: fc.constantFrom(200, 204, 302, 400, 401, 404, 429, 500, 503),
		headers: fc.record({ 'retry-after': fc.oneof(fc.jsonValue(), near), location: fc.jsonValue() }),
		body: fc.oneof(fc.jsonValue(), fc.record({ message: fc.constantFrom('s3cret', 'No s3cret!') })),
	});
	forAll([response], (value) => {
		const read = readSiteResponse('1042', value, { scope: 'run', secrets: ['s3cret'] });
		const login = { url: 'http://a', password: 's3cret' };
		const all = [read, readTokenResponse(value, login), readTestResponse('0', value, ['s3cret'])];
		for (const failure of all) {
			if (!(failure instanceof ServiceFailure)) continue;
			expect(failure.message).toMatch(/^[A-Z][^.\n]*[^.]$/);
			expect(failure.description).not.toContain('s3cret');
			expect(failure.retryAfter ?? 0).toBeGreaterThanOrEqual(0);
		}
	});
});
