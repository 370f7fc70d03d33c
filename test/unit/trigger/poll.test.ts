import { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import { DEFAULT_EVENTS } from '../../../nodes/AquacultureSite/trigger/events';
import { concludePoll } from '../../../nodes/AquacultureSite/trigger/poll';
import type { Reading } from '../../../nodes/AquacultureSite/trigger/reading';
import { newSite, readState } from '../../../nodes/AquacultureSite/trigger/state';

/** What a poll finds, by the ID of each site: its license, an error's status, or not reached. */
type Found = Record<string, string | number | undefined>;

const failure = (httpStatus: number, siteId: string) =>
	new ServiceFailure(`${httpStatus} for ${siteId}`, 'Advice', {
		subject: httpStatus === 429 ? 'service' : 'site',
		httpStatus,
	});

const OPTIONS = { events: DEFAULT_EVENTS };

const notReached = new ServiceFailure('No time', 'Advice', { subject: 'service' });

/** A trigger in an n8n that keeps its state as JSON. */
function startTrigger() {
	const staticData: Record<string, unknown> = {};
	const inLog: string[] = [];
	const poll = (found: Found, interruption = notReached) => {
		const results: Reading['results'] = new Map();
		// Responses come in any order
		for (const [siteId, is] of Object.entries(found).reverse()) {
			if (typeof is === 'number') results.set(siteId, failure(is, siteId));
			if (typeof is !== 'string') continue;
			results.set(siteId, { siteId: Number(siteId), info: { license: is }, units: [] });
		}
		const saved = JSON.parse(JSON.stringify(staticData)) as object;
		const old = readState(saved, Object.keys(found), 'A');
		const conclusion = concludePoll(old, { results, interruption }, OPTIONS, new Date());
		Object.assign(staticData, conclusion.state);
		inLog.push(...conclusion.unreadable.map(({ site }) => site.siteId));
		const changes = conclusion.events.map(
			({ siteId, changes: [change] }) =>
				`${String(siteId)}: ${String(change?.before)} to ${String(change?.after)}`,
		);
		return conclusion.report ? [...changes, conclusion.report.message] : changes;
	};
	return { poll, inLog };
}

const silent = (polls: number, found: Found) =>
	Array.from({ length: polls }, (): [Found] => [found]);
/** Of a list, this many sites are read, from one of them on. */
const reads = (count: number, total: number, from = 0): Found =>
	Object.fromEntries(
		Array.from({ length: total }, (_, site) => {
			const isRead = (site + total - (from % total)) % total < count;
			return [site + 1, isRead ? 'a' : undefined];
		}),
	);
/** Of a list, this many sites are read in each poll, one part after the other. */
const inTurn = (polls: number, count: number, total: number) =>
	Array.from({ length: polls }, (_, poll) => reads(count, total, poll * count));
const failing = (sites: string) => `${sites} could not be read in the last 3 checks`;
const NOTHING = 'No site could be read in the last 3 checks';
const slow = (total: number) => `Reading all ${total} sites takes more than 10 checks`;

/** What each poll of a trigger finds, and reports. */
const POLLS: Record<string, Array<[found: Found, ...report: string[]]>> = {
	'a site that is not read keeps its state, the others are reported': [
		[{ 1: 'a', 2: 'a' }],
		[{ 1: 500, 2: 'b' }, '2: a to b'],
		[{ 1: undefined, 2: 'b' }],
		[{ 1: 'b', 2: 'b' }, '1: a to b'],
	],
	'a site that fails three times in a row is reported once, and again only after it was read': [
		[{ 1: 'a', 2: 'a' }],
		...silent(2, { 1: 404, 2: 'a' }),
		[{ 1: 500, 2: 'a' }, failing('Site 1')],
		...silent(3, { 1: 500, 2: 'a' }),
		[{ 1: 'a', 2: 'a' }],
		...silent(2, { 1: 500, 2: 'a' }),
		[{ 1: 500, 2: 'a' }, failing('Site 1')],
	],
	'several that fail are reported together, a later one by itself': [
		[{ 1: 'a', 2: 'a', 3: 'a', 4: 'a' }],
		...silent(2, { 1: 500, 2: 500, 3: 'a', 4: 'a' }),
		[{ 1: 500, 2: 500, 3: 500, 4: 'a' }, failing('Sites 1 and 2')],
		[{ 1: 500, 2: 500, 3: 500, 4: 'a' }],
		[{ 1: 500, 2: 500, 3: 500, 4: 'a' }, failing('Site 3')],
	],
	'a site that is not reached has not failed': [
		[{ 1: 'a', 2: 'a' }],
		[{ 1: 500, 2: 'a' }],
		[{ 1: undefined, 2: 'a' }],
		[{ 1: undefined, 2: 'a' }],
		[{ 1: 500, 2: 'a' }],
		[{ 1: 500, 2: 'a' }, failing('Site 1')],
	],
	'that no site can be read is reported once, and covers the single ones': [
		[{ 1: 'a', 2: 'a' }],
		...silent(2, { 1: 500, 2: 503 }),
		[{ 1: 500, 2: 503 }, NOTHING],
		...silent(3, { 1: 500, 2: 503 }),
		...silent(3, { 1: 'a', 2: 503 }),
		...silent(3, { 1: 'a', 2: 'a' }),
		...silent(2, { 1: undefined, 2: undefined }),
		[{ 1: undefined, 2: undefined }, NOTHING],
	],
	'a site that was never read and is refused is reported at once, once': [
		[{ 1: 'a', 2: 'a', 3: undefined }],
		[{ 1: 'a', 2: 'a', 3: 404 }, '404 for 3'],
		...silent(3, { 1: 'a', 2: 'a', 3: 404 }),
		[{ 1: 'a', 2: 'a', 3: 404, 4: 403, 5: 404 }, 'Sites 4 and 5 cannot be read'],
		...silent(2, { 1: 404, 2: 'a', 3: 500, 4: 403, 5: 404 }),
		[{ 1: 404, 2: 'a', 3: 500, 4: 403, 5: 404 }, failing('Site 1')],
	],
	'a site is refused with a status from 400 to 499 that is about it': [
		[{ 1: 'a', 2: 302, 3: 400, 4: 429, 5: 499, 6: 500 }, 'Sites 3 and 5 cannot be read'],
	],
	'that all sites are refused is not reported again as an outage': [
		[{ 1: 404, 2: 404 }, 'Sites 1 and 2 cannot be read'],
		...silent(3, { 1: 404, 2: 404 }),
	],
	'an outage is reported where some have not been, though a site of it was before': [
		[{ 1: 'a', 2: 404 }, '404 for 2'],
		...silent(2, { 1: 500, 2: 404 }),
		[{ 1: 500, 2: 404 }, NOTHING],
		[{ 1: 'a', 2: 404 }],
		...silent(2, { 1: undefined, 2: 404 }),
		[{ 1: undefined, 2: 404 }, NOTHING],
	],
	'a round of more than ten polls is reported once, and again only after a faster one': [
		...silent(9, reads(1, 12)),
		[reads(1, 12), slow(12)],
		...silent(14, reads(1, 12)),
		[reads(12, 12)],
		...silent(9, reads(1, 12)),
		[reads(1, 12), slow(12)],
	],
	'a round that ends with the tenth poll is fast enough': inTurn(25, 4, 40).map((found) => [found]),
	'a round that takes one poll more is not': inTurn(25, 4, 41).map((found, poll) =>
		poll === 9 ? [found, slow(41)] : [found],
	),
	'a round is not slower for polls that read no site': [
		...silent(5, reads(1, 40)),
		...silent(2, reads(0, 40)),
		...silent(4, reads(1, 40)),
		[reads(1, 40), slow(40)],
	],
	'a round is not slower for sites that are removed from the list': [
		...silent(5, reads(1, 40)),
		...silent(8, reads(3, 3)),
	],
};

test.each(Object.entries(POLLS))('%s', (_rule, polls) => {
	const { poll } = startTrigger();
	for (const [found, ...expected] of polls) expect(poll(found)).toEqual(expected);
});

test('a site that cannot be read is in the log until it is reported', () => {
	const { poll, inLog } = startTrigger();
	poll({ 1: 'a', 2: 'a' });
	for (let polls = 0; polls < 4; polls++) poll({ 1: 500, 2: 'a' });
	// The third one reports it
	expect(inLog).toEqual(['1', '1', '1']);
});

test('a site that was requested has not been skipped, whatever came of it', () => {
	const waiting = ['1', '2', '3'].map((siteId) => ({ ...newSite(siteId), skippedPolls: 5 }));
	const results: Reading['results'] = new Map();
	results.set('1', failure(500, '1')).set('2', { siteId: 2 });
	const old = { readFrom: 'A', sites: waiting };
	const { state } = concludePoll(old, { results }, OPTIONS, new Date());
	expect(state.sites.map(({ skippedPolls }) => skippedPolls)).toEqual([0, 0, 6]);
});
