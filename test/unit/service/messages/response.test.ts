import fc from 'fast-check';
import { toWords } from '../../../../nodes/AquacultureSite/service/messages/advice';
import { ServiceFailure } from '../../../../nodes/AquacultureSite/service/messages/failures';
import type { ServiceResponse } from '../../../../nodes/AquacultureSite/service/messages/response';
import {
	isFromProxy,
	readSiteResponse,
	readTestResponse,
	readTokenResponse,
} from '../../../../nodes/AquacultureSite/service/messages/response';
import { forAll } from '../../../tools/helpers/fuzz';

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

function fromSite(
	statusCode: number,
	{ secrets = [], unauthorized = 'token', ...rest }: Details = {},
) {
	const response = { statusCode, headers: {}, body: {}, ...rest };
	const result = readSiteResponse('1042', response, { secrets, unauthorized });
	if (result instanceof ServiceFailure) return result;
	throw new Error('A site was read');
}

/** The proxy refused to CONNECT. */
const FROM_PROXY: Details = { request: { protocol: 'https:', socket: { encrypted: false } } };

const to = (location: string): Details => ({ headers: { location } });
const after = (seconds: string): Details => ({ headers: { 'retry-after': seconds } });
const bodies = (...all: unknown[]): Details[] => all.map((body) => ({ body }));
const WITH_PAGE: Details = { body: PAGE };

const REJECTED = 'The service rejected the username or password';
const PAGE_REFUSED = 'The login was refused with a web page (status {status})';
const NO_LOGIN = 'No login endpoint was found at this address';
const NO_TOKEN = 'The login response contains no access token';
const NO_ACCESS = 'This user has no access to site 1042';
const REFUSED = 'The service rejected the request for site 1042 (status {status})';
const PAGE_REFUSES_SITE = 'Access to site 1042 was refused with a web page (status {status})';
const MOVED = 'The service redirects to another address';
const BUSY = 'The service is receiving too many requests';
const UNAVAILABLE = 'The service is unavailable (status {status})';
const EMPTY = 'The response for site 1042 is empty';

/** What is said of each of these statuses, with each of these details. */
type Case = [statuses: number[], message: string, advice: RegExp, ...details: Details[]];

const eachOf = (cases: Case[]) =>
	cases.flatMap(([statuses, message, advice, ...details]) =>
		statuses.flatMap((status) =>
			(details.length > 0 ? details : [{}]).map(
				(detail) => [status, message.replace('{status}', String(status)), advice, detail] as const,
			),
		),
	);

const TOKEN_CASES: Case[] = [
	[[400, 401, 403], REJECTED, /^Open .* 'Password'.* locked/],
	[[404, 405], NO_LOGIN, /'Base URL'.* not the address/, {}, WITH_PAGE],
	[[402, 499], 'The service refused the login (status {status})', /^Open .*'Base URL', 'Username'/],
	[[200], 'The login returned a web page', /not of its website.*login page/, WITH_PAGE],
	[[400, 401, 403], PAGE_REFUSED, /^A proxy or firewall.*'Username'.*locked/, WITH_PAGE],
	[[402, 499], PAGE_REFUSED, /^A proxy or firewall.*'Password'\.$/, WITH_PAGE],
	[
		[400],
		'The service expects HTTPS at this address',
		/^Open .* enter https:\/\//,
		// nginx, Apache, Go and Tomcat
		...bodies(
			'<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
			"<!DOCTYPE HTML>\n<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.</p>",
			'Client sent an HTTP request to an HTTPS server.\n',
			'Bad Request\nThis combination of host and port requires TLS.\n',
		),
	],
	[[200], NO_TOKEN, /not of its website.*operator\.$/],
	[[304], NO_TOKEN, /./, { body: '' }],
];

