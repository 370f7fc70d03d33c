import fc from 'fast-check';
import { greatCircleDistance } from '../../../nodes/AquacultureSite/site/position';
import { infoOf, type Site, unitsOf } from '../../../nodes/AquacultureSite/site/site';
import { compareSites, type CompareOptions } from '../../../nodes/AquacultureSite/trigger/changes';
import {
	DEFAULT_EVENTS,
	EVENT_NAMES,
	type EventName,
	EVENTS,
	type SiteEvent,
	toEvents,
} from '../../../nodes/AquacultureSite/trigger/events';
import { sampleEvents } from '../../../nodes/AquacultureSite/trigger/samples';
import { forAll } from '../../tools/helpers/fuzz';
import { defined } from '../../tools/helpers/at';
import { siteJson } from '../../tools/helpers/site-json';

const MAP = 'https://www.openstreetmap.org/';
const detectedAt = '2026-11-21T06:00:00.000Z';

const texts = { license: 'SAMPLE-1042', type: 'Sea', code: 'STOR', timezone: 'Europe/Oslo' };
const info = { longitude: 13.4, latitude: 66.8, ...texts, maxTotalBiomass: 7800 };
const pen1 = { unitId: 1, unitName: 'Pen 1', longitude: 13.4, latitude: 66.8 };
const pen2 = { unitId: 2, unitName: 'Pen 2', longitude: 13.5, latitude: 66.9 };
const storholmen = { siteId: 1042, siteName: 'Storholmen', info, units: [pen1, pen2] };

const compare = (before: Site, after: Site, options?: CompareOptions) => {
	const { differences, baseline } = compareSites(before, after, options);
	return { events: toEvents(differences, DEFAULT_EVENTS, detectedAt), baseline };
};
const events = (before: Site, after: Site, options?: CompareOptions) =>
	compare(before, after, options).events;
const withInfo = (changes: object) => ({ ...storholmen, info: { ...info, ...changes } });
const withUnits = (...units: unknown[]) => ({ ...storholmen, units });
const withPen1 = (changes: object) => withUnits({ ...pen1, ...changes }, pen2);
/** A latitude that many meters north of pen 1, and of the site. */
const north = (meters: number) => ({ latitude: 66.8 + meters / 111_195 });

describe('an event', () => {
	test('of a site holds its changed fields, before and after, and the site as it is now', () => {
		const { license: _license, ...rest } = info;
		const after = { siteId: 1042, siteName: 'Nord', owner: { name: 'A' }, info: rest };
		expect(events(storholmen, after)).toEqual([
			{
				event: 'siteChanged',
				siteId: 1042,
				siteName: 'Nord',
				summary:
					'Storholmen was renamed to Nord, its owner changed, and its license was removed (it was SAMPLE-1042)',
				mapUrl: `${MAP}?mlat=66.8&mlon=13.4#map=14/66.8/13.4`,
				changes: [
					{ field: 'siteName', before: 'Storholmen', after: 'Nord' },
					{ field: 'owner', before: null, after: { name: 'A' } },
					{ field: 'info.license', before: 'SAMPLE-1042', after: null },
				],
				detectedAt,
				site: after,
			},
		]);
	});

	test('of a unit holds the unit: added, removed, changed', () => {
		const renamed = { ...pen1, unitName: 'Pen A' };
		const pen3 = { unitId: 3, unitName: 'Pen 3' };
		const changes = [{ field: 'unitName', before: 'Pen 1', after: 'Pen A' }];
		const eventOf = (unit: typeof pen3, rest: object) => {
			const { unitId, unitName } = unit;
			const common = { siteId: 1042, siteName: 'Storholmen', detectedAt, changes: [] };
			return { ...common, unitId, unitName, unit, ...rest };
		};
		expect(events(storholmen, withUnits(renamed, pen3))).toEqual([
			eventOf(pen2, {
				event: 'unitRemoved',
				summary: 'Pen 2 was removed from Storholmen',
				mapUrl: `${MAP}?mlat=66.9&mlon=13.5#map=14/66.9/13.5`,
			}),
			eventOf(renamed, {
				event: 'unitChanged',
				summary: 'Pen 1 of Storholmen was renamed to Pen A',
				mapUrl: `${MAP}?mlat=66.8&mlon=13.4#map=14/66.8/13.4`,
				changes,
			}),
			eventOf(pen3, { event: 'unitAdded', summary: 'Pen 3 was added to Storholmen' }),
		]);
	});

	test.each([
		['to a position of which half is known', withPen1({ latitude: null })],
		['to a position of which the other half is known', withPen1({ latitude: 67, longitude: null })],
		['to a position that is no number', withPen1({ latitude: '66,95' })],
		['in another field', withPen1({ unitName: 'Pen A' })],
	])('of a unit that changed %s holds no distance', (_where, after) => {
		const [event, ...more] = events(storholmen, after);
		expect(more).toEqual([]);
		expect(event).toMatchObject({ event: 'unitChanged' });
		expect(event).not.toHaveProperty('distance');
	});
});

