import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import {
	connectionFailure,
	duration,
	ParameterError,
	parseRetryAfter,
	serviceSays,
	ServiceFailure,
	siteFailure,
	tokenFailure,
} from '../../../nodes/AquacultureSite/service/failures';

const address = 'https://api.example.com';

const answer = (statusCode: number, body: unknown = {}, headers: Record<string, unknown> = {}) => ({
	statusCode,
	headers,
	body,
});
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>';

const fromToken = (...of: Parameters<typeof answer>) => tokenFailure(answer(...of), []);
const fromSite = (...of: Parameters<typeof answer>) => siteFailure('1042', answer(...of), [])!;
const fromConnection = (code: string) =>
	connectionFailure(Object.assign(new Error('no'), { code }), address);

/** What happened (within the test, so that mutation testing knows which one), its sentence, a word of the advice. */
const sentences: Array<[string, () => ServiceFailure, string, RegExp]> = [
	...[400, 401, 403].map((status): [string, () => ServiceFailure, string, RegExp] => [
		`token ${status}`,
		() => fromToken(status),
		'The service rejected the username or password',
		/^Open the credential.* 'Password' again.* locked/,
	]),
	...[404, 405].map((status): [string, () => ServiceFailure, string, RegExp] => [
		`token ${status}`,
		() => fromToken(status),
		'No login endpoint was found at this address',
		/check 'Base URL'.*'\/auth\/token'/,
	]),
	[
		'token 422',
		() => fromToken(422),
		'The service refused the login (status 422)',
		/check 'Base URL', 'Username'/,
	],
	[
		'token 200 with a page',
		() => fromToken(200, page),
		'The login returned a web page',
		/not of its website/,
	],
	[
		'token 200 with nothing',
		() => fromToken(200, ''),
		'The login response contains no access token',
		/check 'Base URL'/,
	],
	[
		'token 307',
		() => fromToken(307, '', { location: 'https://other.example/auth/token?a=1' }),
		'The service redirects to another address',
		/^Nothing was sent there\..*'Base URL'\. It points to https:\/\/other\.example$/,
	],
	[
		'token 429',
		() => fromToken(429),
		'The service is receiving too many requests',
		/^Run the workflow less often/,
	],
	[
		'token 500',
		() => fromToken(500),
		'The service is unavailable (status 500)',
		/lies with the service.* again later/,
	],
	[
		'site 400',
		() => fromSite(400),
		'The service rejected the request for site 1042 (status 400)',
		/Check the site ID, and 'API Version'/,
	],
	[
		'site 401',
		() => fromSite(401),
		'The service rejected a newly issued access token',
		/Ask the service operator/,
	],
	[
		'site 403',
		() => fromSite(403),
		'This user has no access to site 1042',
		/for access to the site/,
	],
	['site 404', () => fromSite(404), 'Site 1042 was not found', /Check the site ID/],
	[
		'site 422',
		() => fromSite(422),
		'The service rejected the request for site 1042 (status 422)',
		/'API Version'/,
	],
	[
		'site 302 without an address',
		() => fromSite(302, '', { location: '/elsewhere' }),
		'The service redirects to another address',
		/into 'Base URL'\.$/,
	],
	[
		'site 429 with a wait',
		() => fromSite(429, '', { 'retry-after': '300' }),
		'The service is receiving too many requests',
		/^It asked for a wait of 5 minutes\. Run the workflow less often/,
	],
	[
		'site 503 with a wait',
		() => fromSite(503, '', { 'retry-after': '1' }),
		'The service is unavailable (status 503)',
		/It asked for a wait of 1 second\. Run the workflow again later/,
	],
	[
		'site 200 with a page',
		() => fromSite(200, page),
		'The service returned a web page instead of site 1042',
		/'Base URL'/,
	],
	[
		'site 200 with nothing',
		() => fromSite(200, ''),
		'The response for site 1042 is empty',
		/again later/,
	],
	[
		'site 200 with a list',
		() => fromSite(200, []),
		'The response for site 1042 is not valid',
		/tell the service operator/,
	],
	[
		'an unknown host',
		() => fromConnection('ENOTFOUND'),
		'The address of the service was not found',
		/typing slips/,
	],
	[
		'no name server',
		() => fromConnection('EAI_AGAIN'),
		'The address of the service was not found',
		/network of the machine/,
	],
	[
		'a closed port',
		() => fromConnection('ECONNREFUSED'),
		'Nothing is listening at the service address',
		/port/,
	],
	[
		'a time-out',
		() => fromConnection('ETIMEDOUT'),
		'The service did not respond in time',
		/'Timeout'/,
	],
	[
		'a request that was cut',
		() => fromConnection('ECONNABORTED'),
		'The service did not respond in time',
		/'Timeout'/,
	],
	[
		'no TLS there',
		() => fromConnection('EPROTO'),
		'The service does not use HTTPS at this address',
		/http:\/\//,
	],
	[
		'no TLS there, newer',
		() => fromConnection('ERR_SSL_WRONG_VERSION_NUMBER'),
		'The service does not use HTTPS at this address',
		/http:\/\//,
	],
	[
		'a self-signed certificate',
		() => fromConnection('DEPTH_ZERO_SELF_SIGNED_CERT'),
		"The service's certificate is not trusted",
		/'Ignore SSL Issues \(Insecure\)'/,
	],
	[
		'an old certificate',
		() => fromConnection('CERT_HAS_EXPIRED'),
		"The service's certificate is not trusted",
		/right address/,
	],
	[
		'a certificate of another host',
		() => fromConnection('ERR_TLS_CERT_ALTNAME_INVALID'),
		"The service's certificate is not trusted",
		/right address/,
	],
	[
		'an unknown issuer',
		() => fromConnection('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
		"The service's certificate is not trusted",
		/right address/,
	],
	[
		'a reset',
		() => fromConnection('ECONNRESET'),
		'The connection to the service was lost',
		/again later/,
	],
	[
		'anything else',
		() => fromConnection('E_WHATEVER'),
		'The connection to the service was lost',
		/again later/,
	],
	[
		'a request that n8n kept back',
		() => connectionFailure(new Error('Blocked'), address),
		'n8n did not send the request',
		/may call the address https:\/\/api\.example\.com n8n says: "Blocked"$/,
	],
	[
		'our own time limit',
		() => fromConnection('ERR_CANCELED'),
		'The service did not respond in time',
		/'Timeout'/,
	],
];

describe('each way to fail has a sentence of its own', () => {
	test.each(sentences)('%s', (_case, happens, message, advice) => {
		const failure = happens();
		expect(failure.message).toEqual(message);
		expect(failure.description).toMatch(advice);
	});

	/** n8n replaces a whole message in which one of these occurs (its NodeError, COMMON_ERRORS). */
	const replaced = [
		...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'ERRADDRINUSE', 'EADDRNOTAVAIL'],
		...['ECONNABORTED', 'EHOSTUNREACH', 'EAI_AGAIN', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES'],
		...['EEXIST', 'EPERM', 'GETADDRINFO'],
	];

	test.each(sentences)('%s: in words that n8n leaves alone and people bear', (_case, happens) => {
		const failure = happens();
		const { message, description } = failure;
		for (const word of replaced) expect(message.toUpperCase()).not.toContain(word);
		expect(message).not.toMatch(/https?:\/\/|:\/\//);
		expect(message).not.toMatch(/error|problem|failure|mistake/i);
		expect(description).not.toMatch(/error|problem|failure|mistake/i);
		expect(message).toMatch(/^([A-Z]|n8n ).*[^.]$/);
		// n8n replaces the message of an error that carries its status under one of these names
		for (const name of [
			'status',
			'statusCode',
			'httpCode',
			'code',
			'response',
			'config',
			'cause',
		]) {
			expect(failure).not.toHaveProperty(name);
		}
	});

	test('and a class that logs tell by its name', () => {
		expect(String(new ParameterError('Wrong', 'Mend it'))).toBe('ParameterError: Wrong');
		expect(String(fromSite(404))).toBe('ServiceFailure: Site 1042 was not found');
		expect(new ServiceFailure('No', 'Mend it', { about: 'site' }).retry).toBe('no');
	});

	test.each([
		['is empty', null],
		['is empty', undefined],
		['cannot be read', 'some <html> inside'],
		['cannot be read', Buffer.from('{}')],
	])('a site 200 %s: %p', (words, body) => {
		const failure = siteFailure('1042', { statusCode: 200, headers: {}, body }, [])!;
		expect(failure.message).toBe(`The answer for site 1042 ${words}`);
	});

	test.each([
		'<HTML>',
		'\n <!DocType html>',
		'<?xml version="1.0"?>',
		'<head>',
		'<body class="a">',
	])('a page is told by its beginning: %j', (body) => {
		expect(fromSite(200, body).message).toMatch(/a web page was sent$/);
		expect(fromToken(200, body).message).toMatch(/with a web page$/);
	});

	test.each([
		[300, /points to another address/],
		[399, /points to another address/],
		[304, /is empty|no access token/],
	])('status %i', (status, words) => {
		expect(fromSite(status, '').message).toMatch(words);
		expect(fromToken(status, '').message).toMatch(words);
	});

	test('and says no more than it knows', () => {
		expect(fromSite(500).description).toMatch(/your workflow\. Run the workflow .* like this\.$/);
		expect(fromSite(429).description).toMatch(/lower 'Max Concurrency'\.$/);
		expect(fromSite(404).description).toMatch(/to this user\.$/);
		expect(connectionFailure({}, address).description).toBe(
			`Check whether n8n may call the address ${address}`,
		);
		expect(connectionFailure('Blocked', address)).toMatchObject({ about: 'service', retry: 'no' });
	});

	test('an answer with a site is none', () => {
		for (const body of [{}, { siteId: 1042, units: null }]) {
			expect(siteFailure('1042', answer(200, body), [])).toBeUndefined();
		}
	});

	test.each<[string, unknown]>([
		['text', 'Hello'],
		['a number', 42],
		['true', true],
		['bytes', Buffer.from('{}')],
		['null', null],
		['nothing', undefined],
	])('an answer of %s is no site', (_kind, body) => {
		expect(siteFailure('1042', { statusCode: 200, headers: {}, body }, [])).toMatchObject({
			about: 'site',
			retry: 'no',
		});
	});
});

describe('what to do about it is told to the program, too', () => {
	test.each<[number, string]>([
		[302, 'no'],
		[400, 'no'],
		[401, 'no'],
		[403, 'no'],
		[404, 'no'],
		[409, 'no'],
		[422, 'no'],
		[429, 'slower'],
		[500, 'no'],
		[501, 'no'],
		[502, 'again'],
		[503, 'slower'],
		[504, 'again'],
	])('status %i: ask again? %s', (status, retry) => {
		expect(fromSite(status)).toMatchObject({ retry, httpStatus: status });
		expect(fromToken(status)).toMatchObject({ retry, httpStatus: status });
	});

	test.each([
		['ENOTFOUND', 'again'],
		['ECONNREFUSED', 'again'],
		['ECONNRESET', 'again'],
		['ETIMEDOUT', 'again'],
		['EPROTO', 'no'],
		['CERT_HAS_EXPIRED', 'no'],
	])('%s: ask again? %s', (code, retry) => {
		expect(fromConnection(code)).toMatchObject({ retry, about: 'service' });
		expect(fromConnection(code).description).toContain(address);
	});

	test.each<[string, RegExp]>([
		['EAI_NODATA', /is not known$/],
		['EAI_NONAME', /is not known$/],
		['ESOCKETTIMEDOUT', /in time$/],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /not trusted$/],
		['ERR_TLS_HANDSHAKE_TIMEOUT', /not trusted$/],
		// Codes that only hold one of the known ones
		...['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'EPROTO'].flatMap((code): [string, RegExp][] => [
			[`${code}_X`, /broke off$/],
			[`X_${code}`, /broke off$/],
		]),
		['X_ERR_SSL_Y', /broke off$/],
		['X_ERR_TLS_Y', /broke off$/],
	])('%s', (code, words) => {
		expect(fromConnection(code).message).toMatch(words);
	});

	test('the code is one of the network, by any of its names', () => {
		const told = (error: unknown) => connectionFailure(error, address).message;
		expect(told({ httpCode: 'ECONNREFUSED' })).toMatch(/^Nothing answers/);
		expect(told({ errors: { code: 'ECONNREFUSED' } })).toMatch(/^n8n did not/);
		for (const code of ['econnrefused', '404', 7, null]) {
			expect(told({ code, httpCode: code })).toMatch(/^n8n did not/);
		}
		expect(told(null)).toMatch(/^n8n did not/);
		const below = (depth: number): unknown =>
			depth === 0 ? { code: 'ECONNREFUSED' } : { cause: below(depth - 1) };
		expect(told(below(5))).toMatch(/^Nothing answers/);
		expect(told(below(6))).toMatch(/^n8n did not/);
		const bundled = (depth: number): unknown =>
			depth === 0 ? { code: 'ECONNREFUSED' } : { errors: [bundled(depth - 1)] };
		expect(told(bundled(5))).toMatch(/^Nothing answers/);
		expect(told(bundled(6))).toMatch(/^n8n did not/);
	});

	test.each<[ServiceFailure['about'], () => ServiceFailure[]]>([
		['credential', () => [302, 400, 404, 405, 422, 200].map((status) => fromToken(status))],
		['credential', () => [fromSite(401), fromSite(302)]],
		['service', () => [fromSite(429), fromSite(500), fromToken(429), fromToken(503)]],
		['site', () => [fromSite(200, ''), fromSite(200, page), fromSite(200, 'x')]],
		['site', () => [400, 403, 404, 422].map((status) => fromSite(status))],
	])('it is the %s that it is about', (about, happen) => {
		for (const failure of happen()) expect(failure.about).toBe(about);
	});

	test('the code is found in causes and in bundled attempts, also in a circle', () => {
		const circle: { code?: string; cause?: unknown } = { code: 'E_WHATEVER' };
		circle.cause = circle;
		const nested = { errors: [circle, { cause: { code: 'ECONNREFUSED' } }] };
		expect(connectionFailure(nested, address).message).toMatch(/^Nothing answers/);
		expect(connectionFailure(circle, address).message).toMatch(/broke off$/);
	});

	test('a wait is handed on in milliseconds', () => {
		expect(fromSite(503, '', { 'retry-after': '7' }).retryAfter).toBe(7000);
		expect(fromToken(429, '', { 'retry-after': '7' }).retryAfter).toBe(7000);
		expect(fromSite(503).retryAfter).toBeUndefined();
	});

	test.each([401, 403])('the login is what %i of the token endpoint is about', (status) => {
		expect(fromToken(status).about).toBe('credential');
	});
});

