import fc from 'fast-check';
import { parseBaseUrl } from '../../../../nodes/AquacultureSite/service/login/baseUrl';
import { attempt, refusalOf } from '../../../tools/helpers/refusal';
import { anyText } from '../../../tools/helpers/site-json';

const API = 'https://api.example.com';

test.each<[string, unknown, string]>([
	['as it should be', API, API],
	['http', 'http://api.example.com', 'http://api.example.com'],
	['the default port', `${API}:443`, API],
	['a path', 'https://example.com/api/v2', 'https://example.com/api/v2'],
	['slashes after a path', 'https://example.com/api///', 'https://example.com/api'],
	['spaces around and slashes', `  ${API}// \n`, API],
	['spaces that cannot be seen', '\uFEFFhttps://api.\u200Bexample.com\u2060', API],
	['direction marks', '\u200Ehttps://api.example.com\u200F\u202C\u2069', API],
	['the token path twice', `${API}/auth/token/auth/token`, API],
	['the token path after another', 'https://example.com/api/auth/token', 'https://example.com/api'],
	['capitals', 'HTTPS://API.EXAMPLE.COM/Auth/Token', API],
	['dots in its path', `${API}/auth/./token`, API],
	['a similar path', 'https://example.com/oauth/token', 'https://example.com/oauth/token'],
	['another', `${API}/meta/site`, `${API}/meta/site`],
	['an @ in its path', `${API}/@farm`, `${API}/@farm`],
	['IPv4', 'http://127.0.0.1:5678', 'http://127.0.0.1:5678'],
	['IPv6', 'http://[::1]:5678/', 'http://[::1]:5678'],
])('a base URL with %s: %j', (_, typed, url) => {
	expect(parseBaseUrl(typed)).toBe(url);
});

const MISTAKES: Record<string, unknown[]> = {
	'is empty': ['', ' \u200B\n', null, undefined],
	'must start with https:// or http://': [
		...['//', '/auth/token', 'api.example.com', 'localhost:8080', 'https:/example.com', 42],
		...['ftp://example.com', 'javascript:alert(1)', 'file:///etc/passwd', `url:${API}`],
	],
	'starts with https:// or http:// twice': ['https://https://a', 'http://HTTP:a'],
	'is the address of site data': [
		`${API}/meta`,
		`${API}/v2/meta/sites/`,
		`${API}/Meta/sites/1/x//`,
	],
	'is not a web address': ['https://', 'https://:8080', `${API}:99999`, 'https://<base_url>'],
	'contains a space, a line break, or a backslash': [
		...['https://api.example .com', `${API}\r\nX-Header: 1`, 'https://api.exa\tmple.com'],
		...[`${API}/\u0000`, `${API}\\@other.example`, 'https://a.example https://b.example'],
	],
	'contains a username or password': [
		'https://user:secret@a.example',
		'http://user@a.example',
		'https://:secret@a.example',
	],
	"contains a '?' or '#'": [`${API}?a=1`, `${API}/?`, `${API}/auth/token?a`, `${API}/#top`],
};

test.each(Object.entries(MISTAKES))("'Base URL' %s", (message, all) => {
	for (const typed of all) {
		expect(refusalOf(() => parseBaseUrl(typed))).toMatchObject({
			message: `'Base URL' ${message}`,
			description:
				'Open the credential and enter the address of the service alone, e.g. https://api.example.com',
			subject: 'credential',
			mayPass: false,
		});
	}
});

test('any text gives an address that stands by itself, or a sentence', () => {
	const typed = fc.oneof(
		anyText(),
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
		fc
			.tuple(
				fc.constantFrom('', ' ', 'https://', 'http://h.example', 'https://h.example/api'),
				fc.array(
					fc.oneof(
						fc.constantFrom('/auth/token', '/auth', '/token', '/', '/.', '/..', '/%2e', '//'),
						fc.constantFrom('%', ':', '@', '?', '#', '\\', ' ', '\u0000', '\u00ad', '[', ']'),
						anyText(3),
					),
					{ maxLength: 6 },
				),
			)
			.map(([start, parts]) => start + parts.join('')),
	);
	fc.assert(
		fc.property(typed, (value) => {
			const url = attempt(() => parseBaseUrl(value));
			if (url instanceof Error) {
				expect(url.message).toMatch(/^'Base URL' \P{Cc}+$/u);
				return;
			}
			const parsed = new URL(url);
			expect(url).toMatch(/^https?:\/\//);
			expect(parsed).toMatchObject({ username: '', password: '', search: '', hash: '' });
			// What is sent is what was checked: nothing in it changes when it is parsed again
			expect(parsed.href.replace(/\/$/, '')).toBe(url);
			expect(url).toMatch(/^[\x21-\x7e]+$/);
			expect(url).not.toMatch(/[?#\\]|\/$/);
			expect(parseBaseUrl(url)).toBe(url);
		}),
		{ numRuns: 3000 },
	);
});

test('a name with letters beyond ASCII stays a name, however often it is parsed', () => {
	// In Node 20, URL.canParse refuses it as soon as it is compiled for speed
	for (let time = 0; time < 20_000; time++) parseBaseUrl('https://fôr.example.com');
});
