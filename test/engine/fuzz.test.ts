import fc from 'fast-check';
import { createEngine } from '../tools/engine/engine';
import { itemsWith, siteNode } from '../tools/engine/sea-farm';
import type { Fault } from '../tools/fake-service/faults';
import { startService } from '../tools/fake-service/service';
import { skipIdleTime } from '../tools/helpers/fake-clock';
import { asyncRuns } from '../tools/helpers/fuzz';
import { own } from '../tools/helpers/own';
import { ALL_OPERATIONS } from '../tools/helpers/panel';
import { anyJson, anyText, siteJson } from '../tools/helpers/site-json';

const IDS = [1042, 1057, 1063, 1088];
const PASSWORD = 'Secret-1042';

beforeEach(() => {
	skipIdleTime();
	// No pause before a retry
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

/** Each case has a service of its own, so that no login of another case is remembered. */
async function startCase() {
	const login = { username: 'user', password: PASSWORD };
	const service = await own(startService({ login }));
	const credentials = { 'Sea farm': { baseUrl: service.baseUrl, ...login } };
	return { service, n8n: await createEngine({ fresh: false, credentials }) };
}

const jsonBody = siteJson.map((json) => ({ json }));

/** Any response that HTTP can carry. */
const response: fc.Arbitrary<Fault> = fc.record({
	status: fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom(200, 201, 203) },
		{ weight: 2, arbitrary: fc.constantFrom(204, 301, 307, 400, 401, 403, 404, 429, 502, 503) },
		{ weight: 1, arbitrary: fc.integer({ min: 200, max: 999 }) },
	),
	body: fc.oneof(
		{ weight: 4, arbitrary: jsonBody },
		anyJson().map((json) => ({ json })),
		fc.uint8Array({ maxLength: 40 }),
		anyText().map((text) => ({ text })),
		fc.constantFrom('json' as const, 'html', 'empty', 'broken'),
	),
	headers: fc.constantFrom<Array<Record<string, string>>>(
		...[{}, {}, {}, {}, { 'content-type': '' }, { 'content-type': 'text/html' }],
		{ 'content-type': 'application/json; charset=utf-16' },
		...['gzip', 'br', 'deflate', 'none'].map((encoding) => ({ 'content-encoding': encoding })),
		...['/', 'http://[', '//', 'data:,', ''].map((location) => ({ location })),
	),
	connection: fc.oneof(
		{ weight: 12, arbitrary: fc.constant(undefined) },
		fc.constantFrom('reset' as const, 'cut' as const),
	),
	times: fc.integer({ min: 1, max: 8 }),
	retryAfter: fc.constantFrom(0, '-1', 'soon', '0, 0'),
});

/** A site that is found, with any other fields. */
const fields = siteJson.map(({ siteId: _id, ...merge }): Fault => ({ merge }));

const parameters = fc.record({
	operation: fc.constantFrom(...ALL_OPERATIONS),
	simplify: fc.boolean(),
	include: fc.subarray(['info', 'units']),
	format: fc.constantFrom('json', 'file'),
});

const options = fc.record({
	maxConcurrency: fc.integer({ min: 1, max: 8 }),
	maxRetries: fc.integer({ min: 0, max: 2 }),
	fullResponse: fc.boolean(),
});

/** What an item may hold as its site ID. */
const anyId = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...IDS) }, anyJson(1));

test('any responses of both endpoints: each item comes out, or the run stops and names one', async () => {
	const run = fc.record({
		tokenFaults: fc.array(response, { maxLength: 2 }),
		siteFaults: fc.array(
			fc
				.tuple(fc.constantFrom(...IDS), fc.oneof(response, fields))
				.map(([siteId, fault]) => ({ ...fault, siteId })),
			{ maxLength: 4 },
		),
		ids: fc.array(anyId, { minLength: 1, maxLength: 6 }),
		parameters,
		options,
		onError: fc.constantFrom(
			...(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const),
		),
	});
	const property = fc.asyncProperty(run, async ({ ids, onError, ...given }) => {
		const { service, n8n } = await startCase();
		service.faults.token.push(...structuredClone(given.tokenFaults));
		service.faults.site.push(...structuredClone(given.siteFaults));
		const id = '={{ $json.id }}';
		const chosen = { ...given.parameters, siteId: id, siteIds: id, options: given.options };
		const node = siteNode(chosen, { onError });
		const { outputs, error, hints, status } = await n8n.run({ node, items: itemsWith(ids) });

		const visible = JSON.stringify([outputs, error?.message, error?.description, hints]);
		expect(visible).not.toContain(PASSWORD);
		if (error) {
			expect(onError).toBe('stopWorkflow');
			expect([...ids.keys()]).toContain(error.context.itemIndex);
			expect(error.message).toMatch(/^['A-Z].* .* /s);
			return;
		}
		expect(status).toBe('success');
		const owners = outputs.flat().map(({ pairedItem }) => pairedItem);
		for (const item of ids.keys()) {
			// A site without units has no row: a hint names it
			if (chosen.operation === 'getUnits' && JSON.stringify(hints).includes('No rows')) return;
			expect(owners).toContainEqual({ item });
		}
	});
	await fc.assert(property, asyncRuns);
});