describe('the service’s own words are repeated', () => {
	test.each<[string, unknown, string]>([
		['message', { message: 'Too late' }, 'Too late'],
		['error', { error: 'Too late' }, 'Too late'],
		['title', { title: 'Too late', status: 400 }, 'Too late'],
		['detail', { detail: 'Too late' }, 'Too late'],
		['error_description (RFC 6749)', { error_description: 'Too late' }, 'Too late'],
		['nested in error', { error: { code: 7, message: 'Too late' } }, 'Too late'],
		['nested deeper', { error: { error: { detail: 'Too late' } } }, 'Too late'],
		['a list of texts', { errors: ['Too late', 'Too much'] }, 'Too late; Too much'],
		[
			'a list of objects',
			{ errors: [{ message: 'Too late' }, 7, { title: 'Too much' }] },
			'Too late; Too much',
		],
		['a list at the top', [{ message: 'Too late' }], 'Too late'],
		['the first of several', { title: 'Not so', message: 'Too late' }, 'Too late'],
		['blank ones passed over', { message: ' ', error: null, detail: 'Too late' }, 'Too late'],
		['in one line', { message: ' Too\r\n\tlate\u0000\u001b[31m ' }, 'Too late [31m'],
	])('%s', (_shape, body, words) => {
		expect(serviceSays(body)).toBe(` The service says: "${words}"`);
		expect(fromSite(404, body).description).toContain(`The service says: "${words}"`);
		expect(fromSite(500, body).description).toContain(`The service says: "${words}"`);
		expect(fromToken(401, body).description).toContain(`The service says: "${words}"`);
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['text', 'Too late'],
		['an empty object', {}],
		['numbers', { message: 7, error: true }],
		['control characters alone', { message: '\u0000\u001b ' }],
		['other fields', { reason: 'Too late' }],
	])('but not from %s', (_shape, body) => {
		expect(serviceSays(body)).toBe('');
	});

	test('without the secrets it echoes', () => {
		const said = serviceSays({ message: 'No user with pa$$.word and t0ken, pa$$.word' }, [
			'pa$$.word',
			't0ken',
			'',
			undefined,
		]);
		expect(said).toBe(' The service says: "No user with ••• and •••, •••"');
		const { description } = siteFailure('1', answer(404, { error: 't0ken!' }), ['t0ken'])!;
		expect(description).toContain('"•••!"');
		expect(tokenFailure(answer(401, { error: 'pw!' }), ['pw']).description).toContain('"•••!"');
	});

	test('also where a secret would be cut off by the limit of length', () => {
		const said = serviceSays({ message: `${'x'.repeat(295)}secret-word` }, ['secret-word']);
		expect(said).not.toContain('secr');
	});

	test('up to a depth', () => {
		const inObjects = (depth: number): unknown =>
			depth === 0 ? { message: 'Too late' } : { error: inObjects(depth - 1) };
		const inLists = (depth: number): unknown =>
			depth === 0 ? { message: 'Too late' } : [inLists(depth - 1)];
		for (const within of [inObjects, inLists]) {
			expect(serviceSays(within(4))).toBe(' The service says: "Too late"');
			expect(serviceSays(within(5))).toBe('');
		}
	});

	test('in lists without the blank ones', () => {
		expect(serviceSays({ errors: [' ', 'Too late', ''] })).toBe(' The service says: "Too late"');
		expect(serviceSays({ errors: [' '], detail: 'Too late' })).toBe(
			' The service says: "Too late"',
		);
	});

	test('also words that are none of the secrets', () => {
		const said = serviceSays({ message: 'null undefined 7' }, [null, undefined, 7, '']);
		expect(said).toBe(' The service says: "null undefined 7"');
	});

	test('up to a length that can be read', () => {
		expect(serviceSays({ message: 'x'.repeat(300) })).toBe(
			` The service says: "${'x'.repeat(300)}"`,
		);
		expect(serviceSays({ message: 'x'.repeat(5000) })).toBe(
			` The service says: "${'x'.repeat(300)}…"`,
		);
	});

	test('from any JSON in one short line, or not at all', () => {
		const key = fc.constantFrom('message', 'error', 'errors', 'title', 'detail', 'other');
		const { body } = fc.letrec((tie) => ({
			body: fc.oneof(
				{ maxDepth: 5 },
				fc.jsonValue(),
				fc.string({ unit: 'binary', maxLength: 600 }),
				fc.dictionary(key, tie('body')),
				fc.array(tie('body'), { maxLength: 3 }),
			),
		}));
		const secret = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b') });
		fc.assert(
			fc.property(body, secret, (value, hidden) => {
				const said = serviceSays(value, [hidden]);
				expect(said).toMatch(/^$|^ The service says: "[^\p{Cc}]{1,301}"$/u);
				expect(said.slice(' The service says: "'.length)).not.toContain(hidden);
			}),
		);
	});
});

