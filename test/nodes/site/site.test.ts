import fc from 'fast-check';
import {
	asText,
	infoOf,
	simplifySite,
	SITE_PARTS,
	type Site,
	siteTitle,
	unitRows,
	unitsOf,
} from '../../../nodes/AquacultureSite/site/site';
import { siteJson } from '../../helpers/site-json';

const site = {
	siteId: 1042,
	siteName: 'Storholmen',
	owner: 'unknown field',
	info: {
		longitude: 13.4,
		latitude: 66.8,
		type: 'Sea',
		code: 'STOR',
		license: 'SAMPLE-1042',
		maxTotalBiomass: 7800,
		timezone: 'Europe/Oslo',
		depth: 80,
	},
	units: [
		{ unitId: 2, unitName: 'Pen 2', longitude: 13.5, latitude: 66.9, net: 'blue' },
		{ unitId: 1, unitName: 'Pen 1', longitude: null },
	],
};

const parts = fc.subarray([...SITE_PARTS]);

describe('a site as one row', () => {
	test('has info at the top and the number of units', () => {
		expect(simplifySite(site, SITE_PARTS)).toEqual({
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
		});
	});

	test('has only what was asked for', () => {
		expect(Object.keys(simplifySite(site, []))).toEqual(['siteId', 'siteName']);
		expect(Object.keys(simplifySite(site, ['units']))).toEqual(['siteId', 'siteName', 'unitCount']);
		expect(simplifySite(site, ['info'])).not.toHaveProperty('unitCount');
	});

	test('tells no units from no list of units', () => {
		expect(simplifySite({ units: [] }, ['units']).unitCount).toBe(0);
		expect(simplifySite({ units: null }, ['units']).unitCount).toBeNull();
		expect(simplifySite({}, ['units']).unitCount).toBeNull();
	});

	test('has at most ten columns, the same for any site, and none undefined', () => {
		fc.assert(
			fc.property(siteJson, parts, (any, asked) => {
				const row = simplifySite(any, asked);
				expect(Object.keys(row)).toEqual(Object.keys(simplifySite(site, asked)));
				expect(Object.keys(row).length).toBeLessThanOrEqual(10);
				expect(Object.values(row)).not.toContain(undefined);
			}),
		);
	});
});

describe('units as rows', () => {
	test('keep their order, repeat the site, and have null where there is nothing', () => {
		const common = { siteId: 1042, siteName: 'Storholmen', code: 'STOR', timezone: 'Europe/Oslo' };
		expect(unitRows(site, SITE_PARTS)).toEqual([
			{ ...common, unitId: 2, unitName: 'Pen 2', latitude: 66.9, longitude: 13.5 },
			{ ...common, unitId: 1, unitName: 'Pen 1', latitude: null, longitude: null },
		]);
	});

	test('have the site’s code and time zone only with its info', () => {
		expect(Object.keys(unitRows(site, ['units'])[0]!)).toEqual([
			'siteId',
			'siteName',
			'unitId',
			'unitName',
			'latitude',
			'longitude',
		]);
	});

	test.each([[{}], [{ units: null }], [{ units: [] }], [{ units: 'none' }]])(
		'are none of %j',
		(bare) => {
			expect(unitRows(bare, SITE_PARTS)).toEqual([]);
		},
	);

	test('have the same columns in every row of any site, and none undefined', () => {
		fc.assert(
			fc.property(siteJson, parts, (any, asked) => {
				const rows = unitRows(any, asked);
				expect(rows).toHaveLength(unitsOf(any)?.length ?? 0);
				for (const row of rows) {
					expect(Object.keys(row)).toEqual(Object.keys(unitRows(site, asked)[0]!));
					expect(Object.values(row)).not.toContain(undefined);
				}
			}),
		);
	});
});

describe('a part that is not what it should be counts as not sent', () => {
	test.each([[undefined], [null], [[]], ['x'], [7], [true]])('info %j', (info) => {
		expect(infoOf({ info })).toBeUndefined();
	});

	test.each([[undefined], [null], [{}], ['x'], [7], [true]])('units %j', (units) => {
		expect(unitsOf({ units })).toBeUndefined();
	});

	test('a unit that is no object is passed over', () => {
		expect(unitsOf({ units: [null, 7, [], { unitId: 1 }, 'x'] })).toEqual([{ unitId: 1 }]);
	});
});

test.each<[unknown, string | undefined]>([
	['7', '7'],
	[7, '7'],
	[0, '0'],
	['', ''],
	[true, 'true'],
	[{ a: 1 }, '{"a":1}'],
	[[1, 'a'], '[1,"a"]'],
	[null, undefined],
	[undefined, undefined],
])('%j as text is %j', (value, text) => {
	expect(asText(value)).toBe(text);
});

test.each<[Site, string]>([
	[{ siteName: 'Storholmen' }, 'Storholmen (1042)'],
	[{ siteName: '' }, '1042'],
	[{ siteName: null }, '1042'],
	[{ siteName: 7 }, '1042'],
	[{}, '1042'],
])('%j is called %s in a sentence', (named, title) => {
	expect(siteTitle(named, '1042')).toBe(title);
});
