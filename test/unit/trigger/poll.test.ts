import { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import type { PollReason } from '../../../nodes/AquacultureSite/trigger/scheduling';
import { SITE_EVENTS, type SiteEventName } from '../../../nodes/AquacultureSite/trigger/changes';
import { concludePoll } from '../../../nodes/AquacultureSite/trigger/poll';
import type { Poll } from '../../../nodes/AquacultureSite/trigger/reading';
import { newSite, readState } from '../../../nodes/AquacultureSite/trigger/state';

/** What a poll finds, by the ID of each site: its license, why it was refused, or that it was not reached. */
type Found = Record<string, string | number | ServiceFailure | undefined>;

interface Circumstances {
	reason?: PollReason;
	readFrom?: string;
	interruption?: ServiceFailure;
}

const failure = (status: number, siteId: string) =>
	new ServiceFailure(`${status} for ${siteId}`, 'Advice', {
		subject: status < 500 ? 'site' : 'service',
		httpStatus: status,
	});

const notReached = new ServiceFailure('No time', 'Advice', { subject: 'service' });

/** A trigger in an n8n that keeps its state as JSON. */
function startTrigger(settings: { events?: SiteEventName[]; ignoreFields?: string[] } = {}) {
	const staticData: Record<string, unknown> = {};
	let now = Date.parse('2026-11-21T06:00:00.000Z');
	const poll = (
		found: Found,
		{ reason = 'schedule', readFrom = 'A', interruption = notReached }: Circumstances = {},
	) => {
		const results: Poll['results'] = new Map();
		for (const [siteId, is] of Object.entries(found)) {
			if (typeof is === 'number') results.set(siteId, failure(is, siteId));
			if (is instanceof ServiceFailure) results.set(siteId, is);
			if (typeof is !== 'string') continue;
			results.set(siteId, { siteId: Number(siteId), info: { license: is }, units: [] });
		}
		const saved = JSON.parse(JSON.stringify(staticData)) as object;
		const old = readState(saved, readFrom, Object.keys(found));
		const reading = { results, interruption, reason, now: new Date((now += 60_000)) };
		const conclusion = concludePoll(old, reading, { events: SITE_EVENTS, ...settings });
		Object.assign(staticData, conclusion.state);
		const changes = conclusion.events.map(
			({ siteId, changes: [change] }) =>
				`${String(siteId)}: ${String(change?.before)} to ${String(change?.after)}`,
		);
		return conclusion.failure ? [...changes, conclusion.failure.message] : changes;
	};
	return { poll };
}

const silent = (polls: number, found: Found) =>
	Array.from({ length: polls }, (): [Found] => [found]);
const three = (found: Found) => silent(3, found);
/** Of a list, this many sites are read. */
const reads = (count: number, total: number): Found =>
	Object.fromEntries(
		Array.from({ length: total }, (_, site) => [site + 1, site < count ? 'a' : undefined]),
	);
/** Of a list, this many sites are read in each poll, one part after the other. */
const inTurn = (polls: number, count: number, total: number): Found[] =>
	Array.from({ length: polls }, (_, poll) => {
		const isRead = (site: number) => (site - poll * count + polls * total) % total < count;
		const entries = Array.from({ length: total }, (_each, site) => [
			site + 1,
			isRead(site) ? 'a' : undefined,
		]);
		return Object.fromEntries(entries) as Found;
	});
const failing = (sites: string, polls = 3) =>
	`${sites} could not be read in the last ${polls} polls`;
const NOTHING = 'No site could be read in the last 3 polls';
const slow = (total: number) => `Reading all ${total} sites takes more than 10 polls`;

test.each<[string, Array<[found: Found, ...report: string[]]>]>([
	[
		'a change is reported once, after a silent first poll',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 'b', 2: 'c' }, '1: a to b', '2: a to c'],
			[{ 1: 'b', 2: 'c' }],
		],
	],
	[
		'a site that is not read keeps its state, the others are reported',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 500, 2: 'b' }, '2: a to b'],
			[{ 1: undefined, 2: 'b' }],
			[{ 1: 'b', 2: 'b' }, '1: a to b'],
		],
	],
	[
		'a site that fails three times in a row is reported once, and again only after it was read',
		[
			[{ 1: 'a', 2: 'a' }],
			...three({ 1: 404, 2: 'a' }).slice(1),
			[{ 1: 500, 2: 'a' }, failing('Site 1')],
			...three({ 1: 500, 2: 'a' }),
			[{ 1: 'a', 2: 'a' }],
			...three({ 1: 500, 2: 'a' }).slice(1),
			[{ 1: 500, 2: 'a' }, failing('Site 1')],
		],
	],
	[
		'the report waits for a poll without events',
		[
			[{ 1: 'a', 2: 'a' }],
			...three({ 1: 500, 2: 'a' }).slice(1),
			[{ 1: 500, 2: 'b' }, '2: a to b'],
			[{ 1: 500, 2: 'b' }, failing('Site 1', 4)],
			[{ 1: 500, 2: 'b' }],
		],
	],
	[
		'several that fail are reported together, a later one by itself',
		[
			[{ 1: 'a', 2: 'a', 3: 'a', 4: 'a' }],
			...three({ 1: 500, 2: 500, 3: 'a', 4: 'a' }).slice(1),
			[{ 1: 500, 2: 500, 3: 500, 4: 'a' }, failing('Sites 1 and 2')],
			[{ 1: 500, 2: 500, 3: 500, 4: 'a' }],
			[{ 1: 500, 2: 500, 3: 500, 4: 'a' }, failing('Site 3')],
		],
	],
	[
		'a site that is not reached has not failed',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 500, 2: 'a' }],
			[{ 1: undefined, 2: 'a' }],
			[{ 1: undefined, 2: 'a' }],
			[{ 1: 500, 2: 'a' }],
			[{ 1: 500, 2: 'a' }, failing('Site 1')],
		],
	],
	[
		'that no site can be read is reported once, and covers the single ones',
		[
			[{ 1: 'a', 2: 'a' }],
			...three({ 1: 500, 2: 503 }).slice(1),
			[{ 1: 500, 2: 503 }, NOTHING],
			...three({ 1: 500, 2: 503 }),
			...three({ 1: 'a', 2: 503 }),
			...three({ 1: 'a', 2: 'a' }),
			...three({ 1: undefined, 2: undefined }).slice(1),
			[{ 1: undefined, 2: undefined }, NOTHING],
		],
	],
	[
		'a site that was never read and is refused is reported at once, once',
		[
			[{ 1: 'a', 2: 'a', 3: undefined }],
			[{ 1: 'a', 2: 'a', 3: 404 }, '404 for 3'],
			...three({ 1: 'a', 2: 'a', 3: 404 }),
			[{ 1: 'a', 2: 'a', 3: 404, 4: 403, 5: 404 }, '403 for 4. 404 for 5.'],
			...three({ 1: 404, 2: 'a', 3: 500, 4: 403, 5: 404 }).slice(1),
			[{ 1: 404, 2: 'a', 3: 500, 4: 403, 5: 404 }, failing('Site 1')],
		],
	],
	[
		'that all sites are refused is not reported again as an outage',
		[[{ 1: 404, 2: 404 }, '404 for 1. 404 for 2.'], ...three({ 1: 404, 2: 404 })],
	],
	[
		'a site that is added to the list starts silently',
		[[{ 1: 'a' }], [{ 1: 'b', 2: 'a' }, '1: a to b'], [{ 1: 'b', 2: 'b' }, '2: a to b']],
	],
	[
		'a site that is removed from the list is forgotten, also that it was refused',
		[
			[{ 1: 'a', 2: 'a', 3: 404 }, '404 for 3'],
			[{ 1: 'a' }],
			[{ 1: 'a', 2: 'b', 3: 404 }, '404 for 3'],
			[{ 1: 'a', 2: 'b', 3: 404 }],
		],
	],
	[
		'an outage is reported where some have not been, though a site of it was before',
		[
			[{ 1: 'a', 2: 404 }, '404 for 2'],
			...three({ 1: 500, 2: 404 }).slice(1),
			[{ 1: 500, 2: 404 }, NOTHING],
			[{ 1: 'a', 2: 404 }],
			...three({ 1: undefined, 2: 404 }).slice(1),
			[{ 1: undefined, 2: 404 }, NOTHING],
		],
	],
	[
		'a round of more than ten polls is reported once, and again only after a faster one',
		[
			...silent(9, reads(1, 12)),
			[reads(1, 12), slow(12)],
			...silent(14, reads(1, 12)),
			[reads(12, 12)],
			...silent(9, reads(1, 12)),
			[reads(1, 12), slow(12)],
		],
	],
	[
		'a round that ends with the tenth poll is fast enough',
		inTurn(25, 4, 40).map((found) => [found]),
	],
	[
		'a round that takes one poll more is not',
		inTurn(25, 4, 41).map((found, poll) => (poll === 9 ? [found, slow(41)] : [found])),
	],
	['a round is not slower for a site that others have overtaken', silent(12, reads(2, 20))],
	[
		'a round is not slower for polls that read no site',
		[
			...silent(5, reads(1, 40)),
			...silent(2, reads(0, 40)),
			...silent(4, reads(1, 40)),
			[reads(1, 40), slow(40)],
		],
	],
	[
		'a round is not slower for sites that are removed from the list',
		[...silent(5, reads(1, 40)), ...silent(8, reads(3, 3))],
	],
])('%s', (_rule, polls) => {
	const { poll } = startTrigger();
	for (const [found, ...expected] of polls) expect(poll(found)).toEqual(expected);
});

