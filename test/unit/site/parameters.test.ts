import { ParameterError, toNumber } from '../../../nodes/AquacultureSite/site/parameters';

test('a parameter error has a name of its own in logs, a message and advice', () => {
	const { name, message, description } = new ParameterError("'X' is empty", 'Enter an X.');
	expect([name, message, description]).toEqual(['ParameterError', "'X' is empty", 'Enter an X.']);
});

test.each<[unknown, unknown]>([
	['8', 8],
	[' 2.5 ', 2.5],
	['far', NaN],
	['', ''],
	[' ', ' '],
	[8, 8],
	[null, null],
])('%j as a number is %p', (value, number) => {
	expect(toNumber(value)).toEqual(number);
});
