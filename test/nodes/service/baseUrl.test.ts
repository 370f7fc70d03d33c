import fc from 'fast-check';
import { parseBaseUrl } from '../../../nodes/AquacultureSite/service/baseUrl';
import { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';

describe('a base URL is taken as people type it', () => {
	test.each<[string, unknown, string]>([
		['as it should be', 'https://api.example.com', 'https://api.example.com'],
		['http', 'http://api.example.com', 'http://api.example.com'],
		['with a port', 'https://api.example.com:8443', 'https://api.example.com:8443'],
		['with the usual port', 'https://api.example.com:443', 'https://api.example.com'],
		['with a path', 'https://example.com/api/v2', 'https://example.com/api/v2'],
		['a slash at its end', 'https://api.example.com/', 'https://api.example.com'],
		['slashes after a path', 'https://example.com/api///', 'https://example.com/api'],
		['spaces around', '  https://api.example.com \n', 'https://api.example.com'],
		[
			'spaces that cannot be seen',
			'\uFEFFhttps://api.\u200Bexample.com\u2060',
			'https://api.example.com',
		],
		['spaces and slashes', ' https://api.example.com// ', 'https://api.example.com'],
		['with the token path', 'https://api.example.com/auth/token', 'https://api.example.com'],
		['and a slash', 'https://api.example.com/auth/token/', 'https://api.example.com'],
		['and slashes between', 'https://api.example.com//auth/token', 'https://api.example.com'],
		['pasted twice', 'https://api.example.com/auth/token/auth/token', 'https://api.example.com'],
		['behind a path', 'https://example.com/api/auth/token', 'https://example.com/api'],
		['in capitals', 'HTTPS://API.EXAMPLE.COM/Auth/Token', 'https://api.example.com'],
		['with dots in its path', 'https://api.example.com/auth/./token', 'https://api.example.com'],
		[
			'a path that only looks alike',
			'https://example.com/oauth/token',
			'https://example.com/oauth/token',
		],
		['a name with letters of its own', 'https://fôr.example.com', 'https://xn--fr-8ja.example.com'],
		['an address in numbers', 'http://127.0.0.1:5678', 'http://127.0.0.1:5678'],
		['IPv6', 'http://[::1]:5678/', 'http://[::1]:5678'],
	])('%s', (_form, typed, url) => {
		expect(parseBaseUrl(typed)).toEqual({ url, origin: new URL(url).origin });
	});
});

function refusal(typed: unknown): ServiceFailure {
	try {
		const { url } = parseBaseUrl(typed);
		throw new Error(`Taken for ${url}`);
	} catch (error) {
		expect(error).toBeInstanceOf(ServiceFailure);
		return error as ServiceFailure;
	}
}

describe('what is no address gets a sentence of its own', () => {
	test.each<[string, unknown, string]>([
		['nothing', '', 'is empty'],
		['blanks', ' \u200B\n', 'is empty'],
		['no text', 42, 'is empty'],
		['null', null, 'is empty'],
		['absent', undefined, 'is empty'],
		['slashes alone', '//', 'has to begin with'],
		['the token path alone', '/auth/token', 'has to begin with'],
		['no scheme', 'api.example.com', 'must start with https:// or http://'],
		['a host with a port and no scheme', 'localhost:8080', 'has to begin with'],
		['another scheme', 'ftp://example.com', 'has to begin with'],
		['a script', 'javascript:alert(1)', 'has to begin with'],
		['something in front of the scheme', 'url:https://api.example.com', 'has to begin with'],
		['a file', 'file:///etc/passwd', 'has to begin with'],
		['a slash too few', 'https:/example.com', 'has to begin with'],
		['no host', 'https://', 'is not a web address'],
		['a port only', 'https://:8080', 'is not a web address'],
		['a port too high', 'https://example.com:99999', 'is not a web address'],
		['angle brackets', 'https://<base_url>', 'is not a web address'],
		['a space inside', 'https://api.example .com', 'holds a space'],
		['a line break inside', 'https://api.example.com\r\nX-Header: 1', 'holds a space'],
		['a tab inside', 'https://api.exa\tmple.com', 'holds a space'],
		['a NUL', 'https://api.example.com/\u0000', 'holds a space'],
		['a backslash', 'https://api.example.com\\@other.example', 'holds a space'],
		['two addresses', 'https://a.example https://b.example', 'holds a space'],
		['a login', 'https://user:secret@api.example.com', 'contains a username or password'],
		['a user', 'https://user@api.example.com', 'contains a username or password'],
		['a password', 'https://:secret@api.example.com', 'contains a username or password'],
		['a query', 'https://api.example.com?a=1', "contains a '?' or '#'"],
		['an empty query', 'https://api.example.com/?', "contains a '?' or '#'"],
		['a query behind the token path', 'https://api.example.com/auth/token?a', "holds a '?'"],
		['a fragment', 'https://api.example.com/#top', "contains a '?' or '#'"],
	])('%s', (_form, typed, words) => {
		const failure = refusal(typed);
		expect(failure.message).toContain(`'Base URL' ${words}`);
		expect(failure.description).toMatch(/^Open the credential and (check|fill|put|take) .*\w/);
		expect(failure).toMatchObject({ about: 'credential', retry: 'no' });
	});

	test('that repeats no password', () => {
		const { message, description } = refusal('https://user:secret@api.example.com');
		expect(`${message} ${description}`).not.toContain('secret');
	});
});

/** Texts near to addresses, besides any other. */
const typed = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	fc
		.tuple(
			fc.constantFrom('', ' ', 'https://', 'http://h.example', 'https://h.example/api'),
			fc.array(
				fc.oneof(
					fc.constantFrom('/auth/token', '/auth', '/token', '/', '/.', '/..', '/%2e', '//'),
					fc.constantFrom('%', ':', '@', '?', '#', '\\', ' ', '\u0000', '\u00ad', '[', ']'),
					fc.string({ maxLength: 3, unit: 'binary' }),
				),
				{ maxLength: 6 },
			),
		)
		.map(([start, parts]) => start + parts.join('')),
);

test('any text gives an address that stands by itself, or a sentence', () => {
	fc.assert(
		fc.property(typed, (value) => {
			let parsed;
			try {
				parsed = parseBaseUrl(value);
			} catch (error) {
				expect(error).toBeInstanceOf(ServiceFailure);
				expect((error as ServiceFailure).message).toMatch(/^'Base URL' \P{Cc}+$/u);
				return;
			}
			const { url, origin } = parsed;
			const read = new URL(url);
			expect(origin).toBe(read.origin);
			expect(origin).toMatch(/^https?:\/\//);
			expect(read).toMatchObject({ username: '', password: '', search: '', hash: '' });
			// What is sent is what was checked: nothing in it changes when it is read again
			expect(read.href.replace(/\/$/, '')).toBe(url);
			expect(url).toMatch(/^[\x21-\x7e]+$/);
			expect(url).not.toMatch(/[?#\\]|\/$/);
			expect(parseBaseUrl(url)).toEqual(parsed);
		}),
		{ numRuns: 3000 },
	);
});

test('names with letters of their own stay names, however often they are read', () => {
	// In Node 20, URL.canParse forgets them as soon as it is compiled for speed
	for (let time = 0; time < 20_000; time++) {
		expect(parseBaseUrl('https://fôr.example.com').origin).toBe('https://xn--fr-8ja.example.com');
	}
});
