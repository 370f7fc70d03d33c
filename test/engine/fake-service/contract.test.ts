import { execFile } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { EXCHANGES, type Exchange } from '../../tools/fake-service/exchanges';
import { startService } from '../../tools/fake-service/service';
import { takeViolations } from '../../tools/fake-service/violations';
import { own } from '../../tools/helpers/own';

const site = { siteId: 7, siteName: 'Nyholmen', info: { code: null }, units: [{ more: 1 }] };
const token = { access_token: 'a.b.c', expires_in: '3600', token_type: 'Bearer' };

const headers = { 'api-version': '2025-01-01', 'content-type': 'application/json' };
const login = {
	...{ method: 'POST', path: '/auth/token', query: '', headers },
	body: '{"username":"a","password":"b"}',
};
const read = {
	...{ method: 'GET', path: '/meta/sites/7', query: '$include=info,units', body: '' },
	headers: { 'api-version': '2023-01-01', authorization: 'Bearer a.b.c' },
};

function violationsOf(exchange: Exchange): string[] {
	channel(EXCHANGES).publish(exchange);
	return takeViolations();
}

/** What the check says of a response, had it been the fake service's. */
const violationsBy = (json: object) =>
	violationsOf({
		request: 'siteId' in json ? read : login,
		response: { status: 200, body: JSON.stringify(json) },
	});

test('docs/openapi.yaml is valid OpenAPI', async () => {
	const command = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');
	const { stdout } = await promisify(execFile)(process.execPath, [command, 'docs/openapi.yaml']);
	expect(JSON.parse(stdout)).toEqual({ valid: true });
});

test('unknown fields, null and absent fields are left open', () => {
	expect([...violationsBy({ ...site, extra: [1] }), ...violationsBy(token)]).toEqual([]);
});

test.each([
	['a number in expires_in', { ...token, expires_in: 3600 }, 'expires_in must be string'],
	['another token_type', { ...token, token_type: 'mac' }, 'token_type must be equal'],
	['no siteName', { ...site, siteName: undefined }, "property 'siteName'"],
	['no units, though requested', { ...site, units: undefined }, 'units is requested'],
	['text for a latitude', { ...site, info: { latitude: '67' } }, 'latitude must be number,null'],
])('a response with %s is reported', (_, body, part) => {
	expect(violationsBy(body)).toEqual([expect.stringContaining(part)]);
});

test.each([
	['a login with a query', { ...login, query: 'a=1' }],
	['broken JSON', { ...login, body: '{"username":' }],
	['another field', { ...login, body: '{"username":"a","password":"b","x":1}' }],
	['no Api-Version', { ...read, headers: { authorization: 'Bearer a' } }],
	['a body', { ...read, body: '{}' }],
	['an unknown part', { ...read, query: '$include=Units' }],
	['a name for a site ID', { ...read, path: '/meta/sites/abc' }],
])('a request with %s is reported', (_, request) => {
	expect([login, read].flatMap((right) => violationsOf({ request: right }))).toEqual([]);
	expect(violationsOf({ request })).not.toEqual([]);
});

test('the fake service refuses what is reported', async () => {
	const { baseUrl } = await own(startService());
	const { status } = await fetch(`${baseUrl}/auth/token`, { method: 'POST' });
	expect(status).toBe(400);
	expect(takeViolations()).not.toEqual([]);
});

test.each([
	['https://192.0.2.1/', 'connect ENETUNREACH 192.0.2.1:443 - no test leaves this machine'],
	['http://example.com/', 'getaddrinfo ENOTFOUND example.com - no test leaves this machine'],
])('no test can send a request to %s', async (url, message) => {
	const { get } = url.startsWith('https:') ? https : http;
	const sent = new Promise((resolve, reject) => get(url, resolve).on('error', reject));
	await expect(sent).rejects.toThrow(message);
	await expect(fetch(url)).rejects.toMatchObject({ cause: { message } });
});
