import fc from 'fast-check';
import { getManySites, getSite } from '../../../nodes/AquacultureSite/operations/sites';
import { SITE_PARTS, type Site, type SitePart } from '../../../nodes/AquacultureSite/site/site';
import { forAll } from '../../tools/helpers/fuzz';
import { defined } from '../../tools/helpers/at';
import { given, itemsOf, perform, storholmen } from '../../tools/helpers/operation';
import { siteJson } from '../../tools/helpers/site-json';

const simplified = {
	siteId: 1042,
	siteName: 'Storholmen',
	type: 'Sea',
	code: 'STOR',
	license: 'SAMPLE-1042',
	maxTotalBiomass: 7800,
	latitude: 66.8,
	longitude: 13.4,
	timezone: 'Europe/Oslo',
	unitCount: 2,
};

describe.each([
	['Get', getSite, { siteId: 1042 }],
	['Get Many', getManySites, { siteIds: 1042 }],
])('%s', (_name, operation, id) => {
	test.each([
		['a person', { simplify: true }],
		['a model', { output: 'simplified' }],
		['nobody', {}],
	])('returns one flat row unless something else is chosen: %s chose %j', async (_who, chosen) => {
		const { siteIds, parts, rows } = await perform(operation, { ...id, ...chosen }, storholmen);
		expect(siteIds).toEqual(['1042']);
		expect(parts).toEqual(['info', 'units']);
		expect(rows).toEqual([simplified]);
	});

	test.each([
		['a person', { simplify: false }],
		['a model', { output: 'raw' }],
	])('returns the site as it was sent if %s wants it raw', async (_who, chosen) => {
		const { parts, rows } = await perform(operation, { ...id, ...chosen }, storholmen);
		expect(parts).toEqual(['info', 'units']);
		expect(rows).toEqual([storholmen]);
	});

	test.each([
		[['units', 'info'], ['info', 'units'], 10],
		[['info'], ['info'], 9],
		[['units'], ['units'], 3],
		[[], [], 2],
	])('requests and returns the parts that are chosen: %j', async (include, parts, columns) => {
		const parameters = { ...id, include, simplify: true };
		const result = await perform(operation, parameters, storholmen);
		expect(result.parts).toEqual(parts);
		expect(Object.keys(result.rows[0] ?? {})).toHaveLength(columns);
	});

	test('returns status code, headers and body when these are chosen, whatever the output', async () => {
		const parameters = { ...id, simplify: true, options: { fullResponse: true, mapLink: true } };
		const { rows } = await perform(operation, parameters, storholmen);
		expect(rows).toEqual([{ statusCode: 200, headers: { 'x-trace': 'abc' }, body: storholmen }]);
	});
});

describe('with a link to a map', () => {
	const options = { mapLink: true };
	const mapUrl = 'https://www.openstreetmap.org/?mlat=66.8&mlon=13.4#map=14/66.8/13.4';

	test('a row has it, also where nothing else of the info was chosen', async () => {
		const simplify = { siteId: 1042, simplify: true, options };
		const { rows } = await perform(getSite, simplify, storholmen);
		expect(rows).toEqual([{ ...simplified, mapUrl }]);
		const bare = await perform(getSite, { ...simplify, include: [] }, storholmen);
		expect(bare.parts).toEqual(['info']);
		expect(bare.rows).toEqual([{ siteId: 1042, siteName: 'Storholmen', mapUrl }]);
	});

	test('a row has the column also where the position is not known', async () => {
		const { rows } = await perform(getSite, { siteId: 7, simplify: true, options }, { siteId: 7 });
		expect(rows).toMatchObject([{ latitude: null, mapUrl: null }]);
	});
});

describe('the fields that are selected for a model', () => {
	const select = async (fields: unknown) =>
		await perform(getSite, { siteId: 1042, output: 'selectedFields', fields }, storholmen);
	const { siteId, siteName, latitude, unitCount } = simplified;

	test.each([
		[['siteName'], [], { siteId, siteName }],
		[['unitCount', 'siteId'], ['units'], { siteId, unitCount }],
		[['units'], ['units'], { siteId, units: storholmen.units }],
		['latitude, unitCount', ['info', 'units'], { siteId, latitude, unitCount }],
		[['mapUrl'], ['info'], { siteId, mapUrl: expect.stringContaining('#map') as unknown }],
		[[], [], { siteId }],
		['', [], { siteId }],
	])('%j: these and the ID, and only what they need is requested', async (fields, parts, row) => {
		const result = await select(fields);
		expect(result.parts).toEqual(parts);
		expect(result.rows).toEqual([row]);
	});

	test('one that no site has is not left out in silence', async () => {
		const message = /^'Fields' must be one or more of Code, .*Units, not "siteName, depth"$/;
		await expect(select('siteName, depth')).rejects.toThrow(message);
	});
});

/** The simplified row of a site that was read with these parts. */
function rowOf(site: Site, include: readonly SitePart[]): object {
	const { toItems } = getSite.parse(given({ siteId: 1042, include }), given({}));
	const [item] = itemsOf(toItems, site);
	return defined(item).json;
}

test.each([
	[{ units: [] }, 0],
	[{ units: null }, null],
	[{}, null],
])('no units are not the same as no list of units: %j', (site, unitCount) => {
	expect(rowOf(site, ['units'])).toEqual({ siteId: null, siteName: null, unitCount });
});

test('simplified rows have the same columns for any site, null where the service sent nothing', () => {
	forAll([siteJson, fc.subarray([...SITE_PARTS])], (site, parts) => {
		const row = rowOf(site, parts);
		expect(Object.keys(row)).toEqual(Object.keys(rowOf(storholmen, parts)));
		expect(Object.values(row)).not.toContain(undefined);
	});
});
