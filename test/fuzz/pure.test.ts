import fc from 'fast-check';
import { parseBaseUrl } from '../../nodes/AquacultureSite/service/baseUrl';
import {
	connectionFailure,
	parseRetryAfter,
	ParameterError,
	ServiceFailure,
	siteFailure,
	tokenFailure,
} from '../../nodes/AquacultureSite/service/failures';
import { toSiteMap } from '../../nodes/AquacultureSite/operations/map';
import { parseApiVersion, parseRequestOptions } from '../../nodes/AquacultureSite/operations/parameters';
import { simplifySite, SITE_PARTS, unitRows } from '../../nodes/AquacultureSite/site/site';
import { compareSites, sampleEvents, SITE_EVENTS } from '../../nodes/AquacultureSite/trigger/changes';
import { parseSiteIds } from '../../nodes/AquacultureSite/site/siteIds';
import { anyJson, nearlySite, pure } from './fuzz';

/** What a person reads: a sentence and what to do, in one line, not too long. */
function expectSentence(failure: unknown): void {
	expect(failure instanceof ParameterError || failure instanceof ServiceFailure).toBe(true);
	const { message, description } = failure as ServiceFailure;
	for (const text of [message, description]) {
		expect(text).toMatch(/^\P{Cc}{10,1000}$/u);
		expect(text).not.toMatch(/undefined|\[object|NaN/);
	}
}

/** The result, or undefined where the input was refused with a sentence; anything else is thrown on. */
function accepted<T>(parse: () => T): T | undefined {
	try {
		return parse();
	} catch (failure) {
		if (!(failure instanceof ParameterError || failure instanceof ServiceFailure)) throw failure;
		expectSentence(failure);
		return undefined;
	}
}

const listPart = fc.oneof(
	fc.nat().map(String),
	fc.constantFrom(',', ' ', '\n', ';', '[', ']', '"', "'", '-', '.', '/', '..', '%2f', '１', '\0'),
	fc.string({ unit: 'binary', maxLength: 3 }),
);

test('site ID lists: IDs of digits alone, each once, or a sentence', () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.array(listPart).map((parts) => parts.join('')),
				anyJson(),
			),
			(value) => {
				const ids = accepted(() => parseSiteIds(value)) ?? ['0'];
				expect(ids.length).toBeGreaterThan(0);
				expect(new Set(ids).size).toBe(ids.length);
				for (const id of ids) expect(id).toMatch(/^(0|[1-9]\d{0,18})$/);
			},
		),
		{ ...pure, numRuns: 2 * pure.numRuns },
	);
});

const urlPart = fc.oneof(
	fc.constantFrom('http://', 'https://', 'HTTP:', '//', '/', '\\', '@', ':', '?', '#', '%0d%0a'),
	fc.constantFrom('example.com', 'localhost', '127.0.0.1', '[::1]', ':8080', '/auth/token', '\r\n'),
	fc.constantFrom(' ', '\t', '\0', '\u200B', '..', 'user:pass@', 'ø', '。', 'javascript:', 'file:'),
	fc.string({ unit: 'binary', maxLength: 4 }),
);

test('base URLs: an address that stays itself, with nothing but scheme, host and path, or a sentence', () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.array(urlPart, { maxLength: 6 }).map((parts) => parts.join('')),
				fc.array(urlPart, { maxLength: 4 }).map((parts) => `https://example.com${parts.join('')}`),
				fc.webUrl({ withQueryParameters: true, withFragments: true }),
				anyJson(1),
			),
			(value) => {
				const base = accepted(() => parseBaseUrl(value));
				if (!base) return;
				expect(base.url).toMatch(/^https?:\/\/[^\s\\?#@/]+(\/[^\s\\?#]*)?$/);
				expect(base.url).not.toMatch(/\/$/);
				expect(new URL(`${base.url}/auth/token`).origin).toBe(base.origin);
				expect(parseBaseUrl(base.url)).toEqual(base);
			},
		),
		{ ...pure, numRuns: 2 * pure.numRuns },
	);
});

test('versions and options: within their limits, or a sentence', () => {
	const text = fc.oneof(
		anyJson(1),
		fc.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
		fc.tuple(fc.stringMatching(/^\d{4}-\d\d-\d\d$/), fc.string()).map((parts) => parts.join('')),
	);
	fc.assert(
		fc.property(text, anyJson(1), anyJson(1), anyJson(1), (version, most, retries, timeout) => {
			const apiVersion = accepted(() => parseApiVersion(version ?? undefined));
			if (apiVersion !== undefined) expect(apiVersion).toMatch(/^\d{4}-\d{2}-\d{2}$/);
			const given = { maxConcurrency: most, maxRetries: retries, timeout };
			const options = accepted(() => parseRequestOptions(given));
			if (!options) return;
			expect(options.maxConcurrency).toBeGreaterThanOrEqual(1);
			expect(options.maxConcurrency).toBeLessThanOrEqual(100);
			expect(options.maxRetries).toBeGreaterThanOrEqual(0);
			expect(options.timeout).toBeGreaterThanOrEqual(1);
		}),
		pure,
	);
});

