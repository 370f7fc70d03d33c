import { execFile } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { EXCHANGES, type Exchange } from '../../tools/fake-service/exchanges';
import { takeViolations } from '../../tools/fake-service/violations';

const site = { siteId: 7, siteName: 'Nyholmen', info: { code: null }, units: [{ more: 1 }] };
const token = { access_token: 'a.b.c', expires_in: '3600', token_type: 'Bearer' };

const siteRequest = { method: 'GET', path: '/meta/sites/7', query: '$include=info,units' };
const tokenRequest = { method: 'POST', path: '/auth/token', query: '' };

/** What the check says of a response, had it been the fake service's. */
function violationsOf(json: object): string[] {
	const request = { ...('siteId' in json ? siteRequest : tokenRequest), headers: {}, body: '' };
	const response = { status: 200, body: JSON.stringify(json) };
	channel(EXCHANGES).publish({ request, response } satisfies Exchange);
	return takeViolations();
}

test('docs/openapi.yaml is valid OpenAPI', async () => {
	const command = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');
	const { stdout } = await promisify(execFile)(process.execPath, [command, 'docs/openapi.yaml']);
	expect(JSON.parse(stdout)).toEqual({ valid: true });
});

test('unknown fields, null and absent fields are left open', () => {
	expect([...violationsOf({ ...site, extra: [1] }), ...violationsOf(token)]).toEqual([]);
});

test.each([
	['a number in expires_in', { ...token, expires_in: 3600 }, 'expires_in must be string'],
	['another token_type', { ...token, token_type: 'mac' }, 'token_type must be equal'],
	['no siteName', { ...site, siteName: undefined }, "property 'siteName'"],
	['no units, though requested', { ...site, units: undefined }, 'units is requested'],
	['text for a latitude', { ...site, info: { latitude: '67' } }, 'latitude must be number,null'],
])('a response with %s is reported', (_, body, part) => {
	expect(violationsOf(body)).toEqual([expect.stringContaining(part)]);
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
