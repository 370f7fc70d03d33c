import fc from 'fast-check';
import { infoOf, unitsOf, type Site, type Unit } from '../../../nodes/AquacultureSite/site/site';
import {
	compareSites,
	greatCircleDistance,
	sameValue,
	sampleEvents,
	SITE_EVENTS,
	type CompareOptions,
	type SiteEvent,
	type SiteEventName,
} from '../../../nodes/AquacultureSite/trigger/changes';
import { siteJson } from '../../helpers/site-json';

const detectedAt = '2026-11-21T06:00:00.000Z';

const storholmen = {
	siteId: 1042,
	siteName: 'Storholmen',
	info: { longitude: 13.41207, latitude: 66.84512, license: 'SAMPLE-1042', maxTotalBiomass: 7800 },
	units: [
		{ unitId: 1, unitName: 'Pen 1', longitude: 13.4, latitude: 66.8 },
		{ unitId: 2, unitName: 'Pen 2', longitude: 13.5, latitude: 66.9 },
	],
};

const compare = (before: Site, after: Site, options?: CompareOptions) =>
	compareSites(before, after, detectedAt, options);
const events = (before: Site, after: Site, options?: CompareOptions) =>
	compare(before, after, options).events;
/** Storholmen with other info, other units, other fields. */
const withInfo = (info: object) => ({ ...storholmen, info: { ...storholmen.info, ...info } });
const withUnits = (...units: unknown[]) => ({ ...storholmen, units });
const [pen1, pen2] = storholmen.units as [Unit, Unit];
/** Metres to the north. */
const north = <T extends { latitude: number }>(of: T, metres: number): T => ({
	...of,
	latitude: of.latitude + metres / 111_195,
});

describe('what an event tells', () => {
	test('of a field of the site', () => {
		const after = { ...withInfo({ license: 'SAMPLE-7' }), siteName: 'Storholmen Nord' };
		expect(events(storholmen, after)).toEqual([
			{
				event: 'siteChanged',
				siteId: 1042,
				siteName: 'Storholmen Nord',
				changes: [
					{ field: 'siteName', before: 'Storholmen', after: 'Storholmen Nord' },
					{ field: 'info.license', before: 'SAMPLE-1042', after: 'SAMPLE-7' },
				],
				detectedAt,
				site: after,
			},
		]);
	});

	test('of a unit that was added, removed, changed', () => {
		const renamed = { ...pen1, unitName: 'Pen A' };
		const pen3 = { unitId: 3, unitName: 'Pen 3' };
		const about = { siteId: 1042, siteName: 'Storholmen', detectedAt };
		const found = events(storholmen, withUnits(renamed, pen3));
		expect(found).toHaveLength(3);
		expect(found).toEqual(
			expect.arrayContaining([
				{ ...about, event: 'unitRemoved', unitId: 2, unitName: 'Pen 2', changes: [], unit: pen2 },
				{ ...about, event: 'unitAdded', unitId: 3, unitName: 'Pen 3', changes: [], unit: pen3 },
				{
					...about,
					event: 'unitChanged',
					unitId: 1,
					unitName: 'Pen A',
					changes: [{ field: 'unitName', before: 'Pen 1', after: 'Pen A' }],
					unit: renamed,
				},
			]),
		);
	});

	test('of a move: how far, in metres', () => {
		const moved = { ...pen2, latitude: 66.901 };
		expect(events(storholmen, withUnits(pen1, moved))).toMatchObject([
			{ event: 'unitChanged', changes: [{ field: 'latitude' }], distance: 111.2, unit: moved },
		]);
		expect(events(storholmen, withInfo({ latitude: 66.84612 }))).toMatchObject([
			{ event: 'siteChanged', changes: [{ field: 'info.latitude' }], distance: 111.2 },
		]);
	});

	test.each<[string, object]>([
		['to nowhere', { latitude: null, longitude: null }],
		['of which only half is known', { latitude: null }],
		['of which only the other half is known', { latitude: 67, longitude: null }],
		['that is text', { latitude: '66.95' }],
	])('of a position %s: no distance', (_where, position) => {
		const [event] = events(storholmen, withUnits(pen1, { ...pen2, ...position }));
		expect(event).toMatchObject({ event: 'unitChanged' });
		expect(event).not.toHaveProperty('distance');
	});

	test('of anything but a move: no distance', () => {
		expect(events(storholmen, withInfo({ code: 'X' }))[0]).not.toHaveProperty('distance');
	});

	test('of fields that come and go: null where they are absent', () => {
		const { license: _license, ...info } = storholmen.info;
		expect(events(storholmen, { ...storholmen, info, owner: { name: 'x' } })).toMatchObject([
			{
				changes: [
					{ field: 'info.license', before: 'SAMPLE-1042', after: null },
					{ field: 'owner', before: null, after: { name: 'x' } },
				],
			},
		]);
	});
});

