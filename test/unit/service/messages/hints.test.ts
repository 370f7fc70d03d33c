import { runHints } from '../../../../nodes/AquacultureSite/service/messages/hints';

const NONE = new Map<string, number>();
const paused = (cause: string) => new Map([[cause, 1400]]);

test.each<[string, Parameters<typeof runHints>, string[]]>([
	['nothing happened', [NONE, Infinity, 0], []],
	...(
		[
			['login', 'because logins failed'],
			['401', 'because the access token was rejected'],
			['429', 'because the service limits requests'],
			['503', 'because the service was busy or unavailable (status 503)'],
			['The connection was lost', 'because the connection was lost'],
		] as const
	).map(([cause, reason]): [string, Parameters<typeof runHints>, string[]] => [
		`a pause for ${cause}`,
		[paused(cause), Infinity, 0],
		[`Paused for 1 second in total ${reason}.`],
	]),
	...(
		[
			[12.4, '12 requests per second'],
			[1, '1 request per second'],
			[0.14, '8 requests per minute'],
			[1 / 60, '1 request per minute'],
		] as const
	).map(([rate, requests]): [string, Parameters<typeof runHints>, string[]] => [
		`a rate of ${rate}`,
		[NONE, rate, 0],
		[`Slowed to about ${requests} to stay within the rate limit`],
	]),
	['a retry', [NONE, Infinity, 1], ['Requests were retried once.']],
	['retries', [NONE, Infinity, 2], ['Requests were retried 2 times.']],
])('what a run reports: %s', (_, facts, hints) => {
	expect(runHints(...facts)).toEqual(hints);
});

test('all that happened is reported', () => {
	expect(runHints(new Map([...paused('429'), ...paused('502')]), 1, 1)).toHaveLength(4);
});