/** Each of these is one value in several forms: floats as they come to be printed, and what stands for nothing. */
const SAME: unknown[][] = [
	[0.1 + 0.2, 0.3],
	[1, 1 + Number.EPSILON],
	[66.84512, 66.84512000000001, '66.84512000000001'],
	[-13.41207, -13.412070000000002],
	[0, -0],
	[{}, { constructor: null }],
];

/** Each of these is another value than all others. */
const DIFFERENT: unknown[] = [
	// Numbers next to each other, more digits than a double holds, and a code that looks like a number
	...[2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, '9007199254740993', 1.1, '1.10'],
	...[66.845120001, 66.845120002, 1e-12, 12.5, '12.50001'],
	...[null, true, false, 'true', 'Pen 1', 'Pen1', 'pen', 'Pen'],
	...[[], [1], [1, 2], [2, 1], { 0: 1 }, { length: 0 }, { a: { b: 1 } }, { a: { b: 2 } }],
	// Fields with names of JavaScript
	...[{ constructor: 1 }, JSON.parse('{"__proto__":1}') as unknown],
];

test('two values are the same, but for their form, or a change', () => {
	const values = [...SAME, ...DIFFERENT.map((value) => [value])];
	for (const before of values) {
		for (const after of values) {
			for (const [old, now] of before.flatMap((one) => after.map((other) => [one, other]))) {
				const found = events({ a: old }, { a: now }).map(({ event }) => event);
				const expected = before === after ? [] : ['siteChanged'];
				expect([old, now, found]).toEqual([old, now, expected]);
			}
		}
	}
});

describe('what says nothing', () => {
	test.each([undefined, null, 'x', 7])('a part that was not sent stays as it was: %j', (none) => {
		const after = { ...storholmen, info: none, units: none };
		expect(compare(storholmen, after)).toEqual({ events: [], baseline: storholmen });
	});

	test('a part that is sent for the first time is the state from then on', () => {
		const { info: _info, units: _units, ...bare } = storholmen;
		expect(compare(bare, storholmen)).toEqual({ events: [], baseline: storholmen });
		expect(unitsOf(compare({}, {}).baseline)).toBeUndefined();
	});

	test('is a unit without an ID', () => {
		const odd = withUnits(pen1, { unitName: 'No ID' }, { unitId: ' ' }, null, pen2);
		expect(events(storholmen, odd)).toEqual([]);
		expect(events(odd, withUnits(pen1, pen2, { unitId: null, unitName: 'Other' }))).toEqual([]);
	});

	test('is a site name that was not sent: what changed beside it is told with the old one', () => {
		const { siteName: _name, ...nameless } = withInfo({ license: 'X' });
		const { events: found, baseline } = compare(storholmen, nameless);
		expect(found).toMatchObject([{ siteName: 'Storholmen', changes: [{ field: 'info.license' }] }]);
		expect(events(baseline, withInfo({ license: 'X' }))).toEqual([]);
		expect(events(storholmen, { ...storholmen, siteName: ' ' })).toEqual([]);
	});
});

