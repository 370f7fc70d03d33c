import fc from 'fast-check';
import type { Row, Site, Unit } from '../../../nodes/AquacultureSite/site/site';
import { compareSites, type Difference } from '../../../nodes/AquacultureSite/trigger/changes';
import { DEFAULT_EVENTS, toEvents } from '../../../nodes/AquacultureSite/trigger/events';
import { asText } from '../../../nodes/AquacultureSite/utils/text';
import { at } from '../../tools/helpers/at';
import { forAll } from '../../tools/helpers/fuzz';

/** Chooses one of the values, as fast-check says. */
type Choose = <T>(...values: [T, ...T[]]) => T;
const choices = fc.infiniteStream(fc.nat(999)).map(
	(numbers): Choose =>
		(...values) =>
			at(values, numbers.next().value % values.length),
);

function shuffled<T>(list: T[], choose: Choose): T[] {
	return list.reduce<T[]>((done, entry) => {
		done.splice(choose(0, done.length, Math.floor(done.length / 2)), 0, entry);
		return done;
	}, []);
}

/** The same value as another version of a service might send it. */
function respell(value: unknown, choose: Choose): unknown {
	if (value === null) return choose(null, '', ' ');
	if (typeof value === 'number') return choose<unknown>(value, String(value), `${value} `);
	if (Array.isArray(value)) return value.map((entry) => respell(entry, choose));
	if (typeof value === 'object') return respellRow(value as Row, choose);
	if (typeof value !== 'string') return value;
	const text = value.normalize(choose('NFC', 'NFD'));
	return choose('', ' ', '\u00a0') + text + choose('', ' ', '\n');
}

function respellRow(row: Row, choose: Choose): Row {
	const entries = Object.entries({ owner: null, ...row })
		.filter(([, entry]: [string, unknown]) => entry !== null || choose(true, false))
		.map(([name, entry]) => [name, respell(entry, choose)] as const);
	return Object.fromEntries(shuffled(entries, choose));
}

interface Farm extends Site {
	siteName: string;
	info: Row;
	units: Unit[];
}

function respellSite({ siteName, units, info, ...own }: Farm, choose: Choose): Site {
	const rows = units.flatMap((unit) => {
		// Some rows come twice
		const row = respellRow(unit, choose);
		return choose([row], [row, respellRow(unit, choose)]);
	});
	const parts = { info: respellRow(info, choose), units: shuffled(rows, choose) };
	return choose<Site>(
		{ ...respellRow({ siteName, ...own }, choose), ...parts },
		{ ...parts, ...respellRow(own, choose) },
	);
}

const text = fc.constantFrom('Storhølmen', 'Ålesund é', 'Pen 1', '007', '1.10', '12 5');
const number = fc.constantFrom(0, -7, 12.5, 0.1 + 0.2, 7800);
const value = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const any = fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.dictionary(text, value));
const place = { latitude: fc.constantFrom(60, 61.25), longitude: fc.constantFrom(5, 6.5) };
const unit = fc.record({
	unitId: fc.integer({ min: 1, max: 9 }),
	unitName: value,
	note: any,
	...place,
});
const farm: fc.Arbitrary<Farm> = fc.record({
	siteId: fc.constant(1042),
	siteName: text,
	info: fc.record({ license: value, maxTotalBiomass: fc.constantFrom(0, null, 7800), ...place }),
	units: fc.uniqueArray(unit, { minLength: 1, maxLength: 4, selector: ({ unitId }) => unitId }),
	note: any,
});

/** In any order. */
const textsOf = (differences: Difference[]) =>
	toEvents(differences, DEFAULT_EVENTS, '')
		.map(({ event, unit = {}, changes }) => {
			const fields = changes.map(({ field }) => field).sort();
			return [event, asText(unit.unitId)?.trim() ?? '', ...fields].join(' ');
		})
		.sort();

test('polls find what has really changed, if anything, and nothing else, in any spelling', () => {
	const changed = fc.subarray(['siteName', 'info', 'units', 'note'] as const);
	const distance = fc.constantFrom(0, 100);
	const all = [farm, farm, changed, choices, distance] as const;
	forAll([...all], (unique, other, names, choose, minimumDistance) => {
		// Two units with one ID
		const twin = { ...unique.units[0], unitName: 'Twin', latitude: 62 };
		const site = { ...unique, units: [...unique.units, twin] };
		const after = { ...site, ...Object.fromEntries(names.map((name) => [name, other[name]])) };
		const inOneSpelling = compareSites(site, after, { minimumDistance });
		// The name is there whenever it may have changed
		const [first, second] = [site, after].map((each): Site => {
			return { ...respellSite(each, choose), siteName: respell(each.siteName, choose) };
		}) as [Site, Site];
		const { differences, baseline } = compareSites(first, second, { minimumDistance });
		expect(textsOf(differences)).toEqual(textsOf(inOneSpelling.differences));
		const later = compareSites(baseline, respellSite(after, choose), { minimumDistance });
		expect(later.differences).toEqual([]);
	});
});