const SITE_CASES: Case[] = [
	[[400, 402, 422, 499], REFUSED, /^Check .*'API Version'/],
	[[401], 'The service rejected a newly issued access token', /^The login succeeded/],
	[[401], NO_ACCESS, /^Ask the service/, { unauthorized: 'site' }],
	[[401], NO_ACCESS, /./, { ...WITH_PAGE, unauthorized: 'site' }],
	[[403], NO_ACCESS, /^Ask the service operator/],
	[[404], 'Site 1042 was not found', /^Check the site ID\./, {}, WITH_PAGE],
	[[400, 402, 403, 405, 422, 499], PAGE_REFUSES_SITE, /^A proxy or .*network admin/, WITH_PAGE],
	[[200], EMPTY, /^Try again later/, ...bodies('', null, undefined)],
	[
		[200],
		'The response for site 1042 is not valid',
		/^It does not contain this site\. Try again/,
		...bodies('Hello', 42, true, [], Buffer.from('{}'), 'some <html> inside'),
		...bodies({}, { error: 'maintenance' }, { data: { siteId: 1042 } }, [{ siteId: 1042 }]),
		...bodies({ siteId: 1043 }, { siteId: null }, { siteId: [1042] }, { siteId: 2 ** 60 }),
	],
	[
		[200],
		'The service returned a web page instead of site 1042',
		/'Base URL'.*login page/,
		...bodies(PAGE, '<HTML>', '\n <!DocType html>', '<?xml version="1.0"?>', '<head>'),
		...bodies('<body a="b">'),
	],
	[[304], EMPTY, /./, { body: '' }],
];

const COMMON_CASES: Case[] = [
	[[300], MOVED, /in 'Base URL'\. .* let n8n through\.$/],
	[[300], MOVED, /^The redirect was not followed/, { body: { siteId: 1042 } }],
	[[302], MOVED, / let n8n through\.$/, to('/elsewhere')],
	[[399], MOVED, /'Base URL'\. .* https:\/\/other\.example$/, to('https://other.example/a?b=c')],
	[[429], BUSY, /^Try again later.* higher limit\./],
	[[429], BUSY, /^Try again in 5 minutes; if this persists, ask/, after('300')],
	[[500], UNAVAILABLE, /your workflow\. Try again later/],
	[[502, 504], UNAVAILABLE, /^The problem is with the service or a proxy .* your workflow\. Try/],
	[[503], UNAVAILABLE, /your workflow\. Try again in 1 second; if/, after('1')],
];

describe.each([
	['token', fromToken, TOKEN_CASES],
	['site', fromSite, SITE_CASES],
] as const)('a response of the %s endpoint', (_, fail, cases) => {
	test.each(eachOf([...cases, ...COMMON_CASES]))('%i: %s', (status, message, advice, details) => {
		const failure = fail(status, details);
		expect(failure).toMatchObject({ message, httpStatus: status });
		expect(failure.description).toMatch(advice);
		// Neither a full stop after one sentence nor the words that the guidelines of n8n avoid
		expect(failure.message).toMatch(/^[A-Z].*[^.]$/);
		expect(failure.message).not.toMatch(/error|problem|failure|mistake/i);
		expect(failure.description).not.toMatch(/error|failure|mistake/i);
	});

	test.each([
		['no', [200, 302, 400, 401, 403, 404, 407, 409, 422, 501, 505, 519, 525]],
		['retry', [408, 500, 502, 504, 520, 521, 522, 523, 524]],
		['overloaded', [503]],
		['rateLimited', [429]],
	] as const)('retry: %s for %j', (retry, statuses) => {
		for (const status of statuses) expect(fail(status, { body: '' }).retry).toBe(retry);
	});

	test('hands on Retry-After in milliseconds', () => {
		expect(fail(503, after('7')).retryAfter).toBe(7000);
		expect(fail(503).retryAfter).toBeUndefined();
	});

	test.each([200, 302, 400, 500])('%i quotes the service, without the secrets', (status) => {
		const { description } = fail(status, { body: { error: 'Not t0ken!' }, secrets: ['t0ken'] });
		expect(description).toMatch(/[^.]\. The service says: "Not •••!"$/);
	});

	test('quotes the service after the address of a redirect', () => {
		const { description } = fail(302, { ...to('https://other.example'), body: { error: 'No' } });
		expect(description).toMatch(/ https:\/\/other\.example\. The service says: "No"$/);
	});
});

test.each([
	['credential', 'run', fromToken, [200, 302, 400, 404, 405, 422]],
	['service', 'run', fromToken, [429, 500, 502, 503]],
	['credential', 'request', fromSite, [401]],
	['credential', 'run', (status: number) => fromSite(status, { unauthorized: 'run' }), [401]],
	['credential', 'request', fromSite, [302]],
	['service', 'request', fromSite, [429, 500, 503]],
	['site', 'request', fromSite, [200, 400, 403, 404, 422]],
	['site', 'request', (status: number) => fromSite(status, { unauthorized: 'site' }), [401]],
] as const)('a failure about the %s, of scope %s', (subject, scope, fail, statuses) => {
	for (const status of statuses) {
		for (const body of ['', PAGE, {}]) {
			expect(fail(status, { body })).toMatchObject({ subject, scope });
		}
	}
});

