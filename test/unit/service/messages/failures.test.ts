import { toWords } from '../../../../nodes/AquacultureSite/service/messages/advice';
import {
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../../../../nodes/AquacultureSite/service/messages/failures';

test.each([
	['run', true],
	['request', false],
])('a wait that is too long for the %s', (scope, isOfRun) => {
	const failure = new ServiceFailure('No', 'Fix it', {
		...{ subject: 'service', retry: 'overloaded', httpStatus: 503, retryAfter: 7_200_000 },
	});
	const tooLong = waitTooLong(failure, 60_000, isOfRun);
	expect(toWords(tooLong.advice, { hasOptions: true })).toMatch(/If this happens often, run/);
	expect(tooLong).toMatchObject({
		message: 'The service asked to retry after 2 hours',
		description: 'Try again in 2 hours. The node waits at most 60 seconds.',
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
