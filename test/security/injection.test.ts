import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';

let service: Service;

beforeAll(async () => {
	service = await startService({ basePath: '/api' });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

/** Texts that would add a header, end a path or open another one, were they not taken for data. */
const HOSTILE = {
	'CR LF': 'x\r\nX-Injected: 1',
	LF: 'x\nX-Injected: 1',
	'CR LF CR LF': 'x\r\n\r\nGET /injected HTTP/1.1\r\n\r\n',
	NUL: 'x\u0000y',
	'U+2028': 'x\u2028X-Injected: 1',
	'U+560A, a line break in its low byte': 'x嘊嘍X-Injected: 1',
	'outside ASCII': 'Ærø 🐟 ‮',
	'half a surrogate pair': 'x\ud800',
	quotes: '"},"injected":{"a":"',
	'percent-encoded': 'x%0d%0aX-Injected:%201',
	path: '../../injected',
	query: '?injected=1#',
};
const entries = Object.entries(HOSTILE);

const HEADERS = new Set([
	'accept',
	'accept-encoding',
	'api-version',
	'authorization',
	'connection',
	'content-length',
	'content-type',
	'host',
	'user-agent',
]);

/** Whatever was sent: the two endpoints alone, with the headers that belong to them. */
function expectNothingInjected() {
	for (const { url, headers } of service.requests) {
		expect(['/api/auth/token', '/api/meta/sites/1042?$include=info,units']).toContain(
			decodeURIComponent(url),
		);
		expect(Object.keys(headers).filter((name) => !HEADERS.has(name))).toEqual([]);
	}
}

async function run(
	typed: ICredentialDataDecryptedObject,
	{ siteId = 1042 as unknown, apiVersion = '2025-01-01' as unknown } = {},
) {
	const engine = await seaFarm(service, typed);
	return await engine.run({
		node: siteNode({
			operation: 'get',
			siteId: '={{ $json.id }}',
			options: { apiVersion: '={{ $json.version }}' },
		}),
		items: itemsWith([siteId]).map(({ json }) => ({
			json: { ...json, version: apiVersion as never },
		})),
	});
}

/** A message for people, not one of a library. */
function expectSentence(message: string | undefined) {
	expect(message).toMatch(/^(?!Error|TypeError|Invalid)['A-Z].* .* /);
}

test.each(entries)('username and password with %s are sent as they are', async (_, text) => {
	const login = { username: `user ${text}`, password: `password ${text}` };
	await run(login);
	const [{ body, headers }] = service.requests as [Service['requests'][number]];
	expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(login)));
	expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
	expect(service.requests).toHaveLength(1);
	expectNothingInjected();
});

test.each(entries)('base URL with %s is refused, or stays within its origin', async (_, text) => {
	const { error, items } = await run({ baseUrl: `${service.baseUrl}/${text}` });
	expect(items).toEqual([]);
	expectSentence(error?.message);
	for (const { url, headers } of service.requests) {
		expect(url).toMatch(/^\/[^\s?#]*\/auth\/token$/);
		expect(Object.keys(headers).filter((name) => !HEADERS.has(name))).toEqual([]);
	}
});

test.each(entries)('a host with %s is never asked', async (_, text) => {
	const { error } = await run({
		baseUrl: service.baseUrl.replace('127.0.0.1', `127.0.0.1${text}`),
	});
	expectSentence(error?.message);
	expect(service.requests).toEqual([]);
});

test.each(entries)('site ID with %s is refused before anything is sent', async (_, text) => {
	for (const siteId of [text, `1042${text}`, `${text}1042`, [1042, text]]) {
		const { error } = await run({}, { siteId });
		expectSentence(error?.message);
		expect(error?.message).toContain("'Site ID'");
		expect(error?.message).not.toMatch(/[\p{Cc}\u2028]/u);
	}
	expect(service.requests).toEqual([]);
});

test.each(entries)('API version with %s is refused before anything is sent', async (_, text) => {
	for (const apiVersion of [text, `2025-01-01${text}`, `${text}2025-01-01`]) {
		const { error } = await run({}, { apiVersion });
		expect(error?.message).toBe("'API Version' is not a date");
	}
	expect(service.requests).toEqual([]);
});

test.each([
	['digits of another script', '١٠٤٢'],
	['full-width digits', '１０４２'],
	['a sign', '-1042'],
	['a dot', '1042.'],
	['an exponent', '1e3'],
	['a path', '1042/units'],
	['an encoded path', '1042%2Funits'],
])('a site ID with %s is refused', async (_, siteId) => {
	const { error } = await run({}, { siteId });
	expect(error?.message).toContain('is not a site ID');
	expect(service.requests).toEqual([]);
});

test.each(entries)('a kept token with %s adds no header', async (_, text) => {
	await run({ accessToken: `token ${text}` });
	expectNothingInjected();
});

test('a pasted address of the login with a line break behind it goes nowhere else', async () => {
	await run({ baseUrl: `${service.baseUrl}/auth/token\n` });
	expectNothingInjected();
	expect(service.counts.sitesServed).toBe(1);
});
