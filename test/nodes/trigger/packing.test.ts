import fc from 'fast-check';
import { pack, unpack } from '../../../nodes/AquacultureSite/trigger/packing';
import { manySites } from '../../fake-service/sites';
import { forAll } from '../../fuzz/fuzz';
import { at } from '../../helpers/at';
import { siteJson } from '../../helpers/site-json';

test('whatever is packed comes back', () => {
	forAll(
		[
			fc.oneof(
				siteJson,
				fc.json().map((text): unknown => JSON.parse(text)),
			),
		],
		(value) => {
			const packed = pack(value);
			// In JSON, -0 is 0
			expect(unpack(packed)).toEqual(JSON.parse(JSON.stringify(value)));
			expect(pack(unpack(packed))).toBe(packed);
		},
	);
});

test('a site of the contract is kept without the names of its fields, in any order', () => {
	const site = at(manySites(1), 0);
	const { units, info, ...own } = site;
	const { type, ...rest } = info;
	const packed = pack(site);
	expect(pack({ units, info: { type, ...rest }, ...own })).toBe(packed);
	const names = [site, info, at(units, 0)].flatMap((fields) => Object.keys(fields));
	for (const name of names) expect(packed).not.toContain(`"${name}"`);
	expect(packed.length).toBeLessThan(JSON.stringify(site).length / 2);
});

test('what is in a database already can be read: the form stays as it is', () => {
	const site = { siteId: 1042, siteName: 'Storholmen', info: { license: 'A' }, units: [] };
	const packed = '[[1,1042,"Storholmen",[4,"A"],[0]],["license"]]';
	expect(pack(site)).toBe(packed);
	expect(pack({ ...site, notSent: undefined })).toBe(packed);
	expect(unpack(packed)).toEqual(site);
});

test.each([undefined, null, {}, 7, '', 'text', '{}', '7'])('%p holds nothing', (kept) => {
	expect(unpack(kept)).toBeUndefined();
});
