import fc from 'fast-check';
import { ParameterError } from '../../../nodes/AquacultureSite/service/failures';
import { parseSiteId, parseSiteIds } from '../../../nodes/AquacultureSite/site/siteIds';

function refusal(value: unknown, displayName?: string): ParameterError {
	try {
		const ids = parseSiteIds(value, displayName);
		throw new Error(`Taken for ${ids.join()}`);
	} catch (error) {
		expect(error).toBeInstanceOf(ParameterError);
		return error as ParameterError;
	}
}

describe('site IDs are taken in every form that people have', () => {
	test.each<[string, unknown, string[]]>([
		['one', '1042', ['1042']],
		['with spaces around', '  1042\n', ['1042']],
		['commas', '12,15,18', ['12', '15', '18']],
		['commas and spaces', '12, 15 18', ['12', '15', '18']],
		['semicolons, as a spreadsheet exports them', '12;15; 18', ['12', '15', '18']],
		['one per line', '12\n15\r\n18\n', ['12', '15', '18']],
		['tabs', '12\t15', ['12', '15']],
		['a separator too many', ',12,,15,', ['12', '15']],
		['a list as text', '[12, 15]', ['12', '15']],
		['a list of texts as text', '["12", \'15\']', ['12', '15']],
		['in quotes', '"12", "15"', ['12', '15']],
		['a list as text with spaces around', ' [12, 15]\n', ['12', '15']],
		['a number', 1042, ['1042']],
		['zero', 0, ['0']],
		['the greatest whole number', Number.MAX_SAFE_INTEGER, ['9007199254740991']],
		['a list of numbers', [12, 15], ['12', '15']],
		['a list of texts', ['12', ' 15 '], ['12', '15']],
		['a list of lists', [[12, '15'], ['18, 21']], ['12', '15', '18', '21']],
		['gaps in a list', [12, null, undefined, '', 15], ['12', '15']],
		['repeats, each once at its first place', '15 12 15 12', ['15', '12']],
		['leading zeros', '0012 12 000', ['12', '0']],
		['nineteen digits', '1234567890123456789', ['1234567890123456789']],
		['zeros before nineteen digits', '001234567890123456789', ['1234567890123456789']],
	])('%s', (_form, value, ids) => {
		expect(parseSiteIds(value)).toEqual(ids);
	});

	test.each<[string, unknown]>([
		['empty text', ''],
		['blanks', ' \n '],
		['separators only', ' , ; '],
		['an empty list', []],
		['an empty list as text', '[]'],
		['lists of nothing', [[], [null]]],
		['null', null],
		['nothing', undefined],
	])('nothing in it is told as such: %s', (_form, value) => {
		expect(refusal(value)).toMatchObject({
			message: "'Site IDs' is empty",
			description: expect.stringContaining('at least one site ID'),
		});
	});
});

describe('what is no site ID is named', () => {
	test.each<[string, unknown]>([
		['abc', 'abc'],
		['-5', '-5'],
		['+5', '+5'],
		['1.5', '1.5'],
		['1e3', '1e3'],
		['0x1F', '0x1F'],
		['../auth/token', '../auth/token'],
		['1042?$include=info', '1042?$include=info'],
		['1042#units', '1042#units'],
		['%31', '%31'],
		['１０４２', '１０４２'],
		['12345678901234567890', '12345678901234567890'],
		// What stands around an ID is taken away only where it stands on both sides
		['12]', '12]'],
		['[12', '[12'],
		['x[12]', 'x[12]'],
		['[12]x', '[12]x'],
		['"12', '"12'],
		['12"', '12"'],
		['x"12"', 'x"12"'],
		['"12"x', '"12"x'],
		[`"12'`, `"12'`],
		['{"id":1}', { id: 1 }],
		['true', true],
		['-1', -1],
		['1.5', 1.5],
		['9007199254740992', 2 ** 53],
		['null', NaN],
	])('%s', (shown, value) => {
		expect(refusal(value)).toMatchObject({
			message: `'Site IDs': "${shown}" is not a site ID`,
			description: expect.stringContaining('digits only'),
		});
	});

	test('with its place among several, and with the name of the field', () => {
		const several = refusal('12, x7, 15', 'Sites');
		expect(several.message).toBe(`'Sites': "x7" is not a site ID (entry 2 of 3)`);
		expect(refusal([12, [15, { id: 1 }]]).message).toContain('(entry 3 of 3)');
	});

	test('and is cut where it is long', () => {
		expect(refusal('y'.repeat(5000)).message).toContain(`"${'y'.repeat(40)}…"`);
		expect(refusal('y'.repeat(41)).message).toContain(`"${'y'.repeat(40)}…"`);
		expect(refusal('y'.repeat(40)).message).toContain(`"${'y'.repeat(40)}"`);
	});
});