describe('minimumDistance', () => {
	const options = { minimumDistance: 100 };

	test.each([
		['unit', 'latitude', (meters: number) => withPen1(north(meters))],
		['site', 'info.latitude', (meters: number) => withInfo(north(meters))],
	])('small moves of a %s add up, and those there and back do not', (_what, field, moved) => {
		let baseline: Site = storholmen;
		const reports = [40, 80, 0, 90, 120.6, 160].map((meters) => {
			const comparison = compare(baseline, moved(meters), options);
			({ baseline } = comparison);
			return comparison.events;
		});
		expect(reports.map(({ length }) => length)).toEqual([0, 0, 0, 0, 1, 0]);
		const changes = [{ field, before: 66.8, after: north(120.6).latitude }];
		expect(reports[4]).toMatchObject([{ distance: 120.6, changes }]);
	});

	test('holds for a position that comes as text', () => {
		const moved = (meters: number) => withPen1({ latitude: String(north(meters).latitude) });
		expect(events(storholmen, moved(50), options)).toEqual([]);
		expect(events(storholmen, moved(150), options)).toMatchObject([{ distance: 150 }]);
	});

	test('a move that is just far enough is reported', () => {
		const moved = withPen1({ latitude: 66.801 });
		const meters = defined(greatCircleDistance(pen1, { ...pen1, latitude: 66.801 }));
		expect(events(storholmen, moved, { minimumDistance: meters })).toHaveLength(1);
		expect(events(storholmen, moved, { minimumDistance: meters + 0.01 })).toHaveLength(0);
	});

	test('holds back the position alone, not the other changes', () => {
		const after = withPen1({ ...north(50), unitName: 'Pen A' });
		const { events: found, baseline } = compare(storholmen, after, options);
		expect(found.map(({ changes }) => changes)).toEqual([
			[{ field: 'unitName', before: 'Pen 1', after: 'Pen A' }],
		]);
		expect(found[0]).not.toHaveProperty('distance');
		expect(baseline.units).toEqual([{ ...pen1, unitName: 'Pen A' }, pen2]);
	});

	test('a position that is lost or found is reported', () => {
		const lost = withPen1({ latitude: null });
		expect(events(storholmen, lost, { minimumDistance: 1e9 })).toHaveLength(1);
		expect(events(lost, storholmen, { minimumDistance: 1e9 })).toHaveLength(1);
	});
});

test.each([
	[[], 'siteName info.license info.maxTotalBiomass unitName latitude'],
	[['cense', 'info', 'Name', ''], 'siteName info.license info.maxTotalBiomass unitName latitude'],
	[['license', 'info.maxTotalBiomass', 'unitName'], 'siteName latitude'],
	[['sitename', 'LICENSE', 'Info.MaxTotalBiomass', 'unitname', 'Latitude'], ''],
])('ignoreFields %j leaves "%s": whole names or last parts, in any case', (ignoreFields, left) => {
	const siteInfo = { ...info, license: 'X', maxTotalBiomass: 1 };
	const after = { ...withPen1({ unitName: 'Z', latitude: 67 }), siteName: 'Y', info: siteInfo };
	const found = events(storholmen, after, { ignoreFields });
	expect(found.flatMap(({ changes }) => changes.map(({ field }) => field)).join(' ')).toBe(left);
	const isMove = ({ changes }: SiteEvent) => changes.some(({ field }) => field === 'latitude');
	expect(found.every((event) => 'distance' in event === isMove(event))).toBe(true);
});

/** Values that differ clearly or not at all; spelling.test.ts is about other spellings. */
const value = fc.oneof(
	fc.constantFrom('a', 'b', true, false, 0, 1, 2.5, -7),
	fc.array(fc.constantFrom(null, 1, 'a'), { maxLength: 2 }),
	fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, 2), { maxKeys: 2 }),
);
const anyFields = fc.dictionary(fc.constantFrom('x', 'y', 'constructor', 'toString'), value);
const snapshotOf = (fields: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) =>
	fc
		.tuple(anyFields, fc.record(fields, { requiredKeys }))
		.map(([others, known]): Site => ({ ...others, ...known }));
