import type { INodeProperties } from 'n8n-workflow';
import { AquacultureApi } from '../../../credentials/AquacultureApi.credentials';
import { AquacultureSiteTrigger } from '../../../nodes/AquacultureSite/AquacultureSiteTrigger.node';
import {
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../../../nodes/AquacultureSite/service/messages/failures';
import { networkFailure } from '../../../nodes/AquacultureSite/service/messages/networkFailures';
import {
	readSiteResponse,
	readTokenResponse,
} from '../../../nodes/AquacultureSite/service/messages/response';
import {
	latenessReport,
	outageReport,
	refusedSitesReport,
	toTriggerFailure,
	type UnreadableSite,
	unreadableSitesReport,
} from '../../../nodes/AquacultureSite/trigger/reports';
import { newSite } from '../../../nodes/AquacultureSite/trigger/state';
import {
	CODES,
	type Example,
	PROXY_EXAMPLES,
	responseOf,
	SITE_EXAMPLES,
	TOKEN_EXAMPLES,
} from '../../tools/cases/examples';

const ADDRESS = 'https://api.example.com';
const NETWORK = [
	...Object.values(CODES).flatMap((codes) => codes.split(' ').map((code) => ({ code }))),
	{ message: 'getaddrinfo ENOTFOUND proxy' },
	{ message: 'Proxy connection ended before receiving CONNECT response' },
	{ message: 'Blocked' },
];
/** Whatever can keep a poll from a site. */
function allFailures(): ServiceFailure[] {
	const examples = [TOKEN_EXAMPLES, SITE_EXAMPLES, PROXY_EXAMPLES].flatMap((all) =>
		Object.values<Example[]>(all).flat(),
	);
	const responses = examples.flatMap(({ forms }) => Object.values(forms).map(responseOf));
	const failures = [
		...responses.flatMap((response) => [
			readTokenResponse(response, { url: ADDRESS, password: 'sample' }),
			readTokenResponse(response, { url: 'http://api.example.com', password: ' sample' }),
			readSiteResponse('1042', response, { scope: 'run', secrets: [] }),
			readSiteResponse('1042', response, { scope: 'request', secrets: [] }),
		]),
		...NETWORK.map((error) => networkFailure(error, ADDRESS)),
		...[429, 503].map(longWait),
	].filter((failure) => failure instanceof ServiceFailure);
	return [...failures, ...failures.map((failure) => notRequested(failure, 2))];
}

/** What comes of a Retry-After of an hour. */
function longWait(httpStatus: number): ServiceFailure {
	const details = { subject: 'service', scope: 'run', retryAfter: 3_600_000, httpStatus } as const;
	return waitTooLong(new ServiceFailure('No', 'Wait', details), 30_000);
}

/** All that the trigger makes of a failure. */
function* reportsOf(failure: ServiceFailure): Generator<ServiceFailure> {
	yield toTriggerFailure(failure, 'Fetch a test event again');
	const worded = toTriggerFailure(failure);
	const site = { site: { ...newSite('1042'), failedPolls: 3 }, failure: worded };
	yield* [refusedSitesReport([site]), refusedSitesReport([site, site])];
	yield* [unreadableSitesReport([site]), outageReport(worded, 3), latenessReport(10, 5, 20)];
}

/** The names that stand in a panel. */
function labelsOf(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...labelsOf(options.filter((option) => 'displayName' in option && 'type' in option)),
	]);
}