test('n8n repeats an activation: what is refused is thrown each time, events come first', () => {
	const { poll } = startTrigger();
	const activate = (found: Found) => poll(found, { reason: 'activation' });
	const found = { 1: 'a', 2: 404, 3: 500 };
	expect(activate(found)).toEqual(['404 for 2']);
	expect(activate(found)).toEqual(['404 for 2']);
	expect(activate({ ...found, 1: 'b' })).toEqual(['1: a to b']);
	expect(poll({ ...found, 1: 'b' })).toEqual(['404 for 2']);
	expect(activate({ ...found, 1: 'b' })).toEqual(['404 for 2']);
	expect(activate({ 1: 503, 3: 500 })).toEqual(['503 for 1']);
	// A site that was read before may come back
	expect(activate({ 1: 404, 3: 'a' })).toEqual([]);
});

test.each([
	['site', 400, true],
	['site', 499, true],
	['site', 500, false],
	['site', 302, false],
	['site', undefined, false],
	['service', 429, false],
] as const)(
	'an ID that was never read: whether a failure of the %s with status %p says at once that it is wrong',
	(subject, httpStatus, isReported) => {
		const { poll } = startTrigger();
		const refusal = new ServiceFailure('Refused', 'Advice', { subject, httpStatus });
		expect(poll({ 1: 'a', 2: refusal })).toEqual(isReported ? ['Refused'] : []);
	},
);

