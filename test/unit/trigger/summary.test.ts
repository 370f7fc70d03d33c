import { DEFAULT_EVENTS, toEvents } from '../../../nodes/AquacultureSite/trigger/events';
import type { Difference } from '../../../nodes/AquacultureSite/trigger/changes';

import { at } from '../../tools/helpers/at';

type Change = [field: string, before: unknown, after: unknown];

interface Known {
	status?: Difference['status'];
	distance?: number;
	siteName?: unknown;
	unitId?: unknown;
	unitName?: unknown;
}

const summarize = (difference: Difference) =>
	at(toEvents([difference], DEFAULT_EVENTS, ''), 0).summary;

const toChanges = (changes: Change[]) =>
	changes.map(([field, before, after]) => ({ field, before, after }));

const ofSite = (changes: Change[], { siteName = 'Storholmen', ...more }: Known = {}) =>
	summarize({
		...more,
		site: { siteId: 1042, siteName },
		changes: toChanges(changes),
	});

const ofUnit = (
	changes: Change[],
	{ unitId = 7, unitName = 'Pen 7', siteName = 'Storholmen', ...more }: Known = {},
) =>
	summarize({
		...more,
		site: { siteId: 1042, siteName },
		unit: { unitId, unitName },
		changes: toChanges(changes),
	});

const license: Change = ['info.license', 'A', 'B'];
const biomass: Change = ['info.maxTotalBiomass', 7800, 8580];
type Values = [before: unknown, after: unknown];
const position = (latitude: Values, longitude: Values): Change[] => [
	['latitude', ...latitude],
	['longitude', ...longitude],
];
const moved = position([66.8, 66.9], [13.4, 13.5]);

