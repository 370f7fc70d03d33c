import { check } from '@placemarkio/check-geojson';
import fc from 'fast-check';
import { getMap, toSiteMap } from '../../../nodes/AquacultureSite/operations/map';
import { infoOf, type Site, unitsOf } from '../../../nodes/AquacultureSite/site/site';
import { forAll } from '../../tools/helpers/fuzz';
import { perform } from '../../tools/helpers/operation';
import { siteJson } from '../../tools/helpers/site-json';

/** The map of sites, and what its hints name. */
const mapOf = (...sites: Site[]) => {
	const unlocated: string[] = [];
	const collection = toSiteMap(
		sites.map((site, index) => ({ siteId: String(index + 1), site })),
		(_hint, name) => unlocated.push(name),
	);
	return { collection, unlocated };
};
const siteAt = (latitude: unknown, longitude: unknown): Site => ({ info: { latitude, longitude } });
const idsOf = ({ collection }: ReturnType<typeof mapOf>) => collection.features.map(({ id }) => id);

const site = {
	siteId: 1042,
	siteName: 'Storholmen',
	owner: 'unknown field',
	info: { longitude: 13.4, latitude: 66.8, type: 'Sea', license: null, depth: 80 },
	units: [{ unitId: 7, unitName: 'Pen 7', longitude: 13.5, latitude: 66.9, net: 'blue' }],
};

const { siteId, siteName, owner } = site;
const pen = { unitId: 7, unitName: 'Pen 7', net: 'blue' };
const map = {
	type: 'FeatureCollection',
	features: [
		{
			type: 'Feature',
			id: 'site-1042',
			geometry: { type: 'Point', coordinates: [13.4, 66.8] },
			properties: { kind: 'site', siteId, siteName, owner, type: 'Sea', license: null, depth: 80 },
		},
		{
			type: 'Feature',
			id: 'unit-1042-7',
			geometry: { type: 'Point', coordinates: [13.5, 66.9] },
			properties: { kind: 'unit', siteId, siteName, ...pen },
		},
	],
};

describe('Get Map', () => {
	test('returns the sites and their units as points with all their properties (RFC 7946)', async () => {
		const result = await perform(getMap, { siteIds: '1042' }, site);
		expect(result).toMatchObject({ siteIds: ['1042'], parts: ['info', 'units'], hints: [] });
		expect(result.items).toEqual([{ json: map }]);
	});

	test('returns those of several sites as a file in the field that is chosen', async () => {
		const parameters = { siteIds: '1042, 7', format: 'file', binaryPropertyName: 'map' };
		const { items } = await perform(getMap, parameters, site, { siteId: 7 });
		const [{ json, binary } = { json: {} }, ...more] = items;
		expect(more).toEqual([]);
		expect(json).toEqual({ fileName: 'sites.geojson', siteCount: 2, featureCount: 2 });
		expect(JSON.parse(binary?.map?.data ?? '')).toEqual(map);
		// The next node finds it by its name, whatever failed
		const one = await perform(getMap, { ...parameters, siteIds: '1042, 8, x' }, site);
		expect(one.rows).toMatchObject([{ fileName: 'sites.geojson', siteCount: 1 }]);
		const only = await perform(getMap, { ...parameters, siteIds: '1042' }, site);
		expect(only.rows).toMatchObject([{ fileName: 'site-1042.geojson' }]);
	});

	test('names in a hint what is not on the map', async () => {
		const { hints } = await perform(getMap, { siteIds: '1042' }, { siteId: 1042 });
		expect(hints).toEqual(['Not on the map because they have no usable coordinates: site 1042']);
	});
});

describe('a map', () => {
	test('has an ID of its own for each unit, also where the service sends none', () => {
		const unitIds = [undefined, undefined, 7, { a: 1 }, null];
		const units = unitIds.map((unitId) => ({ unitId, latitude: 1, longitude: 2 }));
		const result = mapOf({ units }, site);
		expect(idsOf(result)).toEqual([
			...['unit-1-no-id-1', 'unit-1-no-id-2', 'unit-1-7', 'unit-1-{"a":1}', 'unit-1-no-id-5'],
			...['site-2', 'unit-2-7'],
		]);
		const properties = { kind: 'unit', siteId: null, siteName: null };
		expect(result.collection.features[0]?.properties).toEqual(properties);
	});

	test('of any sites is valid GeoJSON, in which each site and unit is found or named', () => {
		forAll([fc.array(siteJson, { maxLength: 3 })], (sites) => {
			const before = JSON.stringify(sites);
			const result = mapOf(...sites);
			// Throws where RFC 7946 is not kept
			check(JSON.stringify(result.collection));
			const things = sites.flatMap((any) => [infoOf(any) ?? {}, ...(unitsOf(any) ?? [])]);
			const ids = idsOf(result);
			expect(ids.length + result.unlocated.length).toBe(things.length);
			for (const { geometry } of result.collection.features) {
				const [longitude, latitude] = geometry.coordinates;
				expect(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90).toBe(true);
			}
			expect(JSON.stringify(sites)).toBe(before);
		});
	});
});

describe('what has no place on earth stays out of the map and is named', () => {
	test('a site and its units', () => {
		const place = { latitude: 90.0001, longitude: 0 };
		const units = [{ unitId: 7, unitName: 'Pen 7', ...place }, place];
		const { collection, unlocated } = mapOf({ siteName: 'Storholmen', info: place, units });
		expect(collection.features).toEqual([]);
		expect(unlocated).toEqual([
			'site Storholmen (1)',
			'unit Pen 7 of site Storholmen (1)',
			'unit no-id-2 of site Storholmen (1)',
		]);
	});

	test.each([
		[0, 13],
		[66, 0],
		[0, 0],
	])('but %d, %d is a place', (latitude, longitude) => {
		const { collection, unlocated } = mapOf(siteAt(latitude, longitude));
		expect(collection.features[0]?.geometry.coordinates).toEqual([longitude, latitude]);
		expect(unlocated).toEqual([]);
	});
});