test('when n8n starts, changes are reported but nothing is thrown: the workflow would stay off', () => {
	const { poll } = startTrigger();
	poll({ 1: 'a', 2: 'a' });
	const startUp = { reason: 'startup' as const };
	expect(poll({ 1: 'b', 2: 'a', 3: 404 }, startUp)).toEqual(['1: a to b']);
	for (let start = 0; start < 4; start++)
		expect(poll({ 1: 500, 2: 500, 3: 404 }, startUp)).toEqual([]);
	expect(poll({ 1: 500, 2: 'a', 3: 404 })).toEqual(['404 for 3']);
	expect(poll({ 1: 500, 2: 'a', 3: 404 })).toEqual([failing('Site 1', 6)]);
});

test('a rejected login is reported at once, once', () => {
	const { poll } = startTrigger();
	const interruption = new ServiceFailure('Rejected', 'Advice', {
		subject: 'credential',
		scope: 'run',
	});
	const found = { 1: undefined, 2: undefined };
	poll({ 1: 'a', 2: 'a' });
	expect(poll(found, { interruption })).toEqual(['Rejected']);
	expect(poll(found, { interruption })).toEqual([]);
});

test.each([{ events: ['unitAdded' as const] }, { ignoreFields: ['license'] }])(
	'of what was not chosen nothing is reported: %j',
	(settings) => {
		const { poll } = startTrigger(settings);
		poll({ 1: 'a' });
		expect(poll({ 1: 'b' })).toEqual([]);
	},
);

test('another address or version starts anew', () => {
	const { poll } = startTrigger();
	poll({ 1: 'a', 2: 404 });
	expect(poll({ 1: 'b', 2: 404 }, { readFrom: 'B' })).toEqual(['404 for 2']);
	expect(poll({ 1: 'c', 2: 404 }, { readFrom: 'B' })).toEqual(['1: b to c']);
	expect(poll({ 1: 'd', 2: 404 })).toEqual(['404 for 2']);
});

test('a report names the site as plain text, says why, and what to do; until then it is in the log', () => {
	const site = { siteId: 1, siteName: '<b>Stor\u0007holmen</b>' };
	let state = readState({}, 'A', ['1', '2']);
	const conclude = (result: typeof site | ServiceFailure) => {
		const results: Poll['results'] = new Map([
			['1', result],
			['2', { siteId: 2, siteName: 'Other' }],
		]);
		const poll = { reason: 'schedule' as const, now: new Date(), results };
		const conclusion = concludePoll(state, poll, { events: SITE_EVENTS });
		({ state } = conclusion);
		return conclusion;
	};
	conclude(site);
	const [first, second, third, fourth] = [1, 2, 3, 4].map(() => conclude(failure(403, '1')));
	const inLog = [first, second, third, fourth].map((conclusion) =>
		conclusion?.unreadable.map((unreadable) => unreadable.site.siteId),
	);
	expect(inLog).toEqual([['1'], ['1'], ['1'], []]);
	expect(third?.failure).toMatchObject({
		message: '‹b›Stor holmen‹/b› (1) could not be read in the last 3 polls',
		description:
			'403 for 1. Advice. The other sites are still read, and this one is tried again later.',
		httpStatus: 403,
	});
});

test('wrong IDs are told in the order of the list, also if one of them is new', () => {
	const { poll } = startTrigger();
	const activate = (found: Found) => poll(found, { reason: 'activation' });
	activate({ 1: 'a', 2: 404 });
	expect(activate({ 1: 'a', 2: 404, 3: 403 })).toEqual(['404 for 2. 403 for 3.']);
});

test('a site that was requested has not been skipped, whatever came of it', () => {
	const waiting = ['1', '2', '3'].map((siteId) => ({ ...newSite(siteId), skippedPolls: 5 }));
	const results: Poll['results'] = new Map();
	results.set('1', failure(500, '1')).set('2', { siteId: 2 });
	const poll = { reason: 'schedule' as const, now: new Date(), results };
	const { state } = concludePoll({ readFrom: 'A', sites: waiting }, poll, { events: SITE_EVENTS });
	expect(state.sites.map(({ skippedPolls }) => skippedPolls)).toEqual([0, 0, 6]);
});
