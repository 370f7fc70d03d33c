import { runHints } from '../../../../nodes/AquacultureSite/service/messages/hints';

const NONE = new Map<string, number>();
const paused = (cause: string) => new Map([[cause, 1400]]);

test.each([
	['login', 'because logins failed'],
	['401', 'because the access token was rejected'],
	['429', 'because the service limits requests'],
	['503', 'because the service was busy or unavailable (status 503)'],
	['The connection was lost', 'because the connection was lost'],
])('a pause for %s is reported', (cause, reason) => {
	const hints = runHints(paused(cause), Infinity, 0);
	expect(hints).toEqual([`Paused for 1 second in total ${reason}.`]);
});

test.each([
	[12.4, '12 requests per second'],
	[1, '1 request per second'],
	[0.14, '8 requests per minute'],
	[1 / 60, '1 request per minute'],
])('a rate of %d is reported', (rate, requests) => {
	const hints = runHints(NONE, rate, 0);
	expect(hints).toEqual([`Slowed to about ${requests} to stay within the rate limit.`]);
});

test('retries are reported, and nothing if nothing happened', () => {
	const hintsAfter = (retries: number) => runHints(NONE, Infinity, retries);
	expect(hintsAfter(0)).toEqual([]);
	expect(hintsAfter(1)).toEqual(['Requests were retried once.']);
	expect(hintsAfter(2)).toEqual(['Requests were retried 2 times.']);
});

test('all that happened is reported', () => {
	expect(runHints(new Map([...paused('429'), ...paused('502')]), 1, 1)).toHaveLength(4);
});