describe('what is no change', () => {
	test.each<[string, unknown, unknown]>([
		['the last digit of a float', 0.1 + 0.2, 0.3],
		['a float as some print it', 66.84512, 66.84512000000001],
		['the order of keys', { a: 1, b: [2] }, { b: [2], a: 1 }],
		['absent and null', { a: null }, {}],
		['plus and minus zero', 0, -0],
		['null in a field with a name of JavaScript’s own', { constructor: null }, {}],
	])('%s', (_what, before, after) => {
		expect(sameValue(before, after)).toBe(true);
		expect(sameValue(after, before)).toBe(true);
		expect(events({ a: before }, { a: after })).toEqual([]);
	});

	test.each<[string, unknown, unknown]>([
		['whole numbers next to each other', 9007199254740991, 9007199254740990],
		['the ninth digit of a degree', 66.845120001, 66.845120002],
		['zero and almost zero', 0, 1e-12],
		['number and text', 1, '1'],
		['false and null', false, null],
		['empty text and null', '', null],
		['the order of a list', [1, 2], [2, 1]],
		['a list and its beginning', [1], [1, 2]],
		['a list and an object', [], {}],
		['an object and null', {}, null],
		['a nested value', { a: { b: 1 } }, { a: { b: 2 } }],
		['a field with a name of JavaScript’s own', { constructor: 1 }, {}],
		['one like it in JSON', JSON.parse('{"__proto__":1}'), {}],
	])('but these are one: %s', (_what, before, after) => {
		expect(sameValue(before, after)).toBe(false);
		expect(sameValue(after, before)).toBe(false);
		expect(events({ a: before }, { a: after })).toMatchObject([{ event: 'siteChanged' }]);
	});

	test('a part that was not sent: its old state stays', () => {
		for (const nothing of [undefined, null, 'x', 7]) {
			const { events: found, baseline } = compare(storholmen, {
				...storholmen,
				info: nothing,
				units: nothing,
			});
			expect(found).toEqual([]);
			expect(baseline).toEqual(storholmen);
		}
	});

	test('a part that is sent for the first time: it is the state from now on', () => {
		const { info: _info, units: _units, ...bare } = storholmen;
		const { events: found, baseline } = compare(bare, storholmen);
		expect(found).toEqual([]);
		expect(baseline).toEqual(storholmen);
		expect(events(baseline, withInfo({ license: 'X' }))).toHaveLength(1);
	});

	test('while all units gone, or the first ones there, is', () => {
		expect(events(storholmen, withUnits()).map(({ event }) => event)).toEqual([
			'unitRemoved',
			'unitRemoved',
		]);
		expect(events(withUnits(), storholmen).map(({ event }) => event)).toEqual([
			'unitAdded',
			'unitAdded',
		]);
	});

	test('units without an ID or with one that is taken: the first one counts', () => {
		const odd = withUnits(pen1, { unitName: 'No ID' }, { ...pen1, unitName: 'Again' }, null, pen2);
		expect(events(storholmen, odd)).toEqual([]);
		expect(events(odd, storholmen)).toEqual([]);
		expect(events(odd, withUnits(pen1, pen2, { unitId: null, unitName: 'Other' }))).toEqual([]);
	});
});