/** Texts near to lists of site IDs, besides any other. */
const text = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: fc.constantFrom(...'0123456789,; \n\t[]"\'/.?#%-+\\\u0000\u00a0') }),
	fc
		.array(fc.oneof(fc.nat().map(String), fc.bigInt({ min: 0n }).map(String), fc.string()))
		.map((entries) => entries.join(', ')),
);

function expectIdsOrNamedEntry(value: unknown, entryCount?: number): void {
	let ids: string[];
	try {
		ids = parseSiteIds(value);
	} catch (error) {
		expect(error).toBeInstanceOf(ParameterError);
		const { message, description } = error as ParameterError;
		const named = /^'Site IDs': "[^]+" is not a site ID(?: \(entry (\d+) of (\d+)\))?$/.exec(
			message,
		);
		expect(named ?? message).toEqual(named ?? "'Site IDs' is empty");
		if (named?.[1]) {
			expect(Number(named[1])).toBeGreaterThan(0);
			expect(Number(named[1])).toBeLessThanOrEqual(Number(named[2]));
		}
		if (entryCount !== undefined) expect(Number(named?.[2] ?? entryCount)).toBe(entryCount);
		expect(description).not.toBe('');
		return;
	}
	expect(ids.length).toBeGreaterThan(0);
	expect(new Set(ids).size).toBe(ids.length);
	for (const id of ids) {
		expect(id).toMatch(/^(0|[1-9][0-9]{0,18})$/);
		expect(new URL(`https://api.example.com/meta/sites/${id}?a`).pathname).toBe(
			`/meta/sites/${id}`,
		);
	}
}

describe('whatever is put in', () => {
	test('any text gives digits alone, or names the entry', () => {
		fc.assert(fc.property(text, (value) => expectIdsOrNamedEntry(value)));
	});

	test('any JSON gives digits alone, or names the entry', () => {
		fc.assert(fc.property(fc.jsonValue(), (value) => expectIdsOrNamedEntry(value)));
	});

	test('IDs come back in their order, whatever separates them', () => {
		const separator = fc.constantFrom(',', ';', ' ', '\n', ', ', ' ;\t', ',,');
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.nat(), { minLength: 1 }),
				fc.infiniteStream(separator),
				(ids, separators) => {
					const list = ids.reduce((joined, id) => `${joined}${separators.next().value}${id}`, '');
					expect(parseSiteIds(list)).toEqual(ids.map(String));
					expect(parseSiteIds(ids)).toEqual(ids.map(String));
				},
			),
		);
	});

	test('the first entry that is no ID is the one that is named', () => {
		const word = fc.stringMatching(/^[a-z/.]{1,40}$/);
		fc.assert(
			fc.property(fc.array(fc.nat(), { minLength: 1 }), word, word, (ids, wrong, alsoWrong) => {
				const { message } = refusal([...ids, wrong, alsoWrong].join(' '));
				expect(message).toContain(
					`"${wrong}" is not a site ID (entry ${ids.length + 1} of ${ids.length + 2})`,
				);
			}),
		);
	});
});

describe('where one site is asked for', () => {
	test.each<[unknown, string]>([
		['1042', '1042'],
		[' 1042 ', '1042'],
		['[1042]', '1042'],
		[[1042], '1042'],
		[1042, '1042'],
		['1042, 1042', '1042'],
	])('%j is one', (value, id) => {
		expect(parseSiteId(value)).toBe(id);
	});

	test('several are refused, with the operation that takes them', () => {
		expect(() => parseSiteId('12, 15')).toThrow("'Site ID' accepts only one site ID");
		expect(() => parseSiteId('12, 15')).toThrow(
			expect.objectContaining({ description: expect.stringContaining("'Get Many'") }),
		);
	});

	test('none and wrong ones are told with the name of the field', () => {
		expect(() => parseSiteId('')).toThrow("'Site ID' is empty");
		expect(() => parseSiteId('x')).toThrow(`'Site ID': "x" is not a site ID`);
		expect(() => parseSiteId('1\u00002')).toThrow(`'Site ID': "1\uFFFD2" is not a site ID`);
	});
});
