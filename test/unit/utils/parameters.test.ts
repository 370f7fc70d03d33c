import {
	type Field,
	listEntries,
	ParameterError,
	Parameters,
} from '../../../nodes/AquacultureSite/utils/parameters';
import { attempt } from '../../tools/helpers/refusal';

const ADVICE = 'Correct it. If an expression supplies it, check what the expression returns.';

/** What a field makes of a value: its meaning, or what the message says of it. */
function read(type: keyof typeof FIELDS, value: unknown): unknown {
	const field = { displayName: 'X', name: 'x', default: 'file', ...FIELDS[type] };
	const result = attempt(() => new Parameters(() => value).read(field as Field<'options'>));
	if (!(result instanceof ParameterError)) return result;
	expect(result).toMatchObject({ name: 'ParameterError', description: ADVICE });
	return result.message;
}

const options = [
	{ name: 'File', value: 'file' },
	{ name: 'GeoJSON Data', value: 'json' },
];
const FIELDS = {
	boolean: { type: 'boolean' },
	whole: { type: 'number', typeOptions: { minValue: 1, maxValue: 500, numberPrecision: 0 } },
	number: { type: 'number', typeOptions: { minValue: 0 } },
	text: { type: 'string' },
	choice: { type: 'options', options },
	choices: { type: 'multiOptions', options },
	some: { type: 'multiOptions', required: true, options },
};

test.each<[keyof typeof FIELDS, unknown, unknown]>([
	['boolean', 'TRUE ', true],
	['boolean', 1, true],
	['boolean', 'False', false],
	['boolean', 0, false],
	['whole', ' 8 ', 8],
	['whole', 1, 1],
	['whole', 500, 500],
	['number', '2.5', 2.5],
	['text', 'x y', 'x y'],
	['text', 7, '7'],
	['choice', ' geojson DATA', 'json'],
	['choice', 'geojsonData', 'json'],
	['choice', ['FILE'], 'file'],
	['choices', 'geojson data; File, file', ['file', 'json']],
	['choices', 'json file', ['file', 'json']],
	['choices', 'geojson data; , json file', ['file', 'json']],
	['choices', '["JSON"]', ['json']],
	['choices', [[' JSON ']], ['json']],
	['choices', '', []],
	['choices', [], []],
	['some', 'json', ['json']],
])('%s: %j means %j', (type, value, meaning) => {
	expect(read(type, value)).toEqual(meaning);
});

test.each<[keyof typeof FIELDS, unknown, string]>([
	['boolean', 'yes', 'true or false, not "yes"'],
	['boolean', undefined, 'true or false, not empty'],
	['boolean', [true], 'true or false, not [true]'],
	['whole', 0, 'a whole number from 1 to 500, not 0'],
	['whole', '501', 'a whole number from 1 to 500, not "501"'],
	['whole', 1.5, 'a whole number from 1 to 500, not 1.5'],
	['whole', ' ', 'a whole number from 1 to 500, not " "'],
	['whole', true, 'a whole number from 1 to 500, not true'],
	['number', -1, 'a number of at least 0, not -1'],
	['number', Infinity, 'a number of at least 0, not null'],
	['number', '', 'a number of at least 0, not empty'],
	['number', ' ', 'a number of at least 0, not " "'],
	['number', null, 'a number of at least 0, not empty'],
	['number', [5], 'a number of at least 0, not [5]'],
	['text', '', 'text, not empty'],
	['text', { a: 1 }, 'text, not {"a":1}'],
	['choice', 'file json', 'one of File, GeoJSON Data, not "file json"'],
	['choice', null, 'one of File, GeoJSON Data, not empty'],
	['choices', 'file, constructor', 'one or more of File, GeoJSON Data, not "file, constructor"'],
	['choices', [null], 'one or more of File, GeoJSON Data, not [null]'],
	['some', [], 'one or more of File, GeoJSON Data, not []'],
	['text', [`<b>${'y'.repeat(50)}`], `text, not ["‹b›${'y'.repeat(34)}…`],
])('%s: %j gets a sentence', (type, value, sentence) => {
	expect(read(type, value)).toBe(`'X' must be ${sentence}`);
});

test('the entries of a collection are parameters; those that are absent have their defaults', () => {
	const get = (name: string, fallback: unknown) =>
		name === 'options' ? { text: 'a', none: undefined } : fallback;
	const field = (name: string) => ({ displayName: name, name, default: 'b' }) as Field<'string'>;
	const collection: Field<'collection'> = { ...field('options'), type: 'collection' };
	const parameters = new Parameters(get).read(collection);
	expect(['text', 'none', 'other'].map((name) => parameters.raw(field(name)))).toEqual([
		'a',
		undefined,
		'b',
	]);
});

describe('the entries of a list', () => {
	test.each<[unknown]>([
		['license, unitName info.type'],
		['license; unitName;info.type;'],
		[' license\nunitName\r\ninfo.type\n'],
		['["license", \'unitName\', info.type]'],
		['license\u00a0unit\u200BName,\tinfo.type'],
		[['license', ['unitName , info.type']]],
	])('are separated as people separate them: %j', (value) => {
		const entries = ['license', 'unitName', 'info.type'];
		expect(listEntries(value)).toEqual(entries);
		const field: Field<'string'> = { displayName: 'X', name: 'x', type: 'string', default: '' };
		expect(new Parameters(() => value).words(field)).toEqual(entries);
		expect(() => new Parameters(() => [value, {}]).words(field)).toThrow("'X' must be text, not [");
	});

	test.each<[unknown, string[]]>([
		[undefined, []],
		[null, []],
		[' ; ', []],
		['[]', []],
		[[[], [null, '']], []],
		[7, ['7']],
		[
			[7, { id: 8 }],
			['7', '{"id":8}'],
		],
	])('of %j are %j', (value, entries) => {
		expect(listEntries(value)).toEqual(entries);
	});
});
