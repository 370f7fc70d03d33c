import { getIssues } from '@placemarkio/check-geojson';
import type { INodeParameters } from 'n8n-workflow';
import type { Engine } from '../engine/engine';
import { type Service, startService } from '../fake-service/service';
import { manySites, type Site } from '../fake-service/sites';
import { dataOf, itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';

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

const site = (siteId: number) => service.sites.find((one) => one.siteId === siteId) as Site;
const siteRequests = () => service.requests.filter(({ endpoint }) => endpoint === 'site');
const hints = (run: { hints: Array<{ message: string }> }) =>
	run.hints.map(({ message }) => message);

describe('getUnits', () => {
	const units = (siteIds: unknown, options: INodeParameters = {}) =>
		engine.run({
			node: siteNode({ operation: 'getUnits', siteIds: '={{ $json.id }}', options }),
			items: itemsWith([siteIds]),
		});

	test('one flat row for each unit, in the service’s order, the site’s fields repeated', async () => {
		const run = await units('1088, 1057');
		expect(dataOf(run)).toEqual(
			[1088, 1057].flatMap((siteId) =>
				site(siteId).units.map(({ unitId, unitName, latitude, longitude }) => ({
					siteId,
					siteName: site(siteId).siteName,
					unitId,
					unitName,
					latitude,
					longitude,
					code: site(siteId).info.code,
					timezone: 'Europe/Oslo',
				})),
			),
		);
		expect(hints(run)).toEqual([]);
	});

	test('null where the service has nothing: every row has the same columns', async () => {
		site(1088).units.push({} as never, { unitId: 3, unitName: null } as never);
		Object.assign(site(1088).info, { code: null, timezone: undefined });
		const rows = dataOf(await units('1088 1120')) as object[];
		const columns = Object.keys(rows[0]!);
		expect(columns).toEqual([
			'siteId',
			'siteName',
			'unitId',
			'unitName',
			'latitude',
			'longitude',
			'code',
			'timezone',
		]);
		for (const row of rows) {
			expect(Object.keys(row)).toEqual(columns);
			expect(Object.values(row)).not.toContain(undefined);
		}
		expect(rows.at(-1)).toMatchObject({ unitId: 112005, latitude: null, longitude: null });
		expect(rows[3]).toMatchObject({ siteId: 1088, unitId: null, code: null, timezone: null });
	});

	test('asks for info and units, or for units alone, without code and time zone', async () => {
		await units(1088);
		const [row] = dataOf(await units(1088, { includeInfo: false })) as object[];
		expect(siteRequests().map(({ query }) => query.$include)).toEqual(['info,units', 'units']);
		expect(Object.keys(row!)).toEqual([
			'siteId',
			'siteName',
			'unitId',
			'unitName',
			'latitude',
			'longitude',
		]);
	});

	test('a site without units gives no row, and a hint that names it', async () => {
		const run = await units('1101, 1088');
		expect(run.items).toHaveLength(3);
		expect(run.hints).toEqual([
			expect.objectContaining({
				message: 'No units, so no rows: Blåsundet (1101)',
				location: 'outputPane',
			}),
		]);
	});

	test.each([null, undefined, 'none', { 1: {} }])(
		'units that are %j count as none',
		async (value) => {
			service.faults.site.push({ merge: { units: value, siteName: undefined } });
			const run = await units(1088);
			expect(run.items).toEqual([]);
			expect(hints(run)).toEqual(['No units, so no rows: 1088']);
		},
	);

	test('a hint names five sites at most, each once', async () => {
		const bare = manySites(7).map((one) => ({ ...one, units: [] }));
		service.sites.push(...bare);
		const ids = bare.map(({ siteId }) => siteId);
		const run = await units([...ids, ...ids]);
		expect(hints(run)).toEqual([
			`No units, so no rows: ${[1, 2, 3, 4, 5].map((n) => `Prøvested ${n} (${5000 + n})`).join(', ')} and 2 more`,
		]);
	});
});

describe('getGeoJson', () => {
	const map = (siteIds: unknown, parameters: INodeParameters = {}) =>
		engine.run({
			node: siteNode({ operation: 'getGeoJson', siteIds: '={{ $json.id }}', ...parameters }),
			items: itemsWith([siteIds]),
		});

	interface Collection {
		bbox?: number[];
		features: Array<{
			id: string;
			geometry: { coordinates: number[] };
			properties: Record<string, unknown>;
		}>;
	}
	const collectionOf = (run: { items: Array<{ json: object }> }) =>
		run.items[0]?.json as unknown as Collection;

	test('a FeatureCollection with the site and its units as points, [longitude, latitude]', async () => {
		const run = await map(1088);
		const { info, units } = site(1088);
		const { latitude, longitude, ...details } = info;
		expect(run.items).toHaveLength(1);
		expect(run.items[0]?.json).toEqual({
			type: 'FeatureCollection',
			bbox: [14.52273, 67.24018, 14.52503, 67.24108],
			features: [
				{
					type: 'Feature',
					id: 'site-1088',
					geometry: { type: 'Point', coordinates: [longitude, latitude] },
					properties: { ...details, siteId: 1088, siteName: 'Kjærstraumen', kind: 'site' },
				},
				...units.map((unit) => ({
					type: 'Feature',
					id: `unit-1088-${unit.unitId}`,
					geometry: { type: 'Point', coordinates: [unit.longitude, unit.latitude] },
					properties: {
						unitId: unit.unitId,
						unitName: unit.unitName,
						siteId: 1088,
						siteName: 'Kjærstraumen',
						kind: 'unit',
					},
				})),
			],
		});
		expect(hints(run)).toEqual([]);
	});

	test('all sites of an input item on one map, each input item a map of its own', async () => {
		const run = await engine.run({
			node: siteNode({ operation: 'getGeoJson', siteIds: '={{ $json.id }}' }),
			items: itemsWith(['1088 1057', 1042]),
		});
		const kinds = run.items.map(({ json }) =>
			(json as unknown as Collection).features.map(({ id }) => id.split('-')[1]),
		);
		expect(kinds).toEqual([
			[...Array(4).fill('1088'), ...Array(7).fill('1057')],
			Array(11).fill('1042'),
		]);
	});

	test('unknown fields of site, info and unit become properties', async () => {
		site(1088).owner = 'A';
		site(1088).info.depth = { metres: 40 };
		site(1088).units[0]!.nets = [1, 2];
		const { features } = collectionOf(await map(1088));
		expect(features[0]?.properties).toMatchObject({ owner: 'A', depth: { metres: 40 } });
		expect(features[1]?.properties).toMatchObject({ nets: [1, 2] });
	});

	test('without usable coordinates a place stays out of the map, and a hint names it', async () => {
		Object.assign(site(1088).info, { latitude: 91 });
		Object.assign(site(1088).units[0]!, { longitude: '14.5' });
		Object.assign(site(1088).units[1]!, { longitude: -180.5 });
		const run = await map('1088 1120');
		expect(collectionOf(run).features.map(({ id }) => id)).toEqual([
			'unit-1088-108803',
			'site-1120',
			'unit-1120-112001',
			'unit-1120-112002',
			'unit-1120-112003',
		]);
		expect(hints(run)).toEqual([
			'Not on the map because they have no usable coordinates: site Kjærstraumen (1088), unit Pen 1 of site Kjærstraumen (1088), unit Pen 2 of site Kjærstraumen (1088), unit Pen 4 of site Hellværet (1120), unit Pen 5 of site Hellværet (1120)',
		]);
	});

	test('a place at 0° N 0° E stays on the map, and a hint tells of it', async () => {
		Object.assign(site(1088).units[0]!, { longitude: 0, latitude: 0 });
		const run = await map(1088);
		expect(collectionOf(run).features).toHaveLength(4);
		expect(hints(run)).toEqual([
			'At 0° N 0° E, where coordinates may not have been entered: unit Pen 1 of site Kjærstraumen (1088)',
		]);
	});

	test('a site of which nothing is on the map gives an empty collection without a bbox', async () => {
		Object.assign(site(1101), { info: null });
		const run = await map(1101);
		expect(run.items[0]?.json).toEqual({ type: 'FeatureCollection', features: [] });
		expect(hints(run)).toHaveLength(1);
	});

	test.each([['json'], ['file']])(
		'of which no site can be read is no map: the failures alone (%s)',
		async (format) => {
			const run = await engine.run({
				node: siteNode(
					{ operation: 'getGeoJson', siteIds: '={{ $json.id }}', format },
					{ onError: 'continueRegularOutput' },
				),
				items: itemsWith(['7, 8', '1088']),
			});
			expect(run.items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
				['Site 7 was not found [item 0]', { item: 0 }],
				['Site 8 was not found [item 0]', { item: 0 }],
				[undefined, { item: 1 }],
			]);
			expect(hints(run)).toEqual([]);
		},
	);

	test('needs the site and its units, whatever was chosen for rows before', async () => {
		await map(1088, { options: { includeInfo: false } });
		expect(siteRequests().map(({ query }) => query.$include)).toEqual(['info,units']);
	});

	test('a map across the antimeridian has its west edge east of it (RFC 7946, section 5.2)', async () => {
		Object.assign(site(1088).units[0]!, { longitude: 179.5 });
		Object.assign(site(1088).units[1]!, { longitude: -179.5 });
		Object.assign(site(1088).units[2]!, { longitude: 179 });
		Object.assign(site(1088).info, { longitude: -179 });
		const { bbox } = collectionOf(await map(1088));
		expect([bbox?.[0], bbox?.[2]]).toEqual([179, -179]);
	});

	test('a validator of GeoJSON finds nothing to complain of', async () => {
		Object.assign(site(1057).units[0]!, { longitude: 'east', unitId: null });
		Object.assign(site(1101), { info: null });
		for (const siteIds of ['1042', '1057 1063 1088 1101 1120', '1101']) {
			const { items } = await map(siteIds);
			expect(getIssues(JSON.stringify(items[0]?.json))).toEqual([]);
		}
	});

	describe('as a file', () => {
		test('readable, of its MIME type, named after the site', async () => {
			const [json] = dataOf(await map(1088));
			const { items } = await map(1088, { format: 'file' });
			expect(items[0]?.json).toEqual({
				fileName: 'site-1088.geojson',
				siteCount: 1,
				featureCount: 4,
			});
			const file = items[0]!.binary!.data!;
			expect(file).toMatchObject({
				fileName: 'site-1088.geojson',
				fileExtension: 'geojson',
				mimeType: 'application/geo+json',
			});
			const text = Buffer.from(file.data, 'base64').toString();
			expect(JSON.parse(text)).toEqual(json);
			expect(getIssues(text)).toEqual([]);
		});

		test('of several sites, in the field of the user’s choice', async () => {
			const run = await map('1088 1101', { format: 'file', binaryPropertyName: 'map' });
			expect(Object.keys(run.items[0]!.binary!)).toEqual(['map']);
			expect(run.items[0]).toMatchObject({
				json: { fileName: 'sites.geojson', siteCount: 2 },
				pairedItem: { item: 0 },
			});
		});

		test('has the hints of the map', async () => {
			expect(hints(await map(1120, { format: 'file' }))).toHaveLength(1);
		});
	});
});