describe('minimumDistance', () => {
	test('small moves are silent and add up; then the first and the last place are told', () => {
		const option = { minimumDistance: 100 };
		let baseline: Site = storholmen;
		const told: SiteEvent[][] = [];
		for (const metres of [40, 80, 120, 160]) {
			const after = withUnits(north(pen1 as { latitude: number }, metres), pen2);
			const comparison = compare(baseline, after, option);
			baseline = comparison.baseline;
			told.push(comparison.events);
		}
		expect(told.map((found) => found.length)).toEqual([0, 0, 1, 0]);
		expect(told[2]).toMatchObject([
			{ distance: 120, changes: [{ field: 'latitude', before: 66.8 }], unit: { unitId: 1 } },
		]);
	});

	test('holds for the site, too', () => {
		const option = { minimumDistance: 100 };
		const first = compare(storholmen, { ...storholmen, info: north(storholmen.info, 60) }, option);
		expect(first.events).toEqual([]);
		const second = { ...storholmen, info: north(storholmen.info, 120) };
		expect(events(first.baseline, second, option)).toMatchObject([
			{ event: 'siteChanged', distance: 120 },
		]);
	});

	test('there and back is no move', () => {
		const option = { minimumDistance: 100 };
		const there = compare(
			storholmen,
			withUnits(north(pen1 as { latitude: number }, 99), pen2),
			option,
		);
		expect([...there.events, ...events(there.baseline, storholmen, option)]).toEqual([]);
	});

	test('a move that is just far enough is told', () => {
		const moved = withUnits({ ...pen1, latitude: 66.801 }, pen2);
		const exactly = greatCircleDistance(
			{ latitude: 66.8, longitude: 13.4 },
			{ latitude: 66.801, longitude: 13.4 },
		);
		expect(events(storholmen, moved, { minimumDistance: exactly })).toHaveLength(1);
		expect(events(storholmen, moved, { minimumDistance: exactly + 0.01 })).toHaveLength(0);
	});

	test('keeps back the position alone, of a unit with other changes', () => {
		const after = withUnits(
			{ ...north(pen1 as { latitude: number }, 50), unitName: 'Pen A' },
			pen2,
		);
		const { events: found, baseline } = compare(storholmen, after, { minimumDistance: 100 });
		expect(found).toMatchObject([{ changes: [{ field: 'unitName' }] }]);
		expect(found[0]!.changes).toHaveLength(1);
		expect(found[0]).not.toHaveProperty('distance');
		expect(unitsOf(baseline)).toEqual([{ ...pen1, unitName: 'Pen A' }, pen2]);
	});

	test('a position that is lost or found counts, however near', () => {
		const lost = withUnits({ ...pen1, latitude: null }, pen2);
		expect(events(storholmen, lost, { minimumDistance: 1e9 })).toHaveLength(1);
		expect(events(lost, storholmen, { minimumDistance: 1e9 })).toHaveLength(1);
	});
});

test('a site whose units were never sent has none that could be missed', () => {
	expect(unitsOf(compare({}, {}).baseline)).toBeUndefined();
});

test.each<[unknown, unknown, boolean]>([
	[[], {}, false],
	[{}, [], false],
	[[1], { 0: 1 }, false],
	[[1], [1, 2], false],
	[[1, 2], [1], false],
	[2 ** 53, 2 ** 53 + 2, false],
	[1, 1 + Number.EPSILON, true],
	[1 + Number.EPSILON, 1, true],
])('%j and %j say the same: %p', (a, b, same) => {
	expect(sameValue(a, b)).toBe(same);
});

describe('ignoreFields', () => {
	const after = {
		...withInfo({ license: 'X', maxTotalBiomass: 1 }),
		siteName: 'Y',
		units: [{ ...pen1, unitName: 'Z', latitude: 67 }, pen2],
	};
	const left = (...ignoreFields: string[]) =>
		events(storholmen, after, { ignoreFields }).flatMap(({ changes }) =>
			changes.map(({ field }) => field),
		);

	test('takes whole names and last parts', () => {
		expect(left()).toEqual([
			'siteName',
			'info.license',
			'info.maxTotalBiomass',
			'unitName',
			'latitude',
		]);
		expect(left('license', 'unitName')).toEqual(['siteName', 'info.maxTotalBiomass', 'latitude']);
		expect(left('info.license')).not.toContain('info.license');
		expect(left('info.license')).toHaveLength(4);
		expect(left('cense', 'info', 'License', '')).toHaveLength(5);
	});

	test('leaves no event where nothing else has changed', () => {
		expect(left('siteName', 'license', 'maxTotalBiomass', 'unitName', 'latitude')).toEqual([]);
	});

	test('of a position leaves no distance', () => {
		expect(
			events(storholmen, withUnits({ ...pen1, latitude: 67, unitName: 'Z' }, pen2), {
				ignoreFields: ['latitude', 'longitude'],
			})[0],
		).not.toHaveProperty('distance');
	});
});

