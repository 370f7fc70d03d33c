import {
	listEntries,
	ParameterError,
	parseNumber,
} from '../../../nodes/AquacultureSite/utils/parameters';
import { refusalOf } from '../../tools/helpers/refusal';

test('a parameter error has a name of its own in logs, a message and advice', () => {
	const { name, message, description } = new ParameterError("'X' is empty", 'Enter an X.');
	expect([name, message, description]).toEqual(['ParameterError', "'X' is empty", 'Enter an X.']);
});

describe('a number', () => {
	const parse = (value: unknown) =>
		parseNumber(value, 'Depth', 'a depth in meters', (meters) => meters >= 0);

	test.each<[unknown, number]>([
		['8', 8],
		[' 2.5 ', 2.5],
		[8, 8],
	])('%j is %d', (value, number) => {
		expect(parse(value)).toBe(number);
	});

	test.each([['far'], [''], [' '], [null], [true], [[5]], [NaN], [-1], ['-1']])(
		'%j is refused',
		(value) => {
			const { message, description } = refusalOf(() => parse(value));
			expect(message).toBe("'Depth' is not a depth in meters");
			expect(description).toBe("Correct it, or remove 'Depth' from 'Options'.");
		},
	);
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
		expect(listEntries(value)).toEqual(['license', 'unitName', 'info.type']);
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