test.each<[string, string]>([
	// A unit that has come or gone
	[ofUnit([], { status: 'added' }), 'Pen 7 was added to Storholmen'],
	[ofUnit([], { status: 'removed' }), 'Pen 7 was removed from Storholmen'],
	[ofUnit([], { status: 'added', siteName: null }), 'Pen 7 was added to site 1042'],
	[ofUnit([], { status: 'added', unitName: null, siteName: '' }), 'Unit 7 was added to site 1042'],

	// One field
	[ofSite([license]), 'The license of Storholmen changed from A to B'],
	[ofSite([biomass]), 'The maximum biomass of Storholmen changed from 7800 to 8580'],
	[
		ofUnit([['isEmpty', false, true]]),
		'The isEmpty of Pen 7 of Storholmen changed from false to true',
	],
	[ofSite([['info.license', null, 'B']]), 'The license of Storholmen was set to B'],
	[ofSite([['info.license', 'A', null]]), 'The license of Storholmen was removed (it was A)'],
	[ofSite([['owner', { name: 'A' }, { name: 'B' }]]), 'The owner of Storholmen changed'],
	[ofSite([['constructor', 1, 2]]), 'The constructor of Storholmen changed from 1 to 2'],

	// A name: the old one says what it is about
	[ofSite([['siteName', 'Sør', 'Nord']], { siteName: 'Nord' }), 'Sør was renamed to Nord'],
	[ofUnit([['unitName', 'Pen 7', 'A']], { unitName: 'A' }), 'Pen 7 of Storholmen was renamed to A'],
	[
		ofUnit([['unitName', null, 'A']], { unitName: 'A' }),
		'The name of unit 7 of Storholmen was set to A',
	],
	[ofSite([['siteName', null, 'A']], { siteName: 'A' }), 'The name of site 1042 was set to A'],
	[
		ofUnit([['unitName', 'A', null]], { unitName: null }),
		'The name of A of Storholmen was removed (it was A)',
	],

	// A move
	[ofUnit(moved, { distance: 119.6 }), 'Pen 7 of Storholmen was moved 120 m'],
	[ofUnit(moved, { distance: 0.4 }), 'Pen 7 of Storholmen was moved less than 1 m'],
	[ofUnit(moved, { distance: 1 }), 'Pen 7 of Storholmen was moved 1 m'],
	[ofUnit(moved, { distance: 999.4 }), 'Pen 7 of Storholmen was moved 999 m'],
	[ofUnit(moved, { distance: 999.5 }), 'Pen 7 of Storholmen was moved 1.0 km'],
	[ofUnit(moved, { distance: 1234 }), 'Pen 7 of Storholmen was moved 1.2 km'],
	[ofUnit(moved, { distance: 9950 }), 'Pen 7 of Storholmen was moved 10 km'],
	[ofUnit(moved, { distance: 12_345 }), 'Pen 7 of Storholmen was moved 12 km'],
	[ofUnit(position([null, 1], [null, 2])), 'Pen 7 of Storholmen was given a position'],
	[ofUnit(position([1, null], [2, null])), 'Pen 7 of Storholmen lost its position'],
	[
		ofUnit(position([null, 1], [2, 3])),
		'The latitude of Pen 7 of Storholmen was set to 1 and its longitude changed from 2 to 3',
	],
	[
		ofUnit(position([1, null], [2, 3])),
		'The latitude of Pen 7 of Storholmen was removed (it was 1) and its longitude changed from 2 to 3',
	],
	[ofUnit([['latitude', 'N', 'S']]), 'The latitude of Pen 7 of Storholmen changed from N to S'],

	// Several at once
	[
		ofSite([license, biomass]),
		'The license of Storholmen changed from A to B and its maximum biomass changed from 7800 to 8580',
	],
	[
		ofUnit([['unitName', 'Pen 7', 'A'], ...moved], { unitName: 'A', distance: 120 }),
		'Pen 7 of Storholmen was renamed to A and moved 120 m',
	],
	[
		ofUnit([
			['unitName', 'Pen 7', 'A'],
			['latitude', 1, null],
		]),
		'Pen 7 of Storholmen was renamed to A and lost its position',
	],
	[
		ofUnit([...moved, ['depth', 5, 8], ['net', null, 'N1']], { distance: 120 }),
		'Pen 7 of Storholmen was moved 120 m, its depth changed from 5 to 8, and its net was set to N1',
	],
	[
		ofSite([['a', 1, 2], ['b', 1, 2], ['c', 1, 2], license]),
		'The a of Storholmen changed from 1 to 2, its b changed from 1 to 2, its c changed from 1 to 2, and 1 more field changed',
	],
	[
		ofSite([license, ['a', 1, 2], ['b', 1, 2], ['c', 1, 2], ['d', 1, 2]]),
		'The license of Storholmen changed from A to B, its a changed from 1 to 2, its b changed from 1 to 2, and 2 more fields changed',
	],

	// Whatever a service may send
	[
		ofSite([['info.license', 'A'.repeat(99), 'B']]),
		`The license of Storholmen changed from ${'A'.repeat(39)}… to B`,
	],
	[
		ofSite([['info.license', `${'A'.repeat(99)}1`, `${'A'.repeat(99)}2`]]),
		'The license of Storholmen changed',
	],
	[
		ofSite([license], { siteName: '🐟'.repeat(99) }),
		`The license of ${'🐟'.repeat(59)}… changed from A to B`,
	],
	[
		ofSite([license], { siteName: ' Stor\n\u0007hol\u202Emen\u0000 ' }),
		'The license of Stor holmen changed from A to B',
	],
	[
		ofUnit([], { status: 'added', unitName: '<!channel> <b>2</b>' }),
		'‹!channel› ‹b›2‹/b› was added to Storholmen',
	],
	[ofSite([license], { siteName: 7 }), 'The license of 7 changed from A to B'],
	[
		ofUnit([], { status: 'added', unitName: '\u200B', unitId: null }),
		'Unit without ID was added to Storholmen',
	],
])('%s', (sentence, expected) => {
	expect(sentence).toBe(expected);
});