describe('the distance (great circle, sphere of the earth’s mean radius)', () => {
	const halfRound = Math.PI * 6_371_008.8;

	test.each<[string, [number, number], [number, number], number, number]>([
		['none', [66.8, 13.4], [66.8, 13.4], 0, 0],
		['a degree of latitude', [60, 5], [61, 5], 111_195, 1],
		['a degree of longitude on the equator', [0, 5], [0, 6], 111_195, 1],
		['a degree of longitude at 60 degrees', [60, 5], [60, 6], 55_597, 10],
		['over the antimeridian', [0, 179.5], [0, -179.5], 111_195, 1],
		['to the antipode', [0, 0], [0, 180], halfRound, 1],
		['to another antipode', [66.8, 13.4], [-66.8, -166.6], halfRound, 1],
		['from pole to pole', [90, 0], [-90, 0], halfRound, 1],
		['on the pole', [90, 0], [90, 120], 0, 0.001],
		['Oslo to Bergen (about 306 km)', [59.9139, 10.7522], [60.3913, 5.3221], 306_000, 2000],
	])('%s', (_way, from, to, metres, within) => {
		const point = ([latitude, longitude]: [number, number]) => ({ latitude, longitude });
		const there = greatCircleDistance(point(from), point(to));
		expect(Math.abs(there - metres)).toBeLessThanOrEqual(within);
		expect(greatCircleDistance(point(to), point(from))).toBeCloseTo(there, 6);
	});

	test('is never more than half the way round, nor less than the difference in latitude', () => {
		const place = fc.record({
			latitude: fc.double({ min: -90, max: 90, noNaN: true }),
			longitude: fc.double({ min: -180, max: 180, noNaN: true }),
		});
		fc.assert(
			fc.property(place, place, (from, to) => {
				const distance = greatCircleDistance(from, to);
				expect(distance).toBeLessThanOrEqual(halfRound + 1e-6);
				const along = (Math.abs(from.latitude - to.latitude) / 180) * halfRound;
				expect(distance).toBeGreaterThanOrEqual(along - 0.1);
			}),
		);
	});
});

/** Values that differ clearly or not at all: last digits of floats have examples of their own. */
const value = fc.oneof(
	fc.constantFrom(null, '', 'a', 'b', true, false, 0, 1, 2.5, -7),
	fc.array(fc.constantFrom(null, 1, 'a'), { maxLength: 2 }),
	fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(null, 1, 2), { maxKeys: 2 }),
);
const place = { latitude: fc.constantFrom(60, 61, null), longitude: fc.constantFrom(5, 6) };
const otherFields = fc.dictionary(fc.constantFrom('x', 'y', 'constructor', 'toString'), value);
const laidOver = <T extends object>(known: fc.Arbitrary<T>) =>
	fc.tuple(otherFields, known).map(([others, fields]) => ({ ...others, ...fields }));
const unit = laidOver(
	fc.record(
		{ unitId: fc.integer({ min: 1, max: 4 }), unitName: value, ...place },
		{ requiredKeys: ['unitId'] },
	),
);
const units = fc.uniqueArray(unit, { selector: ({ unitId }) => unitId });
const info = laidOver(fc.record({ license: value, type: value, ...place }, { requiredKeys: [] }));
/** Whole snapshots of one site. */
const wholeSite = laidOver(fc.record({ siteId: fc.constant(1042), siteName: value, info, units }));
/** Snapshots from which a part may be missing. */
const snapshot: fc.Arbitrary<Site> = laidOver(
	fc.record(
		{ siteId: fc.constant(1042), siteName: value, info: fc.oneof(info, fc.constant(null)), units },
		{ requiredKeys: ['siteId'] },
	),
);

/** A value as text in which absent and null are the same, and so is any order of keys. */
function asText(json: unknown): string {
	return JSON.stringify(json ?? null, (_key, part: unknown) => {
		if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
		const entries = Object.entries(part).filter(([, entry]) => (entry ?? null) !== null);
		return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)).flat() };
	});
}

/** A snapshot as text in which the order of units plays no part either. */
function snapshotText({ units: list, ...site }: Site): string {
	return asText({ ...site, units: unitsOf({ units: list })?.map(asText).sort() });
}

/**
 * The old snapshot with what the events tell; with the events of a comparison, the new one.
 *
 * @throws where an event tells another old value than the snapshot has
 */