const place = { latitude: fc.constantFrom(60, 61), longitude: fc.constantFrom(5, 6) };
const anyInfo = snapshotOf({ license: value, type: value, ...place });
const unitId = fc.integer({ min: 1, max: 4 });
const anyUnit = snapshotOf({ unitId, unitName: value, ...place }, 'unitId');
/** Snapshots of one site, from which a part may be missing. */
const snapshot = snapshotOf(
	{
		siteName: value,
		info: fc.oneof({ weight: 4, arbitrary: anyInfo }, fc.constant(null)),
		units: fc.uniqueArray(anyUnit, { selector: (unit) => unit.unitId }),
	},
	'siteName',
);

/** What can change in a snapshot: its own fields, its info, and its units in any order. */
function thingsOf({ info, units, ...own }: Site) {
	const byId = unitsOf({ units })?.map((unit) => [unit.unitId, unit] as const);
	return { own, info: infoOf({ info }), units: byId && new Map(byId) };
}

/** What the events of a comparison make of the old snapshot; each must know its old values, and report others. */
function apply(old: Site, reported: SiteEvent[]) {
	const things = thingsOf(structuredClone(old));
	for (const { event, unitId, unit, changes } of reported) {
		if (event === 'unitAdded') things.units?.set(unitId, defined(unit));
		if (event === 'unitRemoved') things.units?.delete(unitId);
		for (const { field, before, after } of changes) {
			const [, infoField] = /^info\.(.*)$/.exec(field) ?? [];
			const ofSite = infoField === undefined ? things.own : things.info;
			const target = defined(event === 'unitChanged' ? things.units?.get(unitId) : ofSite);
			const key = infoField ?? field;
			expect(Object.hasOwn(target, key) ? target[key] : null).toEqual(before);
			expect(after).not.toEqual(before);
			if (after === null) Reflect.deleteProperty(target, key);
			else target[key] = after;
		}
	}
	return things;
}

describe('of any snapshots', () => {
	test('the events, applied to the old one, give the new one; a missing part keeps its old state', () => {
		forAll([snapshot, snapshot], (before, after) => {
			const found = events(before, after);
			const [old, now] = [thingsOf(before), thingsOf(after)];
			expect(apply(before, found)).toEqual({
				own: now.own,
				info: old.info && (now.info ?? old.info),
				units: old.units && (now.units ?? old.units),
			});
			// Everything that changed of one thing is one event, by its name
			const things = found.map(({ unitId }) => unitId);
			expect(new Set(things).size).toBe(things.length);
			for (const { event, changes } of found)
				expect(changes.length > 0).toBe(event.endsWith('Changed'));
		});
	});

	test('nothing is reported twice, also after the baseline was saved; neither one is altered', () => {
		const options = fc.record({
			minimumDistance: fc.constantFrom(0, 1000, 1e7),
			ignoreFields: fc.subarray(['license', 'latitude', 'unitName', 'x']),
		});
		forAll([siteJson, siteJson, options], (before, after, chosen) => {
			const copies = structuredClone([before, after]);
			const { baseline } = compare(before, after, chosen);
			const saved = JSON.parse(JSON.stringify(baseline)) as Site;
			expect(events(saved, after, chosen)).toEqual([]);
			expect([before, after]).toEqual(copies);
		});
	});
});

