import { toWords } from '../../../../nodes/AquacultureSite/service/messages/advice';
import {
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../../../../nodes/AquacultureSite/service/messages/failures';

test.each(['run', 'request'] as const)('a wait that is too long for the %s', (scope) => {
	const failure = new ServiceFailure('No', 'Fix it', {
		...{ subject: 'service', scope, mayPass: true, httpStatus: 503, retryAfter: 7_200_000 },
	});
	const tooLong = waitTooLong(failure, 60_000);
	expect(toWords(tooLong.advice, { hasOptions: true })).toMatch(/If this happens often, run/);
	expect(tooLong).toMatchObject({
		message: 'The service asked to retry after 2 hours',
		description: 'Try again in 2 hours. The node waits at most 60 seconds.',
		subject: 'service',
		scope,
		mayPass: false,
		httpStatus: 503,
	});
});

test.each([
	[undefined, 0, 'not responding', '0 sites were'],
	[503, 1, 'unavailable', '1 site was'],
	[429, 2, 'refusing requests', '2 sites were'],
])('a site that was not requested after a %s', (httpStatus, sitesRead, state, read) => {
	const last = new ServiceFailure('No', 'Fix it', { subject: 'site', mayPass: true, httpStatus });
	expect(notRequested(last, sitesRead)).toMatchObject({
		message: `Not requested because the service is ${state}`,
		description: `${read} read before that. No. Fix it`,
		...{ subject: 'site', mayPass: false, scope: 'run', httpStatus },
	});
});