test('answers of both endpoints: a sentence without the secrets, or a site', () => {
	const secret = 'Secret-1042';
	const text = fc.oneof(fc.string(), fc.constant(secret), fc.constant(`a ${secret}\n${secret}`));
	const body = fc.oneof(
		anyJson(),
		text,
		fc.constant(undefined),
		fc.uint8Array(),
		fc.record(
			{ message: text, errors: fc.array(fc.record({ detail: text })) },
			{ requiredKeys: [] },
		),
	);
	const headers = fc.record(
		{
			'retry-after': fc.oneof(
				fc.string(),
				fc.date().map(String),
				fc.nat().map(String),
				fc.array(text),
			),
			location: fc.oneof(fc.string(), fc.webUrl(), fc.array(text)),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.integer({ min: 100, max: 999 }), headers, body, (statusCode, given, sent) => {
			const answer = { statusCode, headers: given, body: sent };
			for (const failure of [
				tokenFailure(answer, [secret]),
				siteFailure('1042', answer, [secret]),
			]) {
				if (!failure) {
					expect(statusCode).toBeLessThan(400);
					continue;
				}
				expectSentence(failure);
				expect(`${failure.message} ${failure.description}`).not.toContain(secret);
			}
			expect(parseRetryAfter(given['retry-after']) ?? 0).toBeGreaterThanOrEqual(0);
		}),
		{ ...pure, numRuns: 2 * pure.numRuns },
	);
});

test('whatever a request throws: a sentence', () => {
	const codes = fc.constantFrom('ENOTFOUND', 'ECONNRESET', 'ERR_TLS_X', 'Z_DATA_ERROR', '', 'x');
	fc.assert(
		fc.property(fc.oneof(anyJson(), fc.record({ code: codes, cause: anyJson() })), (thrown) => {
			expectSentence(connectionFailure(thrown, 'https://example.com'));
		}),
		pure,
	);
});

test('sites in any shape: rows of the same columns, and a map that holds or names each of them', () => {
	fc.assert(
		fc.property(fc.array(nearlySite, { minLength: 1, maxLength: 4 }), (sites) => {
			const before = JSON.stringify(sites);
			for (const site of sites) {
				expect(Object.keys(simplifySite(site, SITE_PARTS))).toHaveLength(10);
				for (const row of unitRows(site, SITE_PARTS)) {
					expect(Object.keys(row)).toHaveLength(8);
					expect(Object.values(row)).not.toContain(undefined);
				}
			}
			const asked = sites.map((site, index) => ({ siteId: String(index), site }));
			const { collection, unlocated } = toSiteMap(asked);
			const units = sites.flatMap((site) => unitRows(site, [])).length;
			expect(collection.features.length + unlocated.length).toBe(sites.length + units);
			expect(new Set(collection.features.map(({ id }) => id)).size).toBe(
				collection.features.length,
			);
			for (const { geometry } of collection.features) {
				expect(Math.abs(geometry.coordinates[0])).toBeLessThanOrEqual(180);
				expect(Math.abs(geometry.coordinates[1])).toBeLessThanOrEqual(90);
			}
			expect(JSON.stringify(sites)).toBe(before);
		}),
		{ ...pure, numRuns: 2 * pure.numRuns },
	);
});

test('snapshots in any shape: told once, then silence', () => {
	const at = '2025-01-01T00:00:00.000Z';
	fc.assert(
		fc.property(nearlySite, nearlySite, (before, after) => {
			expect(compareSites(before, before, at).events).toEqual([]);
			const { events, baseline } = compareSites(before, after, at);
			// The baseline is kept in n8n's database, and so comes back as JSON
			const kept = JSON.parse(JSON.stringify(baseline)) as typeof before;
			expect(compareSites(kept, after, at).events).toEqual([]);
			for (const { event, changes } of events) {
				expect(SITE_EVENTS).toContain(event);
				if (event.endsWith('Changed')) expect(changes.length).toBeGreaterThan(0);
			}
			for (const { event } of sampleEvents(after, SITE_EVENTS, at)) {
				expect(SITE_EVENTS).toContain(event);
			}
		}),
		{ ...pure, numRuns: 2 * pure.numRuns },
	);
});