describe('a sample', () => {
	afterEach(() => jest.restoreAllMocks());

	const sampleOf = (site: Site, name: EventName, options: CompareOptions = {}) => {
		const [event, ...more] = sampleEvents(site, [name], options, detectedAt);
		expect(more).toEqual([]);
		return defined(event);
	};

	test('of each chosen kind comes once and in that order, from any site', () => {
		forAll([siteJson, fc.shuffledSubarray([...EVENT_NAMES], { minLength: 1 })], (site, names) => {
			const copy = structuredClone(site);
			const samples = sampleEvents(site, names, {}, detectedAt);
			expect(samples.map(({ event }) => event)).toEqual(names);
			expect(site).toEqual(copy);
		});
	});

	test('of an event about any field, but an ID or the longitude, comes from any site', () => {
		const fields = ['siteName', 'info.latitude', 'info.maxTotalBiomass', 'unitName', 'latitude'];
		const anyField = fc.constantFrom(
			...fields,
			...Object.keys(texts).map((text) => `info.${text}`),
		);
		forAll([siteJson, anyField], (site, wanted) => {
			const name = /^(unit|lat)/.test(wanted) ? 'unitChanged' : 'siteChanged';
			const is = jest.spyOn(EVENTS[name], 'is');
			is.mockImplementation(({ changes }) => changes.some(({ field }) => field === wanted));
			expect(sampleOf(site, name).changes.map(({ field }) => field)).toEqual([wanted]);
		});
	});

	test.each(DEFAULT_EVENTS)('of %s looks like production', (name) => {
		const after = withUnits({ ...pen1, latitude: 67 }, { ...pen2, unitId: 3, unitName: 'Pen 3' });
		const production = events(storholmen, { ...after, info: { ...info, license: 'X' } });
		const shape = ({ changes, ...event }: SiteEvent) => [
			...[Object.keys(event), ...changes.map((change) => Object.keys(change))],
		];
		const sample = sampleOf(storholmen, name);
		const real = production.find(({ event }) => event === name);
		expect(shape(sample)).toEqual(shape(defined(real, `${name} in production`)));
		expect(sample).toMatchObject({ event: name, siteId: 1042, siteName: 'Storholmen', detectedAt });
		const { site, unit } = sample;
		expect({ site, unit }).toEqual(name === 'siteChanged' ? { site: storholmen } : { unit: pen1 });
	});

	test.each<[unknown, number]>([
		[66.8, 66.799],
		[90, 89.999],
		[-90, -89.999],
		// No latitude on earth, so the unit comes from the equator
		[91, 0.001],
		[null, 0.001],
		['66.8', 0.001],
	])('of a unit at latitude %p comes from beside it', (latitude, before) => {
		const { changes } = sampleOf(withUnits({ ...pen1, latitude }), 'unitChanged');
		const from = expect.closeTo(before, 9) as unknown;
		expect(changes).toEqual([{ field: 'latitude', before: from, after: latitude }]);
	});

	test.each<[EventName, CompareOptions, field: string]>([
		['siteChanged', {}, 'info.license'],
		['siteChanged', { ignoreFields: ['license'] }, 'siteName'],
		['siteChanged', { ignoreFields: ['license', 'siteName', 'latitude'] }, 'info.type'],
		['unitChanged', { ignoreFields: ['latitude'] }, 'unitName'],
		['unitChanged', { ignoreFields: ['unitName'], minimumDistance: 5_000_000 }, 'latitude'],
	])('of %s with %j is of the field %s', (name, options, field) => {
		const { changes, distance = 0 } = sampleOf(storholmen, name, options);
		expect(changes.map((change) => change.field)).toEqual([field]);
		expect(distance > 5_000_000).toBe(field === 'latitude');
	});

	test('of a kind of which all fields are ignored is left out; it is said if none is left', () => {
		const options = { ignoreFields: ['unitName', 'latitude'] };
		const names: EventName[] = ['unitChanged', 'unitAdded'];
		const samples = sampleEvents(storholmen, names, options, detectedAt);
		expect(samples.map(({ event }) => event)).toEqual(['unitAdded']);
		expect(() => sampleEvents(storholmen, ['unitChanged'], options, detectedAt)).toThrow(
			"'Events' and 'Ignore Fields' leave no change that could start the workflow",
		);
	});

	test('of a site without units has a unit with a name', () => {
		expect(sampleOf({}, 'unitAdded')).toMatchObject({ unitId: 1, unitName: 'Unit 1' });
	});
});
