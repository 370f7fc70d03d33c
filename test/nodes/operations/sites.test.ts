import fc from 'fast-check';
import {
	getManySites,
	getSite,
	simplifySite,
} from '../../../nodes/AquacultureSite/operations/sites';
import { SITE_PARTS } from '../../../nodes/AquacultureSite/site/site';
import { forAll } from '../../fuzz/fuzz';
import { perform, storholmen } from '../../helpers/operation';
import { siteJson } from '../../helpers/site-json';

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
	test('returns the site as it was sent, unless something else is chosen', async () => {
		const { siteIds, parts, rows } = await perform(operation, id, storholmen);
		expect(siteIds).toEqual(['1042']);
		expect(parts).toEqual(['info', 'units']);
		expect(rows).toEqual([storholmen]);
	});

	test('returns one flat row when Simplified is chosen', async () => {
		const { rows } = await perform(operation, { ...id, output: 'simplified' }, storholmen);
		expect(rows).toEqual([simplified]);
	});

	test.each([
		[['units', 'info'], ['info', 'units'], 10],
		[['info'], ['info'], 9],
		[['units'], ['units'], 3],
		[[], [], 2],
	])('requests and returns the parts that are chosen: %j', async (include, parts, columns) => {
		const parameters = { ...id, include, output: 'simplified' };
		const result = await perform(operation, parameters, storholmen);
		expect(result.parts).toEqual(parts);
		expect(Object.keys(result.rows[0] ?? {})).toHaveLength(columns);
	});

	test('returns status code, headers and body when these are chosen, whatever the output', async () => {
		const parameters = { ...id, output: 'simplified', options: { fullResponse: true } };
		const { rows } = await perform(operation, parameters, storholmen);
		expect(rows).toEqual([{ statusCode: 200, headers: { 'x-trace': 'abc' }, body: storholmen }]);
	});
});

test.each([
	[{ units: [] }, 0],
	[{ units: null }, null],
	[{}, null],
])('no units are not the same as no list of units: %j', (site, unitCount) => {
	expect(simplifySite(site, ['units'])).toEqual({ siteId: null, siteName: null, unitCount });
});

test('simplified rows have the same columns for any site, null where the service sent nothing', () => {
	forAll([siteJson, fc.subarray([...SITE_PARTS])], (site, parts) => {
		const row = simplifySite(site, parts);
		expect(Object.keys(row)).toEqual(Object.keys(simplifySite(storholmen, parts)));
		expect(Object.values(row)).not.toContain(undefined);
	});
});
