import type { INodeParameters } from 'n8n-workflow';
import type { TestNode } from '../engine/engine';
import { manySites } from '../fake-service/sites';
import { at, defined } from '../helpers/at';
import { dataOf, itemsWith, siteNode } from '../helpers/sea-farm';
import { useSeaFarm } from '../helpers/use-sea-farm';

const farm = useSeaFarm();

/** Runs an operation on input items whose `id` holds the site IDs. */
async function run(
	parameters: INodeParameters,
	ids: readonly unknown[] = [1042],
	settings?: Partial<TestNode>,
) {
	const id = '={{ $json.id }}';
	const node = siteNode({ siteId: id, siteIds: id, ...parameters }, settings);
	return await farm.engine.run({ node, items: itemsWith(ids) });
}

describe('the items', () => {
	test('hold the site exactly as the service sent it, unknown fields and wrong types too', async () => {
		const odd = { siteName: 7, info: null, extra: { deep: [1, null, 'Ø'] }, units: 'none' };
		farm.service.faults.site.push({ merge: odd });
		expect(dataOf(await run({ operation: 'get' }))).toEqual([{ siteId: 1042, ...odd }]);
	});

	test('hold status code, headers and body where these are chosen', async () => {
		farm.service.faults.site.push({ headers: { 'X-Trace': 'abc' } });
		const [data] = dataOf(await run({ operation: 'get', options: { fullResponse: true } }));
		expect(data).toMatchObject({
			statusCode: 200,
			headers: { 'x-trace': 'abc', 'content-type': 'application/json; charset=utf-8' },
			body: farm.site(1042),
		});
	});

	test.each(['get', 'getAll', 'getUnits', 'getGeoJson'])(
		'of %s are paired with their input items, in the order of these',
		async (operation) => {
			// The first response is the last to come
			farm.service.faults.site.push({ siteId: 1120, latencyMs: 50 });
			const { items } = await run({ operation, output: 'simplified' }, [1120, 1057, 1120, 1088]);
			const owners = items.map(({ json, pairedItem }) => {
				const [, featureId] = /"id":"site-(\d+)"/.exec(JSON.stringify(json)) ?? [];
				return [json.siteId ?? Number(featureId), pairedItem];
			});
			const perItem = operation === 'getUnits' ? [5, 6, 5, 3] : [1, 1, 1, 1];
			expect(owners).toEqual(
				[1120, 1057, 1120, 1088].flatMap((siteId, item) =>
					Array.from({ length: at(perItem, item) }, () => [siteId, { item }]),
				),
			);
		},
	);
});

describe('site IDs', () => {
	test('may come in any form from an expression; each site is requested once', async () => {
		const { items } = await run({ operation: 'getAll' }, [[1042, '1057 01063'], '1057;1042 1042']);
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual([
			[1042, { item: 0 }],
			[1057, { item: 0 }],
			[1063, { item: 0 }],
			[1057, { item: 1 }],
			[1042, { item: 1 }],
		]);
		expect(farm.service.counts.siteRequests).toBe(3);
	});

	test('500 items over 12 sites: 12 requests, and an object of its own for each item', async () => {
		const twelve = manySites(12).map(({ siteId }) => siteId);
		farm.service.sites.push(...manySites(12));
		const ids = Array.from({ length: 500 }, (_, index) => at(twelve, index % 12));
		const { items } = await run({ operation: 'get' }, ids);
		expect(farm.service.counts.siteRequests).toBe(12);
		expect(items.map(({ json }) => json.siteId)).toEqual(ids);

		const [first, ...rest] = items.map(({ json }) => json);
		expect(rest[11]).toEqual(first);
		Object.assign(defined(first), { siteName: 'changed' });
		Object.assign(at(defined(first).units as object[], 0), { unitName: 'changed' });
		expect(JSON.stringify(rest)).not.toContain('changed');
	});

	test('are requested again for other parts or another version, and in the next run', async () => {
		const shapes = [
			{ include: ['info'], version: '2025-01-01' },
			{ include: ['units'], version: '2025-01-01' },
			{ include: ['info'], version: '2023-01-01' },
			{ include: ['info'], version: '2025-01-01' },
		];
		const parameters = {
			operation: 'get',
			siteId: 1042,
			include: '={{ $json.id.include }}',
			options: { apiVersion: '={{ $json.id.version }}' },
		};
		const [withInfo, withUnits, ...more] = dataOf(await run(parameters, shapes));
		const { info, units, ...site } = farm.site(1042);
		expect([withInfo, withUnits]).toEqual([
			{ ...site, info },
			{ ...site, units },
		]);
		expect(more).toEqual([withInfo, withInfo]);
		await run({ operation: 'get', include: [] });
		const requests = farm.siteRequests.map(({ query, headers }) => [query, headers['api-version']]);
		expect(requests).toEqual([
			[{ $include: 'info' }, '2025-01-01'],
			[{ $include: 'units' }, '2025-01-01'],
			[{ $include: 'info' }, '2023-01-01'],
			[{}, '2025-01-01'],
		]);
	});
});

test('a hint beside the output lists five names, each once, and counts the others', async () => {
	const bare = manySites(7).map((site) => ({ ...site, units: [] }));
	farm.service.sites.push(...bare);
	const ids = bare.map(({ siteId }) => siteId);
	const five = bare.slice(0, 5).map(({ siteId, siteName }) => `${siteName} (${siteId})`);
	const message = `No units, so no rows: ${five.join(', ')}`;
	const [all, some, none] = [
		await run({ operation: 'getUnits' }, [...ids, ...ids]),
		await run({ operation: 'getUnits' }, [ids.slice(0, 5)]),
		await run({ operation: 'getUnits' }, [1088]),
	];
	expect(all.hints).toMatchObject([{ message: `${message} and 2 more`, location: 'outputPane' }]);
	expect(some.hints).toMatchObject([{ message, location: 'outputPane' }]);
	expect(none.hints).toEqual([]);
});

describe('a map', () => {
	test('as a file is what n8n stores for the next node', async () => {
		const [map] = dataOf(await run({ operation: 'getGeoJson' }, [1088]));
		const { items, hints } = await run({ operation: 'getGeoJson', format: 'file' }, [1088]);
		const { json, binary } = at(items, 0);
		const fileName = 'site-1088.geojson';
		expect(json).toEqual({ fileName, siteCount: 1, featureCount: 4 });
		const mimeType = 'application/geo+json';
		expect(binary?.data).toMatchObject({ fileName, fileExtension: 'geojson', mimeType });
		const text = Buffer.from(defined(binary?.data).data, 'base64').toString();
		expect(JSON.parse(text)).toEqual(map);
		expect(hints).toEqual([]);
	});

	test.each(['json', 'file'])(
		'is not made of no site: there are the failures alone (%s)',
		async (format) => {
			const onError = 'continueRegularOutput';
			const result = await run({ operation: 'getGeoJson', format }, ['7, 8', 1088], { onError });
			expect(result.items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
				['Site 7 was not found [item 0]', { item: 0 }],
				['Site 8 was not found [item 0]', { item: 0 }],
				[undefined, { item: 1 }],
			]);
			expect(result.hints).toEqual([]);
		},
	);
});