describe('Retry-After (RFC 9110, 10.2.3)', () => {
	const now = Date.parse('1994-11-06T08:49:07Z');

	test.each<[unknown, number]>([
		['0', 0],
		['120', 120_000],
		[' 120 ', 120_000],
		[120, 120_000],
		[['5', '7'], 5000],
		// The three forms of an HTTP-date, RFC 9110, 5.6.7
		['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
		['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
		['Sun Nov  6 08:49:37 1994', 30_000],
		['Tue, 08 Nov 1994 08:49:07 GMT', 172_800_000],
		// A date that is past means now
		['Sat, 05 Nov 1994 08:49:37 GMT', 0],
	])('%j is %i ms', (value, milliseconds) => {
		expect(parseRetryAfter(value, now)).toBe(milliseconds);
	});

	test.each<[unknown]>([
		[undefined],
		[null],
		[''],
		['soon'],
		['-5'],
		['1.5'],
		['5s'],
		['1e3'],
		['Later 5'],
		['Sunday'],
		['Sun 5'],
		['Sun, 99 Nov 1994 08:49:37 GMT'],
		['1994-11-06T08:49:37Z'],
		// No text can be made of it
		[{ toString: 'x' }],
		[[{ toString: 'x' }]],
		['On Sun, 06 Nov 1994 08:49:37 GMT'],
		[{}],
		[[]],
	])('%j is none', (value) => {
		expect(parseRetryAfter(value, now)).toBeUndefined();
	});

	test('a date without a zone is in GMT, wherever n8n runs', () => {
		const source = join(__dirname, '../../../nodes/AquacultureSite/service/failures.ts');
		const script = `const { parseRetryAfter } = require(${JSON.stringify(source)});
			console.log(parseRetryAfter('Sun Nov  6 08:49:37 1994', ${now}));`;
		// A process of its own: Jest keeps changes of the environment from Node
		const options = ['--require', 'tsx/cjs', '--eval', script];
		const env = { ...process.env, TZ: 'America/St_Johns' };
		expect(execFileSync(process.execPath, options, { env, encoding: 'utf8' })).toBe('30000\n');
	});

	test('any date in its first form is read to the second', () => {
		fc.assert(
			fc.property(
				fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
				(date) => {
					const seconds = Math.floor(date.getTime() / 1000);
					expect(parseRetryAfter(date.toUTCString(), 0)).toBe(seconds * 1000);
				},
			),
		);
	});

	test('any text is a wait that can be waited for, or none', () => {
		const near = fc.string({ unit: fc.constantFrom(...'0123456789 ,:-SunNovGMT'.split('')) });
		fc.assert(
			fc.property(fc.oneof(fc.string(), near, fc.jsonValue()), (value) => {
				const wait = parseRetryAfter(value, now) ?? 0;
				expect(wait).toBeGreaterThanOrEqual(0);
				expect(wait).not.toBeNaN();
			}),
		);
	});
});

describe('a time span is told as a person says it', () => {
	test.each([
		[0, '1 second'],
		[1000, '1 second'],
		[1600, '2 seconds'],
		[45_000, '45 seconds'],
		[119_000, '119 seconds'],
		[120_000, '2 minutes'],
		[600_000, '10 minutes'],
		[3_600_000, '60 minutes'],
		[7_199_000, '120 minutes'],
		[7_200_000, '2 hours'],
		[86_400_000, '24 hours'],
	])('%i ms: %s', (milliseconds, words) => {
		expect(duration(milliseconds)).toBe(words);
	});
});
