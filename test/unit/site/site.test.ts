import { infoOf, pick, siteTitle, unitsOf } from '../../../nodes/AquacultureSite/site/site';
import type { Site } from '../../../nodes/AquacultureSite/site/site';

describe('a part of another type than the contract says counts as not sent', () => {
	test.each([[undefined], [null], [[]], ['x']])('info %j', (info) => {
		expect(infoOf({ info })).toBeUndefined();
		expect(infoOf({ info: { info } })).toEqual({ info });
	});

	test.each([[undefined], [null], [{}], ['x']])('units %j', (units) => {
		expect(unitsOf({ units })).toBeUndefined();
	});

	test('a unit that is not an object is left out, the others keep their order', () => {
		const units = [null, 7, { unitId: 2 }, [], { unitId: 1 }, 'x'];
		expect(unitsOf({ units })).toEqual([{ unitId: 2 }, { unitId: 1 }]);
	});
});

test('the fields that are picked are all there, null where nothing was sent', () => {
	const picked = pick({ siteId: 0, type: '', code: null, other: 1 }, [
		'siteId',
		'type',
		'code',
		'info',
	]);
	expect(picked).toEqual({ siteId: 0, type: '', code: null, info: null });
});

test.each<[Site, string]>([
	[{ siteName: 'Storholmen' }, 'Storholmen (1042)'],
	[{ siteName: '' }, '1042'],
	[{}, '1042'],
])('%j is called %s in a sentence', (site, title) => {
	expect(siteTitle(site, '1042')).toBe(title);
});
