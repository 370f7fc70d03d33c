import fc from 'fast-check';
import { parseBaseUrl } from '../../nodes/AquacultureSite/service/baseUrl';
import type { ServiceFailure } from '../../nodes/AquacultureSite/service/failures';
import {
	parseRetryAfter,
	readSiteResponse,
	tokenFailure,
	tokenIn,
} from '../../nodes/AquacultureSite/service/response';
import { attempt } from '../helpers/refusal';
import { anyJson } from '../helpers/site-json';
import { forAll } from './fuzz';

/** What a person reads: a sentence and what to do, each in one line and not too long. */
function expectSentence({ message, description }: Pick<ServiceFailure, 'message' | 'description'>) {
	for (const text of [message, description]) {
		expect(text).toMatch(/^\P{Cc}{10,1000}$/u);
		expect(text).not.toMatch(/undefined|\[object|NaN/);
	}
}

test('base URLs: an address that stays itself, with nothing but scheme, host and path, or a sentence', () => {
	const part = fc.oneof(
		fc.constantFrom('http://', 'https://', 'HTTP:', '//', '/', '\\', '@', ':', '?', '#', '%0d%0a'),
		fc.constantFrom('example.com', 'localhost', '127.0.0.1', '[::1]', ':8080', '/auth/token'),
		fc.constantFrom(' ', '\t', '\r\n', '\0', '\u200B', '..', 'user:pass@', 'ø', '。', 'file:'),
		fc.string({ unit: 'binary', maxLength: 4 }),
	);
	const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
	const address = fc.oneof(
		text,
		text.map((end) => `https://example.com${end}`),
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
		anyJson(1),
	);
	forAll([address], (value) => {
		const base = attempt(() => parseBaseUrl(value));
		if (base instanceof Error) {
			expectSentence(base);
			return;
		}
		expect(base.url).toMatch(/^https?:\/\/[^\s\\?#@/]+(\/[^\s\\?#]*[^\s\\?#/])?$/);
		expect(new URL(`${base.url}/auth/token`).origin).toBe(base.origin);
		expect(parseBaseUrl(base.url)).toEqual(base);
	});
});

test('responses of both endpoints: a sentence without the secrets, or a token, or a site', () => {
	const secret = 'Secret-1042';
	const text = fc.oneof(fc.string(), fc.constant(secret), fc.constant(`a ${secret}\n${secret}`));
	const body = fc.oneof(
		anyJson(),
		text,
		fc.constant(undefined),
		fc.uint8Array(),
		fc.record({ message: text, errors: fc.array(fc.record({ detail: text })) }),
	);
	const date = fc.date().map(String);
	const headers = fc.record({
		'retry-after': fc.oneof(fc.string(), date, fc.nat().map(String), fc.array(text)),
		location: fc.oneof(fc.string(), fc.webUrl(), fc.array(text)),
	});
	forAll([fc.integer({ min: 200, max: 999 }), headers, body], (statusCode, given, sent) => {
		const response = { statusCode, headers: given, body: sent };
		const site = readSiteResponse('1042', response, [secret]);
		if (!(site instanceof Error)) expect(statusCode).toBeLessThan(400);
		const failures = tokenIn(response) === undefined ? [tokenFailure(response, [secret])] : [];
		for (const failure of site instanceof Error ? [...failures, site] : failures) {
			expectSentence(failure);
			expect(`${failure.message} ${failure.description}`).not.toContain(secret);
		}
		expect(parseRetryAfter(given['retry-after']) ?? 0).toBeGreaterThanOrEqual(0);
	});
});
