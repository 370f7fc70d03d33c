import { parseRetryAfter } from '../../../../nodes/AquacultureSite/service/messages/response';

// RFC 9110, section 10.2.3: Retry-After

const NOW = 'Sun, 06 Nov 1994 08:49:07 GMT';

const parse = (value: unknown, date: unknown = NOW) =>
	parseRetryAfter({ 'retry-after': value, date });

test.each<[unknown, number]>([
	['0', 0],
	[' 120 ', 120_000],
	// The three forms of an HTTP-date (RFC 9110, section 5.6.7)
	['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
	['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
	['Sun Nov  6 08:49:37 1994', 30_000],
	['Tue, 08 Nov 1994 08:49:07 GMT', 172_800_000],
	// A date in the past means now
	['Sat, 05 Nov 1994 08:49:37 GMT', 0],
])('%j is %i ms', (value, milliseconds) => {
	expect(parse(value)).toBe(milliseconds);
});

test('anything else is none', () => {
	const others: unknown[] = [
		...[undefined, null, '', 120, ['5'], {}, [[]], { toString: 'x' }, [{ toString: 'x' }]],
		...['soon', '-5', '1.5', '5s', '1e3', 'Later 5', 'Sunday', 'Sun 5', '1994-11-06T08:49:37Z'],
		...['Sun, 99 Nov 1994 08:49:37 GMT', 'On Sun, 06 Nov 1994 08:49:37 GMT'],
	];
	expect(others.filter((value) => parse(value) !== undefined)).toEqual([]);
});

test('a date without a zone is in GMT, wherever n8n runs', () => {
	// jest.config.js sets the zone of all tests
	expect(new Date(NOW).getTimezoneOffset()).toBe(210);
	expect(parse('Sun Nov  6 08:49:37 1994', 'Sun Nov  6 08:49:07 1994')).toBe(30_000);
});

test.each([null, '', 'now'])('with %j for a Date, the own clock counts', (date) => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse('1994-11-06T08:49:30Z'));
	expect(parse('Sun, 06 Nov 1994 08:49:37 GMT', date)).toBe(7000);
});
