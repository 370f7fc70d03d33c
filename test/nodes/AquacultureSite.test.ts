import type { Engine, TestNode } from '../engine/engine';
import { type Service, startService } from '../fake-service/service';
import { manySites, type Site } from '../fake-service/sites';
import { dataOf, itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';

// A busy machine takes its time
jest.setTimeout(30_000);

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

const storholmen = () => service.sites[0] as Site;
const siteRequests = () => service.requests.filter(({ endpoint }) => endpoint === 'site');

async function run(parameters: TestNode['parameters'], ids: unknown[] = [1042]) {
	return await engine.run({ node: siteNode(parameters ?? {}), items: itemsWith(ids) });
}

describe('service.md, «Get a site»', () => {
	test('method and path: GET {base_url}/meta/sites/{site_id}, without a body', async () => {
		await run({ operation: 'get', siteId: 1042 });
		expect(siteRequests()).toEqual([
			expect.objectContaining({ method: 'GET', path: '/meta/sites/1042', body: '', status: 200 }),
		]);
	});

	test('request headers: Authorization Bearer and Api-Version', async () => {
		await run({ operation: 'get', siteId: 1042 });
		expect(siteRequests()[0]?.headers).toMatchObject({
			authorization: `Bearer ${service.issuedTokens[0]}`,
			'api-version': '2025-01-01',
		});
	});

	test.each([
		[['info', 'units'], '?$include=info,units'],
		[['units', 'info'], '?$include=info,units'],
		[['info'], '?$include=info'],
		[['units'], '?$include=units'],
		[[], ''],
	])('query $include: %j sends «%s»', async (include, query) => {
		await run({ operation: 'get', siteId: 1042, include });
		expect(siteRequests().map(({ url }) => decodeURIComponent(url))).toEqual([
			`/meta/sites/1042${query}`,
		]);
	});

	test('rule 1: when $include contains info, then the response holds the object info', async () => {
		const [site] = dataOf(await run({ operation: 'get', siteId: 1042, include: ['info'] }));
		const { units: _, ...expected } = storholmen();
		expect(site).toEqual(expected);
	});

	test('rule 2: when $include contains units, then the response holds the array units', async () => {
		const [site] = dataOf(await run({ operation: 'get', siteId: 1042, include: ['units'] }));
		const { info: _, ...expected } = storholmen();
		expect(site).toEqual(expected);
	});

	test('response body: siteId and siteName always, alone where nothing is included', async () => {
		const data = dataOf(await run({ operation: 'get', siteId: 1042, include: [] }));
		expect(data).toEqual([{ siteId: 1042, siteName: 'Storholmen' }]);
	});

	test('the response carries a status code, headers and a body: all three on demand', async () => {
		service.faults.site.push({ headers: { 'X-Trace': 'abc' } });
		const options = { fullResponse: true };
		const [data] = dataOf(await run({ operation: 'get', siteId: 1042, options }));
		expect(data).toEqual({
			statusCode: 200,
			headers: expect.objectContaining({
				'x-trace': 'abc',
				'content-type': 'application/json; charset=utf-8',
			}),
			body: storholmen(),
		});
	});
});

describe('service.md, «Versioning»', () => {
	test.each(['2025-01-01', '2023-01-01', ' 2023-01-01 '])('version %j is sent', async (text) => {
		const data = await run({ operation: 'get', siteId: 1042, options: { apiVersion: text } });
		expect(data.items).toHaveLength(1);
		expect(siteRequests()[0]?.headers['api-version']).toBe(text.trim());
	});

	test('a version that the service does not know yet is sent all the same', async () => {
		const options = { apiVersion: '2031-12-31' };
		const { error } = await run({ operation: 'get', siteId: 1042, options });
		expect(siteRequests()[0]?.headers['api-version']).toBe('2031-12-31');
		expect(error?.message).toBe(
			'The service rejected the request for site 1042 (status 400)',
		);
		expect(error?.description).toContain("Check the site ID, and 'API Version' under 'Options'.");
	});

	test.each(['', 'latest', '2025-1-1', '2025-02-30', '01.01.2025', '2025-01-01\r\nX-Evil: 1'])(
		'%j is no date in the form YYYY-MM-DD, and nothing is sent',
		async (apiVersion) => {
			const { error } = await run({ operation: 'get', siteId: 1042, options: { apiVersion } });
			expect(error?.message).toBe("'API Version' is not a date");
			expect(service.counts.requests).toBe(0);
		},
	);
});

describe.each([
	['get', { operation: 'get', siteId: '={{ $json.id }}' }],
	['getAll', { operation: 'getAll', siteIds: '={{ $json.id }}' }],
])('%s, the shape of its items', (_, parameters) => {
	test('raw: exactly what the service sent, unknown fields and wrong types too', async () => {
		const odd = { siteName: 7, info: null, extra: { deep: [1, null, 'Ø'] }, units: 'none' };
		service.faults.site.push({ merge: odd });
		expect(dataOf(await run(parameters))).toEqual([{ siteId: 1042, ...odd }]);
	});

	test('raw is what a user gets who chose nothing', async () => {
		expect(dataOf(await run(parameters))).toEqual([storholmen()]);
	});

	test('simplified: one flat row of at most ten fields', async () => {
		const data = dataOf(await run({ ...parameters, output: 'simplified' }));
		expect(data).toEqual([
			{
				siteId: 1042,
				siteName: 'Storholmen',
				type: 'Sea',
				code: 'STOR',
				license: 'SAMPLE-1042',
				maxTotalBiomass: 7800,
				latitude: 66.84512,
				longitude: 13.41207,
				timezone: 'Europe/Oslo',
				unitCount: 10,
			},
		]);
	});

	test.each([
		[['info'], 9, { code: 'STOR' }],
		[['units'], 3, { unitCount: 10 }],
		[[], 2, {}],
	])('simplified with %j has %i fields', async (include, fields, holds) => {
		const [row] = dataOf(await run({ ...parameters, output: 'simplified', include })) as object[];
		expect(Object.keys(row!)).toHaveLength(fields);
		expect(row).toMatchObject(holds);
	});

	test('simplified: null where the service has nothing', async () => {
		service.faults.site.push({ merge: { info: undefined, units: undefined, siteName: null } });
		expect(dataOf(await run({ ...parameters, output: 'simplified' }))).toEqual([
			{
				siteId: 1042,
				siteName: null,
				type: null,
				code: null,
				license: null,
				maxTotalBiomass: null,
				latitude: null,
				longitude: null,
				timezone: null,
				unitCount: null,
			},
		]);
	});

	test('the full response holds the site as it came, whatever the output', async () => {
		const options = { fullResponse: true };
		const [data] = dataOf(await run({ ...parameters, output: 'simplified', options }));
		expect(data).toMatchObject({ statusCode: 200, body: storholmen() });
	});
});

describe('pairing', () => {
	test('get gives one item for each input item, in their order', async () => {
		const ids = [1120, 1042, 1120, 1057];
		// The first answer is the last to come
		service.faults.site.push({ siteId: 1120, latencyMs: 50 });
		const { items } = await run({ operation: 'get', siteId: '={{ $json.id }}' }, ids);
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual(
			ids.map((id, item) => [id, { item }]),
		);
	});

	test.each(['getAll', 'getUnits'])('%s pairs each of its many items', async (operation) => {
		const { items } = await run({ operation, siteIds: '={{ $json.id }}' }, [
			[1057, 1088],
			'1042',
			'1088 1057',
		]);
		const owners = items.map(({ json, pairedItem }) => [json.siteId, pairedItem]);
		const distinct = [...new Set(owners.map((owner) => JSON.stringify(owner)))];
		expect(distinct.map((owner) => JSON.parse(owner) as unknown)).toEqual([
			[1057, { item: 0 }],
			[1088, { item: 0 }],
			[1042, { item: 1 }],
			[1088, { item: 2 }],
			[1057, { item: 2 }],
		]);
	});

	test('getGeoJson gives one paired item for each input item', async () => {
		const { items } = await run({ operation: 'getGeoJson', siteIds: '={{ $json.id }}' }, [
			[1057, 1088],
			1042,
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test('the fields of the input are in reach of the node that follows', async () => {
		const result = await engine.runWorkflow({
			nodes: [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', credential: null },
				{ ...siteNode({ operation: 'getUnits', siteIds: '={{ $json.id }}' }), name: 'Units' },
				{
					...siteNode({ operation: 'get', siteId: '={{ $("Start").item.json.id }}', include: [] }),
					name: 'Again',
				},
			],
			connections: {
				Start: { main: [[{ node: 'Units', type: 'main', index: 0 }]] },
				Units: { main: [[{ node: 'Again', type: 'main', index: 0 }]] },
			},
			pinned: { Start: itemsWith([1088, 1057]) },
		});
		const [again] = result.outputs('Again');
		expect(again?.map(({ json }) => json.siteId)).toEqual([
			...Array(3).fill(1088),
			...Array(6).fill(1057),
		]);
	});
});

describe('the same site asked for more than once in a run', () => {
	test('500 items over 12 sites: 12 requests, and an output object of its own for each', async () => {
		const twelve = manySites(12);
		service.sites.push(...twelve);
		const ids = Array.from({ length: 500 }, (_, index) => twelve[index % 12]!.siteId);
		const { items } = await run({ operation: 'get', siteId: '={{ $json.id }}' }, ids);
		expect(service.counts.siteRequests).toBe(12);
		expect(items.map(({ json }) => json.siteId)).toEqual(ids);

		const [first, , , , , , , , , , , , twin] = items;
		expect(twin?.json).toEqual(first?.json);
		const units = (first!.json as unknown as Site).units;
		units[0]!.unitName = 'changed';
		first!.json.siteName = 'changed';
		for (const { json } of items.slice(1)) expect(JSON.stringify(json)).not.toContain('changed');
	});

	test('in another shape of the request it is asked for again', async () => {
		const result = await engine.run({
			node: siteNode({
				operation: 'get',
				siteId: 1042,
				include: '={{ $json.id.include }}',
				options: { apiVersion: '={{ $json.id.version }}' },
			}),
			items: itemsWith([
				{ include: ['info'], version: '2025-01-01' },
				{ include: ['units'], version: '2025-01-01' },
				{ include: ['info'], version: '2023-01-01' },
				{ include: ['info'], version: '2025-01-01' },
			]),
		});
		expect(result.items).toHaveLength(4);
		expect(service.counts.siteRequests).toBe(3);
	});

	test('in the next run it is asked for again: nothing stale comes out', async () => {
		await run({ operation: 'get', siteId: 1042 });
		storholmen().siteName = 'Storholmen Nord';
		const data = dataOf(await run({ operation: 'get', siteId: 1042, include: [] }));
		expect(data).toEqual([{ siteId: 1042, siteName: 'Storholmen Nord' }]);
		expect(service.counts.siteRequests).toBe(2);
	});
});

describe('site IDs in what people have', () => {
	const ids = (result: { items: Array<{ json: object }> }) =>
		result.items.map(({ json }) => (json as Site).siteId);

	test.each<[string, string | number]>([
		['commas, spaces and lines', '1042, 1057 1063\n1088'],
		['semicolons', '1042;1057; 1063 ;1088'],
		['a list typed in', '[1042, 1057, 1063, 1088]'],
		['a list with quotes', '["1042", "1057", \'1063\', "1088"]'],
		['an expression that gives a list', '={{ [1042, 1057, 1063, 1088] }}'],
		['an expression that gives a list of texts', '={{ ["1042", "1057 1063", 1088] }}'],
		['a list of the input item', '={{ $json.id }}'],
		['repeats', '1042 1042 1057 1063, 1088, 01042'],
	])('getAll takes %s', async (_, siteIds) => {
		const result = await run({ operation: 'getAll', siteIds }, [[1042, '1057', 1063, '1088']]);
		expect(ids(result)).toEqual([1042, 1057, 1063, 1088]);
		expect(service.counts.siteRequests).toBe(4);
	});

	test.each([1042, '1042', ' 1042 ', '001042', '={{ 1042 }}', '={{ "1042" }}', '={{ [1042] }}'])(
		'get takes %j',
		async (siteId) => {
			expect(ids(await run({ operation: 'get', siteId }))).toEqual([1042]);
			expect(siteRequests()[0]?.path).toBe('/meta/sites/1042');
		},
	);

	test('an ID that comes with several input items comes out for each of them', async () => {
		const result = await run({ operation: 'getAll', siteIds: '={{ $json.id }}' }, [
			'1042 1057',
			'1057 1042',
		]);
		expect(ids(result)).toEqual([1042, 1057, 1057, 1042]);
		expect(service.counts.siteRequests).toBe(2);
	});
});
