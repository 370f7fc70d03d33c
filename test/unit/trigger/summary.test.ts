import { DEFAULT_EVENTS, toEvents } from '../../../nodes/AquacultureSite/trigger/events';
import type { Difference } from '../../../nodes/AquacultureSite/trigger/changes';
import type { Unit } from '../../../nodes/AquacultureSite/site/site';

import { at } from '../../tools/helpers/at';

type Change = [field: string, before: unknown, after: unknown];

type Known = Partial<Omit<Difference, 'changes'>>;

const ofSite = (changes: Change[], siteName: unknown = 'Storholmen', more: Known = {}) => {
	const difference = {
		site: { siteId: 1042, siteName },
		...more,
		changes: changes.map(([field, before, after]) => ({ field, before, after })),
	};
	return at(toEvents([difference], DEFAULT_EVENTS, ''), 0).summary;
};

const ofUnit = (changes: Change[], { unit, ...more }: Known = {}) =>
	ofSite(changes, undefined, { ...more, unit: { unitId: 7, unitName: 'Pen 7', ...unit } });
const added = (unit: Unit, siteName?: unknown) => ofSite([], siteName, { unit, status: 'added' });

const license: Change = ['info.license', 'A', 'B'];
const biomass: Change = ['info.maxTotalBiomass', 7800, 8580];
type Values = [before: unknown, after: unknown];
const position = (latitude: Values, longitude: Values): Change[] => [
	['latitude', ...latitude],
	['longitude', ...longitude],
];
const moved = position([66.8, 66.9], [13.4, 13.5]);

/** Each sentence, and what it is about. */
const SENTENCES: Record<string, string> = {
	// A unit that has come or gone
	'Pen 7 was added to Storholmen': added({ unitId: 7, unitName: 'Pen 7' }),
	'Pen 7 was removed from Storholmen': ofUnit([], { status: 'removed' }),
	'Pen 7 was added to site 1042': added({ unitId: 7, unitName: 'Pen 7' }, null),
	'Unit 7 was added to site 1042': added({ unitId: 7, unitName: null }, ''),

	// One field
	'The license of Storholmen changed from A to B': ofSite([license]),
	'The maximum biomass of Storholmen changed from 7800 to 8580': ofSite([biomass]),
	'The isEmpty of Pen 7 of Storholmen changed from false to true': ofUnit([
		['isEmpty', false, true],
	]),
	'The license of Storholmen was set to B': ofSite([['info.license', null, 'B']]),
	'The license of Storholmen was removed (it was A)': ofSite([['info.license', 'A', null]]),
	'The owner of Storholmen changed': ofSite([['owner', { name: 'A' }, { name: 'B' }]]),
	'The constructor of Storholmen changed from 1 to 2': ofSite([['constructor', 1, 2]]),

	// A name: the old one says what it is about
	'Sør was renamed to Nord': ofSite([['siteName', 'Sør', 'Nord']], 'Nord'),
	'Pen 7 of Storholmen was renamed to A': ofUnit([['unitName', 'Pen 7', 'A']], {
		unit: { unitName: 'A' },
	}),
	'The name of unit 7 of Storholmen was set to A': ofUnit([['unitName', null, 'A']], {
		unit: { unitName: 'A' },
	}),
	'The name of site 1042 was set to A': ofSite([['siteName', null, 'A']], 'A'),
	'The name of A of Storholmen was removed (it was A)': ofUnit([['unitName', 'A', null]], {
		unit: { unitName: null },
	}),

	// A move
	'Pen 7 of Storholmen was moved 120 m': ofUnit(moved, { distance: 119.6 }),
	'Pen 7 of Storholmen was moved less than 1 m': ofUnit(moved, { distance: 0.4 }),
	'Pen 7 of Storholmen was moved 1 m': ofUnit(moved, { distance: 1 }),
	'Pen 7 of Storholmen was moved 999 m': ofUnit(moved, { distance: 999.4 }),
	'Pen 7 of Storholmen was moved 1.0 km': ofUnit(moved, { distance: 999.5 }),
	'Pen 7 of Storholmen was moved 1.2 km': ofUnit(moved, { distance: 1234 }),
	'Pen 7 of Storholmen was moved 10 km': ofUnit(moved, { distance: 9950 }),
	'Pen 7 of Storholmen was moved 12 km': ofUnit(moved, { distance: 12_345 }),
	'Pen 7 of Storholmen was given a position': ofUnit(position([null, 1], [null, 2])),
	'Pen 7 of Storholmen lost its position': ofUnit(position([1, null], [2, null])),
	'The latitude of Pen 7 of Storholmen was set to 1 and its longitude changed from 2 to 3': ofUnit(
		position([null, 1], [2, 3]),
	),
	'The latitude of Pen 7 of Storholmen was removed (it was 1) and its longitude changed from 2 to 3':
		ofUnit(position([1, null], [2, 3])),
	'The latitude of Pen 7 of Storholmen changed from N to S': ofUnit([['latitude', 'N', 'S']]),

	// Several at once
	'The license of Storholmen changed from A to B and its maximum biomass changed from 7800 to 8580':
		ofSite([license, biomass]),
	'Pen 7 of Storholmen was renamed to A and moved 120 m': ofUnit(
		[['unitName', 'Pen 7', 'A'], ...moved],
		{ unit: { unitName: 'A' }, distance: 120 },
	),
	'Pen 7 of Storholmen was renamed to A and lost its position': ofUnit([
		['unitName', 'Pen 7', 'A'],
		['latitude', 1, null],
	]),
	'Pen 7 of Storholmen was moved 120 m, its depth changed from 5 to 8, and its net was set to N1':
		ofUnit([...moved, ['depth', 5, 8], ['net', null, 'N1']], { distance: 120 }),
	'The a of Storholmen changed from 1 to 2, its b changed from 1 to 2, its c changed from 1 to 2, and 1 more field changed':
		ofSite([['a', 1, 2], ['b', 1, 2], ['c', 1, 2], license]),
	'The license of Storholmen changed from A to B, its a changed from 1 to 2, its b changed from 1 to 2, and 2 more fields changed':
		ofSite([license, ['a', 1, 2], ['b', 1, 2], ['c', 1, 2], ['d', 1, 2]]),

	// Whatever a service may send
	[`The license of Storholmen changed from ${'A'.repeat(39)}… to B`]: ofSite([
		['info.license', 'A'.repeat(99), 'B'],
	]),
	'The license of Storholmen changed': ofSite([
		['info.license', `${'A'.repeat(99)}1`, `${'A'.repeat(99)}2`],
	]),
	[`The license of ${'🐟'.repeat(59)}… changed from A to B`]: ofSite([license], '🐟'.repeat(99)),
	'The license of Stor holmen changed from A to B': ofSite(
		[license],
		' Stor\n\u0007hol\u202Emen\u0000 ',
	),
	'‹!channel› ‹b›2‹/b› was added to Storholmen': added({
		unitId: 7,
		unitName: '<!channel> <b>2</b>',
	}),
	'The license of 7 changed from A to B': ofSite([license], 7),
	'Unit without ID was added to Storholmen': added({ unitId: null, unitName: '\u200B' }),
};

test.each(Object.entries(SENTENCES))('%s', (expected, sentence) => {
	expect(sentence).toBe(expected);
});
