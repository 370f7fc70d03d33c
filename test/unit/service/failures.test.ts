import {
	formatDuration,
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../../../nodes/AquacultureSite/service/failures';

test.each([
	['run', true],
	['request', false],
])('a wait that is too long for the %s', (scope, isOfRun) => {
	const failure = new ServiceFailure('No', 'Fix it', {
		...{ subject: 'service', retry: 'overloaded', httpStatus: 503, retryAfter: 7_200_000 },
	});
	expect(waitTooLong(failure, 60_000, isOfRun)).toMatchObject({
		message: 'The service asked to retry after 2 hours',
		description: 'Try again in 2 hours. The node waits at most 60 seconds.',
		advice: expect.arrayContaining([
			{ inOptions: 'If this happens often, run the workflow less often.' },
		]) as unknown,
		subject: 'service',
		scope,
		retry: 'no',
		httpStatus: 503,
	});
});

test.each([
	[0, '0 sites were'],
	[1, '1 site was'],
])('a site that was not requested after %i others', (sitesRead, read) => {
	const last = new ServiceFailure('No', 'Fix it', { subject: 'site', retry: 'retry' });
	expect(notRequested(last, sitesRead)).toMatchObject({
		message: 'Not requested because the service is not responding',
		description: `${read} read before that. No. Fix it`,
		...{ subject: 'site', retry: 'no', scope: 'request' },
	});
});

test('a failure has a name for logs, and nothing by which n8n would replace its message', () => {
	const failure = new ServiceFailure('No', 'Fix it', { subject: 'site', httpStatus: 404 });
	expect(String(failure)).toBe('ServiceFailure: No');
	for (const name of ['status', 'statusCode', 'httpCode', 'code', 'response', 'cause']) {
		expect(failure).not.toHaveProperty(name);
	}
});

test.each([
	[0, '1 second'],
	[1000, '1 second'],
	[1600, '2 seconds'],
	[119_000, '119 seconds'],
	[120_000, '2 minutes'],
	[3_600_000, '60 minutes'],
	[7_199_000, '120 minutes'],
	[7_200_000, '2 hours'],
	[86_400_000, '24 hours'],
])('%i ms is %s', (milliseconds, words) => {
	expect(formatDuration(milliseconds)).toBe(words);
});