function apply(old: Site, told: SiteEvent[]): Site {
	const { info: oldInfo, units: oldUnits, ...site } = structuredClone(old);
	const newInfo = infoOf({ info: oldInfo });
	const newUnits = unitsOf({ units: oldUnits });
	const change = (target: object, key: string, before: unknown, after: unknown) => {
		const now = Object.getOwnPropertyDescriptor(target, key)?.value as unknown;
		if (asText(now) !== asText(before)) throw new Error(`${key} was ${asText(now)}`);
		Object.assign(target, { [key]: after });
	};
	for (const { event, unitId, unit: theUnit, changes } of told) {
		const at = newUnits?.findIndex((candidate) => candidate.unitId === unitId) ?? -1;
		if (event === 'unitAdded') newUnits!.push(structuredClone(theUnit!));
		if (event === 'unitRemoved') newUnits!.splice(at, 1);
		for (const { field, before, after } of changes) {
			const [, infoField] = /^info\.(.*)$/.exec(field) ?? [];
			if (event === 'unitChanged') change(newUnits![at]!, field, before, after);
			else if (infoField) change(newInfo!, infoField, before, after);
			else change(site, field, before, after);
		}
	}
	return { ...site, info: newInfo, units: newUnits };
}

function reversedKeys<T>(json: T): T {
	if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
	const entries = Object.entries(json).reverse();
	return Object.fromEntries(entries.map(([key, entry]) => [key, reversedKeys(entry)])) as T;
}

/** The same in another order. */
function shuffled(site: Site): Site {
	const turned = reversedKeys(site);
	return { ...turned, units: unitsOf(site)?.reverse().map(reversedKeys) ?? site.units };
}

const byName = (found: SiteEvent[]) =>
	found
		.map(({ event, unitId, changes, distance }) => ({
			event,
			unitId,
			distance,
			changes: [...changes].sort((a, b) => (a.field < b.field ? -1 : 1)),
		}))
		.sort((a, b) => (`${a.event} ${a.unitId}` < `${b.event} ${b.unitId}` ? -1 : 1));

