import type { INodeParameters, OnError } from 'n8n-workflow';
import type { Engine, NodeResult } from '../engine/engine';
import type { Service } from '../fake-service/service';
import { startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { at } from '../helpers/at';
import { CREDENTIAL, itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService();
});
beforeEach(async () => {
	service.reset();
	engine = await seaFarm(service);
});
afterAll(() => service.close());

const GET = { operation: 'get', siteId: '={{ $json.id }}', include: [] };
const GET_MANY = { operation: 'getAll', siteIds: '={{ $json.id }}', include: [] };

/** One item for each ID. */
async function run(
	ids: readonly unknown[],
	parameters: INodeParameters = GET,
	onError?: OnError,
): Promise<NodeResult> {
	return await engine.run({ node: siteNode(parameters, { onError }), items: itemsWith(ids) });
}

describe('a parameter is checked before anything is sent', () => {
	test.each([
		['Site ID', GET],
		['Site IDs', GET_MANY],
		['Site IDs', { ...GET_MANY, operation: 'getUnits' }],
		['Site IDs', { ...GET_MANY, operation: 'getGeoJson' }],
	])('%s: %j', async (name, parameters) => {
		const { error } = await run([1042, 1057, '../auth/token', 'x'], parameters);
		expect(error?.message).toBe(`'${name}': "../auth/token" is not a site ID [item 2]`);
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(service.counts.requests).toBe(0);
	});

	test('an option', async () => {
		const { error } = await run([1042], { ...GET, options: { timeout: '={{ "soon" }}' } });
		expect(error?.message).toBe("'Timeout' is not a whole number from 1 to 3600000");
		expect(service.counts.requests).toBe(0);
	});
});

test('a response that echoes the password or the token gives neither away', async () => {
	await run([1042]);
	const token = at(service.issuedTokens, 0);
	const { password } = service.login;
	const json = { message: `Bearer ${token} of ${password}` };
	service.faults.site.push({ status: 403, body: { json } });
	const { error } = await run([1042]);
	expect(error?.message).toBe('This user has no access to site 1042');
	expect(error?.description).toContain(' The service says: "Bearer ••• of •••"');
	expect(JSON.stringify(error)).not.toContain(token);
	expect(JSON.stringify(error)).not.toContain(password);
});

describe('On Error', () => {
	const ids = [1042, 77, 1057, 'x', 1063];
	const sites = [
		{ siteId: 1042, siteName: 'Storholmen' },
		{ siteId: 1057, siteName: 'Ørnesvika' },
		{ siteId: 1063, siteName: 'Gåsøya Sør' },
	];
	const notFound = 'Site 77 was not found';

	test('Stop Workflow: the first failure ends the run, with its item', async () => {
		const { status, error, items } = await run([1042, 77, 1057]);
		expect([status, items]).toEqual(['error', []]);
		expect(error?.message).toBe(`${notFound} [item 1]`);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
	});

	test('Stop Workflow: the sites that are left are not requested', async () => {
		service.sites.push(...manySites(200));
		const { error } = await run([77, ...manySites(200).map(({ siteId }) => siteId)]);
		expect(error?.message).toBe(`${notFound} [item 0]`);
		expect(service.counts.siteRequests).toBeLessThan(50);
	});

	test.each([GET, GET_MANY])(
		'Continue: a failed item stands in its place, the others are kept (%j)',
		async (parameters) => {
			const { status, items } = await run(ids, parameters, 'continueRegularOutput');
			expect(status).toBe('success');
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
			expect([0, 2, 4].map((index) => at(items, index).json)).toEqual(sites);
			expect(at(items, 1).json).toEqual({
				error: `${notFound} [item 1]`,
				message: expect.stringContaining('The service says: "There is no site 77."') as unknown,
			});
			expect(at(items, 3).json.error).toContain('"x" is not a site ID');
		},
	);

	test.each([GET, GET_MANY])(
		'Continue (using error output): each output holds what belongs there (%j)',
		async (parameters) => {
			const { status, outputs } = await run(ids, parameters, 'continueErrorOutput');
			expect(status).toBe('success');
			expect(at(outputs, 0).map(({ json }) => json)).toEqual(sites);
			expect(
				at(outputs, 1).map(({ json, pairedItem }) => [json.id, json.error, pairedItem]),
			).toEqual([
				[77, `${notFound} [item 1]`, { item: 1 }],
				['x', expect.stringContaining('"x" is not a site ID'), { item: 3 }],
			]);
		},
	);

	test.each<[OnError, number]>([
		['continueRegularOutput', 0],
		['continueErrorOutput', 1],
	])('%s: of a list with one bad site the others are kept', async (onError, errorOutput) => {
		const { outputs } = await run(['1042 77 1057'], GET_MANY, onError);
		const kept = at(outputs, 0).slice(0, 2);
		expect(kept.map(({ json }) => json)).toEqual(sites.slice(0, 2));
		expect(at(at(outputs, errorOutput), -1).json.error).toBe(notFound);
	});

	test.each<OnError>(['continueRegularOutput', 'continueErrorOutput'])(
		'%s: each item fails where the credential cannot be used, and no secret is shown',
		async (onError) => {
			engine.editCredential(CREDENTIAL, { baseUrl: 'sea farm', password: 'odd-secret-77' });
			const { status, outputs, run: record } = await run(ids, GET, onError);
			expect(status).toBe('success');
			expect(at(outputs, -1)).toHaveLength(ids.length);
			expect(service.counts.requests).toBe(0);
			expect(JSON.stringify(record)).not.toContain('odd-secret-77');
		},
	);
});

test('a node without a credential says so', async () => {
	const node = siteNode({ operation: 'get', siteId: 1042 }, { credential: null });
	const { error } = await engine.run({ node });
	expect(error?.message).toBe('Node does not have any credentials set');
	expect(service.counts.requests).toBe(0);
});

test('no items in, none out, and nothing is sent', async () => {
	const { items, status } = await run([]);
	expect([items, status]).toEqual([[], 'success']);
	expect(service.counts.requests).toBe(0);
});
