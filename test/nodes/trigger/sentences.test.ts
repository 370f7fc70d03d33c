import type { INodeProperties, INodeType } from 'n8n-workflow';
import {
	connectionFailure,
	notSent,
	proxyClosed,
	proxyUnreachable,
} from '../../../nodes/AquacultureSite/service/connectionFailures';
import {
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../../../nodes/AquacultureSite/service/failures';
import { readSiteResponse, tokenFailure } from '../../../nodes/AquacultureSite/service/response';
import {
	type BlindSpot,
	failingSites,
	nothingRead,
	refusedSites,
	slowRound,
	wordFor,
} from '../../../nodes/AquacultureSite/trigger/sentences';
import { createEngine } from '../../engine/engine';
import { defined } from '../../helpers/at';

const ADDRESS = 'https://api.example.com';
const PAGE = '<!DOCTYPE html><html></html>';

const STATUSES = [200, 302, 400, 401, 403, 404, 407, 422, 429, 500, 502, 503, 504, 511];
const BODIES = ['', PAGE, { message: 'Quota is used up' }];
const HEADERS = [{}, { 'retry-after': '300' }, { 'proxy-agent': 'p' }];
const CODES = [
	...['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'EPROTO', 'ECONNRESET'],
	...['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'],
];

/** Whatever can keep a poll from a site. */
function allFailures(): ServiceFailure[] {
	const responses = STATUSES.flatMap((statusCode) =>
		BODIES.flatMap((body) => HEADERS.map((headers) => ({ statusCode, body, headers }))),
	);
	const failures = [
		...responses.flatMap((response) => [
			tokenFailure(response, []),
			readSiteResponse('1042', response, { secrets: [], isClosed: false }),
			readSiteResponse('1042', response, { secrets: [], isClosed: true }),
		]),
		...CODES.map((code) => connectionFailure([code], ADDRESS)),
		...[429, 503].map((status) => waitTooLong(3_600_000, 30_000, status)),
		...[proxyUnreachable('proxy:3128'), proxyClosed(ADDRESS), notSent('Blocked', ADDRESS)],
	].filter((failure) => failure instanceof ServiceFailure);
	return [...failures, ...failures.map((failure) => notRequested(failure, 2))];
}

/** All that the trigger makes of a failure. */
function* reportsOf(failure: ServiceFailure): Generator<ServiceFailure> {
	yield wordFor('test', failure);
	yield wordFor('activation', failure);
	const worded = wordFor('schedule', failure);
	const spot = { siteId: '1042', title: 'Storholmen', wasRead: false, failure: worded, polls: 3 };
	yield* [refusedSites([spot]), refusedSites([spot, spot]), failingSites([spot])];
	yield* [nothingRead(worded, 1), nothingRead(worded, 3), slowRound(10, 5, 20)];
}

/** The names that stand in a panel. */
function labelsOf(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...labelsOf(options.filter((option) => 'displayName' in option && 'type' in option)),
	]);
}

