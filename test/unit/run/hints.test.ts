import { runHints } from '../../../nodes/AquacultureSite/run/hints';

test.each<[string, Parameters<typeof runHints>, string[]]>([
	['nothing happened', [0, Infinity, 0], []],
	[
		'a pause',
		[1400, Infinity, 0],
		[
			"The service was busy: the run paused for 1 second in total. Lowering 'Max Concurrency' under 'Options' may prevent this.",
		],
	],
	[
		'a rate',
		[0, 12.4, 0],
		['Slowed to about 12 requests per second to stay within the rate limit'],
	],
	[
		'a low rate',
		[0, 0.2, 0],
		['Slowed to about 1 request per second to stay within the rate limit'],
	],
	['a retry', [0, Infinity, 1], ['Requests were retried once.']],
	['retries', [0, Infinity, 2], ['Requests were retried 2 times.']],
])('what a run reports: %s', (_, facts, hints) => {
	expect(runHints(...facts)).toEqual(hints);
});

test('all that happened is reported', () => {
	expect(runHints(1, 1, 1)).toHaveLength(3);
});
