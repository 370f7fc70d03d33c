import fc from 'fast-check';
import { readSiteId, readSiteIds } from '../../../nodes/AquacultureSite/site/siteIds';
import { forAll } from '../../tools/helpers/fuzz';
import { attempt, refusalOf } from '../../tools/helpers/refusal';
import { anyJson, anyText } from '../../tools/helpers/site-json';

const WHOLE_NUMBER =
	'A site ID is a whole number: digits only, without zeros before it or spaces in it, e.g. 1042.';

/** The site IDs in a value of which all are right. */
function parseSiteIds(value: unknown): string[] {
	return readSiteIds(value).map((entry) => {
		if (typeof entry === 'string') return entry;
		throw entry;
	});
}

test.each<[string, unknown, string[]]>([
	['a list of texts as text', '["12", \'15\']', ['12', '15']],
	['a number', 1042, ['1042']],
	['zero', 0, ['0']],
	['fifteen digits', 123456789012345, ['123456789012345']],
	['a list of lists', [[12, '15'], ['18, 21']], ['12', '15', '18', '21']],
	['gaps in a list', [12, null, undefined, '', 15], ['12', '15']],
	['repeats, each once at its first place', '15 12 15 12', ['15', '12']],
	['a no-break space between two IDs', '1042\u00a01057', ['1042', '1057']],
	['a number as n8n shows it', '1\u00a0234\u2009056, 7\u202f042', ['1234056', '7042']],
	['with two or three digits first', '10\u00a0577, 105\u202f701', ['10577', '105701']],
	['a list of numbers as n8n shows them', ['1\u00a0457'], ['1457']],
	['marks that nobody sees', '\uFEFF1042\u200B, 1057\u00a0', ['1042', '1057']],
])('site IDs are accepted in every form that people have: %s', (_form, value, ids) => {
	expect(parseSiteIds(value)).toEqual(ids);
});

test.each([[''], ['[]'], [[[], [null]]], [null]])('there is no site ID in %j', (value) => {
	const { message, description } = refusalOf(() => parseSiteIds(value));
	expect(message).toBe("'Site IDs' is empty");
	expect(description).toMatch(/^Enter a site ID, e\.g\. 1042\./);
});

test.each<[string, unknown]>([
	['1.5', '1.5'],
	['１０４２', '１０４２'],
	['1234567890123456', '1234567890123456'],
	['042', '042'],
	['x', '[x]'],
	['{"id":1}', { id: 1 }],
	['-1', -1],
	['1.5', 1.5],
	// Cut where it is long
	['y'.repeat(40), 'y'.repeat(40)],
	[`${'y'.repeat(39)}…`, 'y'.repeat(41)],
])('what is not a site ID is refused and named: %s', (shown, value) => {
	const { message, description } = refusalOf(() => parseSiteIds(value));
	expect(message).toBe(`'Site IDs': "${shown}" is not a site ID`);
	expect(description).toBe(WHOLE_NUMBER);
});

test('any value gives digits alone, each ID once, or a sentence', () => {
	const part = fc.oneof(
		fc.nat().map(String),
		fc.bigInt({ min: 0n }).map(String),
		fc.stringMatching(/^[,;\n\t [\]"'/.?#%+\\\0\u00a0１-]$/),
		fc.constantFrom('..', '%2f'),
		anyText(3),
	);
	const list = fc.array(part).map((parts) => parts.join(''));
	forAll([fc.oneof(list, anyJson())], (value) => {
		const ids = attempt(() => parseSiteIds(value));
		if (ids instanceof Error) {
			expect(ids.message).toMatch(/^'Site IDs'(: "\P{Cc}+" is not a site ID.*| is empty)$/u);
			return;
		}
		expect(ids.length).toBeGreaterThan(0);
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of ids) expect(id).toMatch(/^(0|[1-9]\d{0,14})$/);
	});
});

test.each([
	['1 042', '042', 2, 2],
	['12 1,042 15', '042', 3, 4],
	['[12 000]', '000', 2, 2],
])('of a number such as %j, no part that begins with 0 is read', (value, shown, index, count) => {
	expect(refusalOf(() => parseSiteIds(value)).message).toBe(
		`'Site IDs': "${shown}" is not a site ID (entry ${index} of ${count})`,
	);
});

test('what is right in a list is kept beside what is not, in its order', () => {
	const entries = readSiteIds('1042, abc, 1063 x, 1042');
	expect(entries.map((entry) => (typeof entry === 'string' ? entry : entry.message))).toEqual([
		'1042',
		`'Site IDs': "abc" is not a site ID (entry 2 of 5)`,
		'1063',
		`'Site IDs': "x" is not a site ID (entry 4 of 5)`,
	]);
});

describe('where only one site ID is accepted', () => {
	test('one is accepted in every form, and repeated', () => {
		for (const value of [[1042], '1042, 1042']) expect(readSiteId(value)).toEqual(['1042']);
	});

	test.each(['12, 15', '1 042', 'x y'])('of several, Get Many is advised: %s', (value) => {
		const { message, description } = refusalOf(() => readSiteId(value));
		expect(message).toBe("'Site ID' accepts only one site ID");
		expect(description).toBe(
			"Enter a single ID. For several sites, set 'Operation' to 'Get Many', and enter the IDs there.",
		);
	});

	test('none and wrong ones are refused under the name of the field', () => {
		const empty = refusalOf(() => readSiteId(''));
		expect(empty.message).toBe("'Site ID' is empty");
		expect(empty.description).toMatch(/^Enter a site ID, e\.g\. 1042\./);
		expect(readSiteId('x')).toMatchObject([
			{ message: `'Site ID': "x" is not a site ID`, description: WHOLE_NUMBER },
		]);
	});
});