test('the advice names only what the trigger and its credential have', async () => {
	const { nodes, credentials } = (await createEngine()).types;
	const { description } = nodes['n8n-nodes-aquaculture.aquacultureSiteTrigger'] as INodeType;
	const labels = labelsOf([
		...description.properties,
		...defined(credentials.aquacultureApi).properties,
	]);
	const named = new Set<string>();
	for (const failure of allFailures()) {
		for (const { message, description: advice } of reportsOf(failure)) {
			for (const [, name = ''] of `${message} ${advice}`.matchAll(/'([A-Z][^']*)'/g))
				named.add(name);
			// Neither what only the node does, nor what somebody has to do again whom nobody told what
			expect(advice).not.toMatch(/run the workflow|try again|input item/i);
			expect(advice).not.toMatch(/undefined|[{}]|\.\.|" [A-Z]|^\s|\s$| {2}/);
		}
	}
	expect([...named].filter((name) => !labels.includes(name))).toEqual([]);
	expect([...named]).toEqual(expect.arrayContaining(['Base URL', 'Poll Times', 'Site IDs']));
});

const unavailable = (status: number, headers = {}) =>
	readSiteResponse(
		'1042',
		{ statusCode: status, headers, body: '' },
		{
			...{ secrets: [], isClosed: false },
		},
	) as ServiceFailure;
const OPERATOR = 'contact the service operator.';
const HIGHER = 'ask the service operator for a higher limit.';
const FEWER = "Or remove sites from 'Site IDs', or choose longer intervals under 'Poll Times'.";

test.each([
	['test', 500, `Fetch a test event again later; if this persists, ${OPERATOR}`],
	['activation', 500, `Publish the workflow again later; if this persists, ${OPERATOR}`],
	['schedule', 500, `If this persists, ${OPERATOR}`],
	['test', 429, `Fetch a test event again later; if this persists, ${HIGHER}`],
	['activation', 429, `Publish the workflow again later; if this persists, ${HIGHER} ${FEWER}`],
	['schedule', 429, `If this persists, ${HIGHER} ${FEWER}`],
] as const)('what to do again: %s, status %i', (occasion, status, advice) => {
	const { description } = wordFor(occasion, unavailable(status));
	expect(description.replace('The cause is the service, not your workflow. ', '')).toBe(advice);
});

test.each([
	['test', 'The longest possible wait is 30 seconds. Fetch a test event again after that time.'],
	[
		'activation',
		'The longest possible wait is 30 seconds. Publish the workflow again after that time.',
	],
	['schedule', 'The longest possible wait is 30 seconds.'],
] as const)('a long wait: %s', (occasion, advice) => {
	expect(wordFor(occasion, waitTooLong(3_600_000, 30_000, 503)).description).toBe(advice);
});

/** Sites that could not be read, each for the reason of its own letter. */
const spots = (titles: string[], reasons = 'A'.repeat(titles.length), polls = 3): BlindSpot[] =>
	titles.map((title, index) => {
		const details = { subject: 'site', httpStatus: 403 + index } as const;
		const failure = new ServiceFailure(`Reason ${reasons[index]}`, 'Advice.', details);
		return { siteId: title, title, wasRead: false, failure, polls: polls + index };
	});
const CANNOT = 'cannot be read';
const COULD_NOT = 'could not be read 3 times in a row';

test.each([
	[failingSites(spots(['42'])), `Site 42 ${COULD_NOT}`],
	[failingSites(spots(['Pen 42'])), `Pen 42 ${COULD_NOT}`],
	[failingSites(spots(['42 Sør'])), `42 Sør ${COULD_NOT}`],
	[failingSites(spots(['1', 'Sør (2)'])), `Sites 1 and Sør (2) ${COULD_NOT}`],
	[refusedSites(spots(['42'])), 'Reason A'],
	[refusedSites(spots(['1', '2', '3', '4', '5'])), `Sites 1, 2, 3, 4, and 5 ${CANNOT}`],
	[
		refusedSites(spots(['1', '2', '3', '4', '5', '6', '7'])),
		`Sites 1, 2, 3, 4, 5, and 2 more ${CANNOT}`,
	],
])('names no more sites than a person reads: %s', ({ message }, expected) => {
	expect(message).toBe(expected);
});

const IN_TURN = 'The other sites are still read, and';

test.each([
	[refusedSites(spots(['1'])), 'Advice.'],
	[refusedSites(spots(['1', '2'])), 'Reason A. Advice.'],
	[
		refusedSites(spots(['1', '2', '3', '4', '5'], 'ABACD')),
		'Reason A. Advice. Reason B. Advice. Reason C. Advice.',
	],
	[failingSites(spots(['1'])), `Reason A. Advice. ${IN_TURN} this one is tried again in turn.`],
	[failingSites(spots(['1', '2'])), `Reason A. Advice. ${IN_TURN} these are tried again in turn.`],
])('says each reason once, and no more than three: %s', (failure, expected) => {
	expect(failure.description).toBe(expected);
	expect(failure.httpStatus).toBe(403);
});

test('that no site can be read, with its reason; after one poll, the reason alone', () => {
	const reason = new ServiceFailure('No login', 'Advice.', {
		subject: 'credential',
		httpStatus: 401,
	});
	expect(nothingRead(reason, 1)).toBe(reason);
	expect(nothingRead(reason, 2)).toMatchObject({
		message: 'No site could be read in 2 polls in a row',
		description: 'No login. Advice. The trigger tries again at each poll.',
		...{ subject: 'credential', httpStatus: 401 },
	});
});

test('that a list is too long, with what to do', () => {
	expect(slowRound(10, 28, 40)).toMatchObject({
		message: 'It takes more than 10 polls to read all 40 sites',
		description: `28 sites are still waiting for their turn, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. Remove sites from 'Site IDs', choose longer intervals under 'Poll Times', or ${HIGHER}`,
		subject: 'service',
	});
});
