import fc from 'fast-check';
import type { NodeApiError } from 'n8n-workflow';
import { createEngine } from '../engine/engine';
import { itemsWith, siteNode } from '../helpers/sea-farm';
import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { anyJson, engine as engineRuns, nearlySite } from './fuzz';

const IDS = [1042, 1057, 1063, 1088];
let service: Service;
/** Each case has a user of its own, so that no login of another case is remembered. */
let users = 0;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

async function n8nOfNewUser() {
	service.reset();
	const login = { username: `user-${++users}`, password: 'Secret-1042' };
	service.logins.push(login);
	return await createEngine({
		fresh: false,
		credentials: { 'Sea farm': { baseUrl: service.baseUrl, ...login } },
	});
}

const status = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(200, 201, 203) },
	{ weight: 2, arbitrary: fc.constantFrom(204, 301, 307, 400, 401, 403, 404, 429, 500, 502, 503) },
	{ weight: 1, arbitrary: fc.integer({ min: 200, max: 999 }) },
);

const headers = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(undefined) },
	fc.record({
		'content-type': fc.constantFrom(
			'text/html',
			'application/json; charset=utf-16',
			'image/png',
			'',
		),
	}),
	fc.record({ 'content-encoding': fc.constantFrom('gzip', 'br', 'deflate', 'none') }),
	fc.record({ location: fc.constantFrom('/', 'http://[', '//', 'data:,', '') }),
);

/** Any answer that HTTP can carry. */
const answer: fc.Arbitrary<Fault> = fc
	.record({
		status,
		body: fc.oneof(
			{ weight: 4, arbitrary: nearlySite.map((json) => ({ json })) },
			anyJson().map((json) => ({ json })),
			fc.uint8Array({ maxLength: 40 }),
			fc.string({ unit: 'binary' }).map((text) => ({ text })),
			fc.constantFrom('json', 'html', 'empty', 'broken', 'text'),
		),
		headers,
		connection: fc.oneof(
			{ weight: 12, arbitrary: fc.constant(undefined) },
			fc.constantFrom('reset', 'cut'),
		),
		times: fc.integer({ min: 1, max: 8 }),
		retryAfter: fc.constantFrom(0, '-1', 'soon', '0, 0'),
	})
	.map((fault) => fault as Fault);

const parameters = fc.oneof(
	fc.record({
		operation: fc.constantFrom('get', 'getAll'),
		output: fc.constantFrom('raw', 'simplified'),
		include: fc.subarray(['info', 'units']),
	}),
	fc.record({ operation: fc.constant('getUnits') }),
	fc.record({
		operation: fc.constant('getGeoJson'),
		format: fc.constantFrom('json', 'file'),
		binaryPropertyName: fc.constant('data'),
	}),
);

const options = fc.record({
	maxConcurrency: fc.integer({ min: 1, max: 8 }),
	maxRetries: fc.integer({ min: 0, max: 2 }),
	fullResponse: fc.boolean(),
});

const onError = fc.constantFrom(
	'stopWorkflow' as const,
	'continueRegularOutput' as const,
	'continueErrorOutput' as const,
);

test('any answers of both endpoints: each item comes out, or the run stops and names one', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(answer, { maxLength: 2 }),
			fc.array(fc.tuple(fc.constantFrom(...IDS), answer), { maxLength: 4 }),
			fc.array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...IDS) }, anyJson(1)), {
				minLength: 1,
				maxLength: 6,
			}),
			parameters,
			options,
			onError,
			async (tokenFaults, siteFaults, ids, chosen, given, setting) => {
				const n8n = await n8nOfNewUser();
				service.faults.token.push(...tokenFaults.map((fault) => ({ ...fault })));
				service.faults.site.push(...siteFaults.map(([siteId, fault]) => ({ ...fault, siteId })));
				const { outputs, error, hints, status } = await n8n.run({
					node: siteNode(
						{
							...chosen,
							siteId: '={{ $json.id }}',
							siteIds: '={{ $json.id }}',
							options: given,
						},
						{ onError: setting },
					),
					items: itemsWith(ids),
				});

				const told = JSON.stringify([outputs, error?.message, error?.description, hints]);
				expect(told).not.toContain('Secret-1042');
				if (error) {
					expect(setting).toBe('stopWorkflow');
					const { itemIndex } = (error as NodeApiError).context;
					expect([...ids.keys()]).toContain(itemIndex);
					expect(error.message).toMatch(/^['A-Z].* .* /s);
					return;
				}
				expect(status).toBe('success');
				const seen = new Set(
					outputs.flat().map(({ pairedItem }) => (pairedItem as { item: number }).item),
				);
				for (const item of ids.keys()) {
					if (seen.has(item)) continue;
					// A site without units has no row: a hint names it
					expect(chosen.operation).toBe('getUnits');
					expect(hints.map(({ message }) => message).join()).toContain('No units');
				}
			},
		),
		engineRuns,
	);
});

/** What the trigger finds at each poll, for each of its sites. */
const poll = fc.array(
	fc.oneof({ weight: 3, arbitrary: nearlySite.map((json): Fault => ({ body: { json } })) }, answer),
	{ minLength: 2, maxLength: 2 },
);

test('any snapshots: a poll tells events or says what went wrong, and none is told twice', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(poll, { minLength: 2, maxLength: 4 }), async (polls) => {
			const n8n = await n8nOfNewUser();
			const trigger = n8n.pollingTrigger({
				type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
				parameters: { siteIds: '1042, 1057' },
			});
			const tick = async () => {
				try {
					return await trigger.poll();
				} catch (error) {
					const { message } = error as Error;
					expect(message).toMatch(/^['A-Z].* .* /s);
					return null;
				}
			};
			const show = (faults: Fault[]) => {
				service.faults.site = faults.map((fault, index) => ({
					...fault,
					times: undefined,
					siteId: IDS[index],
				}));
			};
			for (const faults of polls) {
				show(faults);
				await tick();
				show(faults);
				expect(await tick()).toBeNull();
			}
		}),
		engineRuns,
	);
});
