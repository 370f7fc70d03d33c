import { check } from '@placemarkio/check-geojson';
import fc from 'fast-check';
import { toSiteMap } from '../../../nodes/AquacultureSite/operations/map';
import { infoOf, unitsOf, type Site } from '../../../nodes/AquacultureSite/site/site';
import { siteJson } from '../../helpers/site-json';

const mapOf = (...sites: Site[]) =>
	toSiteMap(sites.map((site, index) => ({ siteId: String(index + 1), site })));
const siteAt = (latitude: unknown, longitude: unknown): Site => ({ info: { latitude, longitude } });
const bboxOf = (...places: Array<[number, number]>) =>
	mapOf(...places.map(([latitude, longitude]) => siteAt(latitude, longitude))).collection.bbox;

const site = {
	siteId: 1042,
	siteName: 'Storholmen',
	owner: 'unknown field',
	info: { longitude: 13.4, latitude: 66.8, type: 'Sea', license: null, depth: 80 },
	units: [{ unitId: 7, unitName: 'Pen 7', longitude: 13.5, latitude: 66.9, net: 'blue' }],
};

describe('a map (RFC 7946)', () => {
	test('has the site and its units as points with all their properties', () => {
		const { collection } = toSiteMap([{ siteId: '1042', site }]);
		expect(collection).toEqual({
			type: 'FeatureCollection',
			bbox: [13.4, 66.8, 13.5, 66.9],
			features: [
				{
					type: 'Feature',
					id: 'site-1042',
					geometry: { type: 'Point', coordinates: [13.4, 66.8] },
					properties: {
						kind: 'site',
						siteId: 1042,
						siteName: 'Storholmen',
						owner: 'unknown field',
						type: 'Sea',
						license: null,
						depth: 80,
					},
				},
				{
					type: 'Feature',
					id: 'unit-1042-7',
					geometry: { type: 'Point', coordinates: [13.5, 66.9] },
					properties: {
						kind: 'unit',
						siteId: 1042,
						siteName: 'Storholmen',
						unitId: 7,
						unitName: 'Pen 7',
						net: 'blue',
					},
				},
			],
		});
	});

	test('has several sites in their order', () => {
		const { collection } = mapOf(site, siteAt(1, 2), site);
		expect(collection.features.map(({ id }) => id)).toEqual([
			'site-1',
			'unit-1-7',
			'site-2',
			'site-3',
			'unit-3-7',
		]);
	});

	test('has no box where it is empty (section 5)', () => {
		expect(mapOf({}).collection).toEqual({ type: 'FeatureCollection', features: [] });
		expect(mapOf().collection).toEqual({ type: 'FeatureCollection', features: [] });
	});

	test('tells features apart whose unit IDs are absent or repeated', () => {
		const place = { latitude: 1, longitude: 2 };
		const units = [
			{},
			{},
			{ unitId: 7 },
			{ unitId: '7' },
			{ unitId: { a: 1 } },
			{ unitId: null },
			{ unitId: 7 },
		];
		const { collection } = mapOf({ units: units.map((unit) => ({ ...place, ...unit })) });
		expect(collection.features.map(({ id }) => id)).toEqual([
			'unit-1-no-id-1',
			'unit-1-no-id-2',
			'unit-1-7',
			'unit-1-7-2',
			'unit-1-{"a":1}',
			'unit-1-no-id-6',
			'unit-1-7-3',
		]);
		expect(collection.features[0]!.properties).toEqual({
			kind: 'unit',
			siteId: null,
			siteName: null,
		});
	});
});