test('the advice names only what the trigger and its credential have', () => {
	const labels = labelsOf([
		...new AquacultureSiteTrigger().description.properties,
		...new AquacultureApi().properties,
	]).concat(
		// n8n adds it, as test/engine/descriptions.test.ts shows
		'Poll Times',
	);
	const named = new Set<string>();
	for (const failure of allFailures()) {
		for (const { message, description: advice } of reportsOf(failure)) {
			for (const [, name = ''] of `${message} ${advice}`.matchAll(/'([A-Z][^']*)'/g))
				named.add(name);
			// Neither what only the node does, nor what somebody has to do again whom nobody told what
			expect(advice).not.toMatch(/run the workflow|try again|input item/i);
			expect(advice).not.toMatch(/undefined|[{}]|\.\.|[^.]" [A-Z]|^\s|\s$| {2}/);
		}
	}
	expect([...named].filter((name) => !labels.includes(name))).toEqual([]);
	expect([...named]).toEqual(expect.arrayContaining(['Base URL', 'Poll Times', 'Site IDs']));
});

/** Sites that could not be read, each for the reason of its own letter; those that were read before have a name. */
const sitesWith = (
	names: string[],
	reasons = 'A'.repeat(names.length),
	polls = 3,
): UnreadableSite[] =>
	names.map((name, index) => {
		const details = { subject: 'site', httpStatus: 403 + index } as const;
		const failure = new ServiceFailure(`Reason ${reasons[index]}`, 'Advice.', details);
		const isId = /^\d+$/.test(name);
		const site = { ...newSite(isId ? name : '7'), failedPolls: polls + index };
		return { site: isId ? site : { ...site, snapshot: { siteName: name } }, failure };
	});
const COULD_NOT = 'could not be read in the last 3 checks';

/** How each report names its sites: no more than a person reads. */
const TITLES: Record<string, ServiceFailure> = {
	[`Site 42 ${COULD_NOT}`]: unreadableSitesReport(sitesWith(['42'])),
	[`Sør (7) ${COULD_NOT}`]: unreadableSitesReport(sitesWith(['Sør'])),
	[`42 Sør (7) ${COULD_NOT}`]: unreadableSitesReport(sitesWith(['42 Sør'])),
	[`Sites 1 and Sør (7) ${COULD_NOT}`]: unreadableSitesReport(sitesWith(['1', 'Sør'])),
	[`‹b›Sør øy‹/b› (7) ${COULD_NOT}`]: unreadableSitesReport(sitesWith(['<b>Sør\u0007øy</b>'])),
	[`Sites 1, 2, 3, 4, 5, and 2 more ${COULD_NOT}`]: unreadableSitesReport(
		sitesWith(['1', '2', '3', '4', '5', '6', '7']),
	),
	'Reason A': refusedSitesReport(sitesWith(['42'])),
	'Sites 1, 2, and 3 cannot be read': refusedSitesReport(sitesWith(['1', '2', '3'], 'ABA')),
};

test.each(Object.entries(TITLES))('%s', (expected, { message }) => {
	expect(message).toBe(expected);
});

const OTHERS = 'The other sites are still read, and';

/** What each report says: every reason once, and no more than three. */
const REASONS: Record<string, ServiceFailure> = {
	'Advice.': refusedSitesReport(sitesWith(['1'])),
	'Reason A. Advice. Reason B. Advice.': refusedSitesReport(sitesWith(['1', '2', '3'], 'ABA')),
	[`Reason A. Advice. ${OTHERS} this one is tried again later.`]: unreadableSitesReport(
		sitesWith(['1']),
	),
	[`Reason A. Advice. ${OTHERS} these are tried again later.`]: unreadableSitesReport(
		sitesWith(['1', '2']),
	),
	[`Reason A. Advice. Reason B. Advice. Reason C. Advice. ${OTHERS} these are tried again later.`]:
		unreadableSitesReport(sitesWith(['1', '2', '3', '4', '5'], 'ABACD')),
};

test.each(Object.entries(REASONS))('%s', (expected, failure) => {
	expect(failure.description).toBe(expected);
	expect(failure.httpStatus).toBe(403);
});

test("against a rate limit, the trigger's own fields help, unless a person tries it out", () => {
	const refused = new ServiceFailure('Refused', 'Wait.', { subject: 'service', httpStatus: 429 });
	expect(toTriggerFailure(refused).description).toMatch(/remove sites .* 'Poll Times'\.$/);
	expect(toTriggerFailure(refused, 'Fetch again').description).toBe('Wait.');
});

test('that no site can be read, with its reason', () => {
	const reason = new ServiceFailure('No response', 'Advice.', {
		subject: 'service',
		httpStatus: 500,
	});
	expect(outageReport(reason, 3)).toMatchObject({
		message: 'No site could be read in the last 3 checks',
		description: 'No response. Advice. The trigger tries again at each check.',
		...{ subject: 'service', httpStatus: 500 },
	});
});

test('that a list is too long, with what to do', () => {
	expect(latenessReport(10, 28, 40)).toMatchObject({
		message: 'Reading all 40 sites takes more than 10 checks',
		description: `28 sites are still unread, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. Remove sites from 'Site IDs', choose longer intervals under 'Poll Times', or ask the service operator for a higher limit.`,
		subject: 'service',
	});
});