describe.each([
	['token', fromToken, 'run'],
	['site', fromSite, 'request'],
] as const)('a proxy that responds instead of the %s endpoint', (_endpoint, fail, scope) => {
	const seen = FROM_PROXY;
	const named = ['proxy-agent', 'proxy-authenticate', 'proxy-connection', 'x-squid-error'];
	const INSTEAD_OF_SERVICE = 'A network proxy responded instead of the service (status {status})';
	const UNREACHED = 'The network proxy could not reach the service (status {status})';

	const cases: Case[] = [
		[
			[407],
			'The network proxy requires a login (status {status})',
			/HTTP_PROXY and HTTPS_PROXY\.$/,
		],
		[[511], 'The network requires a login (status {status})', /^Ask your network admin/],
		[[502, 503, 504], UNREACHED, /^Open .*'Base URL'/, seen],
		[[403], 'A proxy or firewall blocked the request (status {status})', /^Ask .* reason\.$/, seen],
		[[399, 401, 500], INSTEAD_OF_SERVICE, /HTTP_PROXY and HTTPS_PROXY, .*'Base URL'\.$/, seen],
		[[400], INSTEAD_OF_SERVICE, /./, ...named.map((name) => ({ headers: { [name]: '1' } }))],
	];

	test.each(eachOf(cases))('%i: %s', (status, message, advice, details) => {
		const failure = fail(status, details);
		const mayPass = [502, 503, 504].includes(status);
		const retry = mayPass ? 'retry' : 'no';
		expect(failure).toMatchObject({ message, subject: 'service', retry });
		expect(failure.scope).toBe(mayPass ? scope : 'run');
		expect(failure.description).toMatch(advice);
		expect(failure.httpStatus).toBeUndefined();
	});

	test('is quoted as the proxy', () => {
		expect(fail(407, { body: { error: 'No' } }).description).toMatch(/\. The proxy says: "No"$/);
	});

	test('is not seen in the headers of a redirect', () => {
		expect(fail(399, { headers: { 'proxy-agent': '1' } }).message).toBe(MOVED);
	});
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

	test('is asked of refusals only, and where the request is known', () => {
		const request = { protocol: 'https:', socket: plain };
		const responses = [299, 300].map((statusCode) => ({ ...REFUSED, statusCode, request }));
		expect([...responses, REFUSED].map(isFromProxy)).toEqual([false, true, false]);
	});
});

test.each([
	['1042', 1042],
	['1042', '1042'],
	// As JSON.parse reads 9007199254740993
	['9007199254740993', 9007199254740992],
	['9007199254740993', '9007199254740993'],
	// A status that a proxy's copy may have (RFC 9110, section 15.4.5)
	['1042', 1042, 304],
])('site %s is what has its ID: %j', (siteId, received, statusCode = 200) => {
	const response = { statusCode, headers: { a: 'b' }, body: { siteId: received } };
	expect(readSiteResponse(siteId, response, { secrets: [] })).toBe(response);
});

test('a rate limit is about an option of the node, unless it was the login', () => {
	const inNode = (failure: ServiceFailure) => toWords(failure.advice, { hasOptions: true });
	expect(inNode(fromSite(429))).toMatch(/lower 'Max Concurrency' under 'Options'/);
	expect(inNode(fromToken(429))).not.toContain('Options');
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
	test.each([' pa ss', 'pa ss\n', '\u00A0pa ss'])(
		'with %j: it has a space around it',
		(password) => {
			const { description } = fromToken(401, { secrets: [password] });
			expect(description).toMatch(/^'Password' begins or ends with a space: remove it, unless/);
		},
	);

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

	const good = { access_token: 'a' };

	test.each<{ body: unknown; status?: number }>([
		...[199, 300, 400].map((status) => ({ body: good, status })),
		...[null, 'a', 7, [], {}].map((body) => ({ body })),
		...['', ' ', 'a b', ' a', 'a\n', 'tøken', '\u007F', 7, null, ['a']].map((access_token) => ({
			body: { access_token },
		})),
		...['MAC', '', null, 7, ['Bearer']].map((token_type) => ({ body: { ...good, token_type } })),
	])('is not in %j', ({ body, status = 200 }) => {
		expect(read(body, status)).toBeInstanceOf(ServiceFailure);
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
		const read = readSiteResponse('1042', value, { secrets: ['s3cret'] });
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