describe('the box around it (RFC 7946, section 5)', () => {
	test.each<[string, Array<[number, number]>, number[]]>([
		['one point', [[66.8, 13.4]], [13.4, 66.8, 13.4, 66.8]],
		[
			'west and east of Greenwich',
			[
				[60, -1],
				[61, 4],
			],
			[-1, 60, 4, 61],
		],
		[
			'south of the equator',
			[
				[-42, -73],
				[-44, -72.5],
			],
			[-73, -44, -72.5, -42],
		],
		[
			'over the antimeridian (section 5.2)',
			[
				[-17, 179],
				[-18, -178],
			],
			[179, -18, -178, -17],
		],
		[
			'over it with one in the middle',
			[
				[0, -179],
				[0, 178],
				[0, 180],
			],
			[178, 0, -179, 0],
		],
		[
			'on both sides of it at once',
			[
				[0, 180],
				[0, -180],
			],
			[180, 0, -180, 0],
		],
		[
			'at the pole',
			[
				[90, 13],
				[80, 15],
			],
			[13, 80, 15, 90],
		],
		[
			'at both ends of the world',
			[
				[-90, 0],
				[90, 0],
			],
			[0, -90, 0, 90],
		],
		[
			'not over it where both ways are as wide',
			[
				[0, -90],
				[0, 90],
			],
			[-90, 0, 90, 0],
		],
		[
			'the widest gap decides',
			[
				[0, -120],
				[0, 0],
				[0, 110],
			],
			[-120, 0, 110, 0],
		],
	])('%s', (_where, places, bbox) => {
		expect(bboxOf(...places)).toEqual(bbox);
		expect(bboxOf(...places.reverse())).toEqual(bbox);
	});

	test('holds every point, and is no wider than half the way round where the points are not', () => {
		const point = fc.tuple(
			fc.double({ min: -90, max: 90, noNaN: true }),
			fc.double({ min: -30, max: 30, noNaN: true }),
		);
		const middle = fc.integer({ min: -180, max: 180 });
		fc.assert(
			fc.property(fc.array(point, { minLength: 1 }), middle, (points, centre) => {
				const places = points.map(([latitude, offset]): [number, number] => {
					const longitude = centre + offset;
					return [
						latitude,
						longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
					];
				});
				const [west, south, east, north] = bboxOf(...places)!;
				expect((east - west + 360) % 360).toBeLessThanOrEqual(60 + 1e-9);
				for (const [latitude, longitude] of places) {
					expect(latitude >= south && latitude <= north).toBe(true);
					const inside =
						west <= east
							? longitude >= west && longitude <= east
							: longitude >= west || longitude <= east;
					expect(inside).toBe(true);
				}
			}),
		);
	});
});

describe('what has no place on earth stays out and is named', () => {
	test.each<[unknown, unknown]>([
		[null, 13.4],
		[66.8, null],
		[undefined, undefined],
		['66.8', '13.4'],
		[90.0001, 0],
		[-90.0001, 0],
		[0, 180.0001],
		[0, -180.0001],
		[Infinity, 0],
		[NaN, 0],
		[[66.8], 13.4],
	])('latitude %p, longitude %p', (latitude, longitude) => {
		const { collection, unlocated } = mapOf({
			siteName: 'Storholmen',
			info: { latitude, longitude },
			units: [
				{ unitId: 7, unitName: 'Pen 7', latitude, longitude },
				{ latitude, longitude },
			],
		});
		expect(collection.features).toEqual([]);
		expect(unlocated).toEqual([
			'site Storholmen (1)',
			'unit Pen 7 of site Storholmen (1)',
			'unit no-id-2 of site Storholmen (1)',
		]);
	});

	test.each<[number, number]>([
		[90, 180],
		[-90, -180],
		[0, 13],
		[66, 0],
	])('but %d, %d is a place', (latitude, longitude) => {
		const { collection, unlocated, atNullIsland } = mapOf(siteAt(latitude, longitude));
		expect(collection.features[0]?.geometry.coordinates).toEqual([longitude, latitude]);
		expect([...unlocated, ...atNullIsland]).toEqual([]);
	});

	test('0, 0 is on the map, and named as doubtful', () => {
		const { collection, unlocated, atNullIsland } = mapOf({
			...siteAt(0, 0),
			units: [{ unitId: 7, latitude: -0, longitude: 0 }],
		});
		expect(collection.features).toHaveLength(2);
		expect(atNullIsland).toEqual(['site 1', 'unit 7 of site 1']);
		expect(unlocated).toEqual([]);
	});

	test('a site without info is named, its units are on the map', () => {
		const { collection, unlocated } = mapOf({ siteName: 'Storholmen', units: site.units });
		expect(collection.features.map(({ id }) => id)).toEqual(['unit-1-7']);
		expect(unlocated).toEqual(['site Storholmen (1)']);
	});
});

test('any sites give valid GeoJSON, in which each is found or named, with IDs of their own', () => {
	fc.assert(
		fc.property(fc.array(siteJson, { maxLength: 3 }), (sites) => {
			const { collection, unlocated, atNullIsland } = mapOf(...sites);
			// Throws where RFC 7946 is not kept
			check(JSON.stringify(collection));
			const things = sites.flatMap((any) => [infoOf(any) ?? {}, ...(unitsOf(any) ?? [])]);
			expect(collection.features.length + unlocated.length).toBe(things.length);
			expect(atNullIsland.length).toBeLessThanOrEqual(collection.features.length);
			const ids = collection.features.map(({ id }) => id);
			expect(new Set(ids).size).toBe(ids.length);
		}),
		{ numRuns: 500 },
	);
});
