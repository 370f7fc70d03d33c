import type { IPairedItemData } from 'n8n-workflow';
import { dataOf, useSeaFarm } from '../tools/engine/sea-farm';
import { manySites } from '../tools/fake-service/sites';
import { at, defined } from '../tools/helpers/at';
import { ALL_OPERATIONS } from '../tools/helpers/panel';

const farm = useSeaFarm();

test.each(ALL_OPERATIONS)(
	'the items of %s are paired with their input items, in the order of these',
	async (operation) => {
		// The first response is the last to come
		farm.service.faults.site.push({ siteId: 1120, latencyMs: 50 });
		const ids = [1120, 1057, 1120, 1088];
		const { items } = await farm.run({ operation, simplify: true, format: 'json' }, ids);
		const owners = items.map(({ json, pairedItem }) => {
			const [, siteId] = /"siteId":(\d+)/.exec(JSON.stringify(json)) ?? [];
			return [Number(siteId), (pairedItem as IPairedItemData).item] as const;
		});
		expect([...new Set(owners.map(([, item]) => item))]).toEqual([...ids.keys()]);
		for (const [siteId, item] of owners) expect(siteId).toBe(ids[item]);
	},
);

describe('sites', () => {
	test('1,500 items over 12 sites: 12 requests, and an object of its own for each item', async () => {
		const twelve = manySites(12).map(({ siteId }) => siteId);
		farm.service.sites.push(...manySites(12));
		const ids = Array.from({ length: 1500 }, (_, index) => at(twelve, index % 12));
		const { items } = await farm.run({ operation: 'get' }, ids);
		expect(farm.service.counts.siteRequests).toBe(12);
		expect(items.map(({ json }) => json.siteId)).toEqual(ids);

		const [first, ...rest] = items.map(({ json }) => json);
		expect(rest[11]).toEqual(first);
		Object.assign(defined(first), { siteName: 'changed' });
		Object.assign(at(defined(first).units as object[], 0), { unitName: 'changed' });
		expect(JSON.stringify(rest)).not.toContain('changed');
	});

	test('come with the response on request', async () => {
		const result = await farm.run({ operation: 'get', options: { fullResponse: true } }, [1042]);
		const headers = { 'content-type': expect.stringContaining('json') as unknown };
		expect(dataOf(result)).toMatchObject([{ statusCode: 200, headers, body: { siteId: 1042 } }]);
	});

	test('are requested again for other parts or another version, and in the next run', async () => {
		const ids = ['info 2025-01-01', 'units 2025-01-01', 'info 2023-01-01', 'info 2025-01-01'];
		const parameters = {
			operation: 'get',
			siteId: 1042,
			include: '={{ [$json.id.split(" ")[0]] }}',
			options: { apiVersion: '={{ $json.id.split(" ")[1] }}' },
		};
		const [withInfo, withUnits, ...more] = dataOf(await farm.run(parameters, ids));
		const { info, units, ...site } = farm.site(1042);
		expect([withInfo, withUnits]).toEqual([
			{ ...site, info },
			{ ...site, units },
		]);
		expect(more).toEqual([withInfo, withInfo]);
		expect(farm.service.counts.siteRequests).toBe(3);
		await farm.run(parameters, ids);
		expect(farm.service.counts.siteRequests).toBe(6);
	});
});

test('a hint beside the output lists five names, each once, and counts the others', async () => {
	const bare = manySites(7).map((site) => ({ ...site, units: [] }));
	farm.service.sites.push(...bare);
	const ids = bare.map(({ siteId }) => siteId);
	const { hints } = await farm.run({ operation: 'getUnits' }, [ids, ids]);
	const names = bare.slice(0, 5).map(({ siteId, siteName }) => `${siteName} (${siteId})`);
	const message = `No rows, because these sites have no units: ${names.join(', ')}, and 2 more`;
	expect(hints).toMatchObject([{ message, location: 'outputPane' }]);
});

test('what the service sends is plain text in a hint, and as it is in the data', async () => {
	const unit = { unitId: 1, unitName: '<b>2</b> & <img src=x>', latitude: null, longitude: null };
	farm.service.sites.push({ ...farm.site(1042), siteId: 7, siteName: '`A` <i>', units: [unit] });
	const { items, hints } = await farm.run({ operation: 'getMap', format: 'json' }, [7]);
	const name = 'unit &#60;b>2&#60;/b> &#38; &#60;img src=x> of site &#96;A&#96; &#60;i> (7)';
	expect(hints).toMatchObject([{ message: expect.stringContaining(`: ${name}`) as unknown }]);
	expect(at(items, 0).json.features).toMatchObject([{ properties: { siteName: '`A` <i>' } }]);
});

describe('a map', () => {
	test('as a file is what n8n stores for the next node', async () => {
		const [map] = dataOf(await farm.run({ operation: 'getMap', format: 'json' }, [1088]));
		const { items, hints } = await farm.run({ operation: 'getMap' }, [1088]);
		const { json, binary } = at(items, 0);
		const fileName = 'site-1088.geojson';
		expect(json).toEqual({ fileName, siteCount: 1, featureCount: 4 });
		const mimeType = 'application/geo+json';
		expect(binary?.data).toMatchObject({ fileName, fileExtension: 'geojson', mimeType });
		const text = Buffer.from(defined(binary?.data).data, 'base64').toString();
		expect(JSON.parse(text)).toEqual(map);
		expect(hints).toEqual([]);
	});

	test('is not made of no site: there are the failures alone', async () => {
		const onError = 'continueRegularOutput';
		const result = await farm.run({ operation: 'getMap' }, ['7, 8', 1088], { onError });
		const seen = result.items.map(({ json, pairedItem }) => [json.error, pairedItem]);
		// Those of an item come out as they become known
		expect([...seen.slice(0, 2).sort(), ...seen.slice(2)]).toEqual([
			['Site 7 was not found [item 0]', { item: 0 }],
			['Site 8 was not found [item 0]', { item: 0 }],
			[undefined, { item: 1 }],
		]);
		expect(result.hints).toEqual([]);
	});
});
