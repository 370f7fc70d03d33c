import { getUnits } from '../../../nodes/AquacultureSite/operations/units';
import { unitsOf } from '../../../nodes/AquacultureSite/site/site';
import { forAll } from '../../tools/helpers/fuzz';
import { given, itemsOf, perform, storholmen } from '../../tools/helpers/operation';
import { siteJson } from '../../tools/helpers/site-json';

const site = { siteId: 1042, siteName: 'Storholmen' };
const info = { code: 'STOR', timezone: 'Europe/Oslo' };
const pen2 = { unitId: 2, unitName: 'Pen 2', latitude: 66.9, longitude: 13.5 };
const pen1 = { unitId: 1, unitName: 'Pen 1', latitude: null, longitude: null };

test('Get Units returns one flat row for each unit, in the order of the service', async () => {
	const { siteIds, parts, rows, hints } = await perform(
		getUnits,
		{ siteIds: '1042, 1088' },
		storholmen,
		{ siteId: 1088, siteName: null, units: [{}] },
	);
	expect({ siteIds, parts }).toEqual({ siteIds: ['1042', '1088'], parts: ['info', 'units'] });
	const nothing = { unitId: null, unitName: null, latitude: null, longitude: null };
	expect(rows).toEqual([
		{ ...site, ...pen2, ...info },
		{ ...site, ...pen1, ...info },
		{ siteId: 1088, siteName: null, ...nothing, code: null, timezone: null },
	]);
	expect(hints).toEqual([]);
});

test('without the info of the site, it is not requested and has no columns', async () => {
	const parameters = { siteIds: 1042, options: { includeInfo: false } };
	const { parts, rows } = await perform(getUnits, parameters, storholmen);
	expect(parts).toEqual(['units']);
	expect(rows).toEqual([
		{ ...site, ...pen2 },
		{ ...site, ...pen1 },
	]);
});

test('with a link to a map, each row has one, null where the unit has no position', async () => {
	const parameters = { siteIds: 1042, options: { mapLink: true } };
	const { rows } = await perform(getUnits, parameters, storholmen);
	const mapUrl = 'https://www.openstreetmap.org/?mlat=66.9&mlon=13.5#map=14/66.9/13.5';
	expect(rows).toEqual([
		{ ...site, ...pen2, ...info, mapUrl },
		{ ...site, ...pen1, ...info, mapUrl: null },
	]);
});

test.each([[undefined], [[]], ['none']])('units %j: no rows, and a hint says so', async (units) => {
	const { rows, hints } = await perform(getUnits, { siteIds: 1042 }, { ...site, units });
	expect(rows).toEqual([]);
	expect(hints).toEqual(['No rows, because these sites have no units: Storholmen (1042)']);
});

test('the units of any site have rows of the same columns, null where the service sent nothing', () => {
	const columns = ['siteId', 'siteName', ...Object.keys(pen2), ...Object.keys(info)];
	const { toItems } = getUnits.parse(given({ siteIds: 1042 }), given({}));
	forAll([siteJson], (any) => {
		const rows = itemsOf(toItems, any).map(({ json }) => json);
		expect(rows).toHaveLength(unitsOf(any)?.length ?? 0);
		for (const row of rows) {
			expect(Object.keys(row)).toEqual(columns);
			expect(Object.values(row)).not.toContain(undefined);
		}
	});
});