describe('of any snapshots', () => {
	test('no change in, none out, whatever the service sends and in whatever order', () => {
		fc.assert(
			fc.property(siteJson, (site) => {
				expect(events(site, JSON.parse(JSON.stringify(site)) as Site)).toEqual([]);
			}),
		);
		fc.assert(
			fc.property(snapshot, (site) => {
				expect(events(site, shuffled(site))).toEqual([]);
			}),
		);
	});

	test('the events, applied to the old snapshot, give the new one', () => {
		fc.assert(
			fc.property(wholeSite, wholeSite, (before, after) => {
				expect(snapshotText(apply(before, events(before, after)))).toBe(snapshotText(after));
			}),
			{ numRuns: 1000 },
		);
	});

	test('and where a part is missing, the old state of it', () => {
		fc.assert(
			fc.property(snapshot, snapshot, (before, after) => {
				const expected: Site = {
					...after,
					info: infoOf(before) && (infoOf(after) ?? infoOf(before)),
					units: unitsOf(before) && (unitsOf(after) ?? unitsOf(before)),
				};
				expect(snapshotText(apply(before, events(before, after)))).toBe(snapshotText(expected));
			}),
			{ numRuns: 1000 },
		);
	});

	test('the order of units and keys plays no part', () => {
		fc.assert(
			fc.property(snapshot, snapshot, (before, after) => {
				const found = byName(events(before, after));
				expect(byName(events(shuffled(before), after))).toEqual(found);
				expect(byName(events(before, shuffled(after)))).toEqual(found);
			}),
		);
	});

	test('a single change is told exactly once', () => {
		const field = fc.constantFrom(
			'x',
			'siteName',
			'license',
			'latitude',
			'unitName',
			'constructor',
		);
		const where = fc.constantFrom('site', 'info', 'unit');
		fc.assert(
			fc.property(wholeSite, where, field, value, fc.nat(), (site, part, name, newValue, index) => {
				const after = structuredClone(site);
				const target = (
					{
						site: after,
						info: after.info,
						unit: after.units[index % (after.units.length || 1)],
					} as Record<string, Record<string, unknown> | undefined>
				)[part];
				fc.pre(target !== undefined);
				const oldValue = Object.hasOwn(target!, name) ? target![name] : null;
				fc.pre(!sameValue(oldValue, newValue));
				target![name] = newValue;
				expect(events(site, after)).toMatchObject([
					{
						event: part === 'unit' ? 'unitChanged' : 'siteChanged',
						changes: [
							{ field: part === 'info' ? `info.${name}` : name, before: oldValue, after: newValue },
						],
					},
				]);
				expect(events(site, after)[0]!.changes).toHaveLength(1);
			}),
		);
	});

	test('a unit that comes or goes is told exactly once', () => {
		fc.assert(
			fc.property(wholeSite, unit, fc.nat(), (site, newUnit, index) => {
				fc.pre(!site.units.some(({ unitId }) => unitId === newUnit.unitId));
				const more = structuredClone(site);
				more.units.splice(index % (site.units.length + 1), 0, newUnit);
				expect(events(site, more)).toMatchObject([
					{ event: 'unitAdded', unitId: newUnit.unitId, unit: newUnit },
				]);
				expect(events(more, site)).toMatchObject([
					{ event: 'unitRemoved', unitId: newUnit.unitId, unit: newUnit },
				]);
			}),
		);
	});

	test('nothing is told twice: not even after the baseline was saved and loaded', () => {
		const options = fc.record({
			minimumDistance: fc.constantFrom(0, 1000, 1e7),
			ignoreFields: fc.subarray(['license', 'latitude', 'unitName', 'x']),
		});
		fc.assert(
			fc.property(siteJson, siteJson, options, (before, after, chosen) => {
				const { baseline } = compare(before, after, chosen);
				const loaded = JSON.parse(JSON.stringify(baseline)) as Site;
				expect(events(loaded, after, chosen)).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});

	test('neither snapshot is altered', () => {
		fc.assert(
			fc.property(siteJson, siteJson, (before, after) => {
				const copies = structuredClone([before, after]);
				compare(before, after, { minimumDistance: 1e7 });
				sampleEvents(after, SITE_EVENTS, detectedAt);
				expect([before, after]).toEqual(copies);
			}),
		);
	});
});

describe('a sample', () => {
	/** The fields of each kind of event in production, in which a site and a unit have changed. */
	const production = Object.fromEntries(
		events(storholmen, {
			...withInfo({ license: 'X' }),
			units: [
				{ ...pen1, latitude: 67 },
				{ unitId: 3, unitName: 'Pen 3' },
			],
		}).map((event) => [event.event, event]),
	);

	test.each(SITE_EVENTS)('of %s looks like production', (name) => {
		const [event, ...more] = sampleEvents(storholmen, [name], detectedAt);
		expect(more).toEqual([]);
		expect(event).toMatchObject({ event: name, siteId: 1042, siteName: 'Storholmen', detectedAt });
		expect(Object.keys(event!)).toEqual(Object.keys(production[name]!));
		expect(event!.changes.map((change) => Object.keys(change))).toEqual(
			production[name]!.changes.map((change) => Object.keys(change)),
		);
		if (name !== 'siteChanged') expect(event).toMatchObject({ unitId: 1, unit: pen1 });
		else expect(event!.site).toEqual(storholmen);
	});

	test.each<[unknown, number, number]>([
		[66.8, 66.801, 66.8],
		[90, 90.001, 90],
		[-90, -89.999, -90],
		// No latitude on earth, so the unit comes from the equator
		[91, 0.001, 91],
	])('of a unit at latitude %p comes from beside it', (latitude, before, after) => {
		const site = { ...storholmen, units: [{ ...pen1, latitude }] };
		const [event] = sampleEvents(site, ['unitChanged'], detectedAt);
		expect(event!.changes).toEqual([
			{ field: 'latitude', before: expect.closeTo(before, 9), after },
		]);
	});

	test('of a unit without a latitude comes from the equator', () => {
		for (const latitude of [null, '66.8']) {
			const site = { ...storholmen, units: [{ ...pen1, latitude }] };
			const [event] = sampleEvents(site, ['unitChanged'], detectedAt);
			expect(event!.changes).toEqual([{ field: 'latitude', before: 0.001, after: latitude }]);
		}
	});

	test('has the license of the site, and one of its own where it has none', () => {
		const licenseIn = (site: Site) =>
			sampleEvents(site, ['siteChanged'], detectedAt)[0]!.changes.map(({ before, after }) => [
				before,
				after,
			]);
		expect(licenseIn(storholmen)).toEqual([['SAMPLE-1042 (before)', 'SAMPLE-1042']]);
		expect(licenseIn({ info: { license: 7 } })).toEqual([['L-1 (before)', 'L-1']]);
	});

	test('of a site without units has a unit with a name', () => {
		expect(sampleEvents({}, ['unitAdded'], detectedAt)[0]).toMatchObject({
			unitId: 1,
			unitName: 'Unit 1',
		});
	});

	test('of each chosen kind comes once and in that order, from any site', () => {
		const chosen = fc.shuffledSubarray<SiteEventName>([...SITE_EVENTS]);
		fc.assert(
			fc.property(siteJson, chosen, (site, names) => {
				const told = sampleEvents(site, names, detectedAt).map(({ event }) => event);
				expect(told).toEqual(names);
			}),
		);
	});
});
