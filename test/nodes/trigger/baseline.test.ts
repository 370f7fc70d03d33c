import { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import type { Site } from '../../../nodes/AquacultureSite/site/site';
import { compareWithBaseline } from '../../../nodes/AquacultureSite/trigger/baseline';
import type { Baseline, PollResult } from '../../../nodes/AquacultureSite/trigger/baseline';
import { SITE_EVENTS, type SiteEventName } from '../../../nodes/AquacultureSite/trigger/events';

const detectedAt = '2026-11-21T06:00:00.000Z';

/** What a poll finds, by the ID of each site: its license, or the status of the response that is no site. */
type Found = Record<string, string | number>;

function resultOf([siteId, found]: [string, string | number]): [string, Site | ServiceFailure] {
	if (typeof found === 'string') {
		return [siteId, { siteId: Number(siteId), info: { license: found }, units: [] }];
	}
	const details = { subject: 'site' as const, httpStatus: found };
	return [siteId, new ServiceFailure(`${found} for ${siteId}`, 'Advice', details)];
}

/** A trigger in an n8n that keeps its baseline as JSON. */
function startTrigger(settings: { events?: SiteEventName[]; ignoreFields?: string[] } = {}) {
	let kept: Partial<Baseline> = {};
	const poll = (found: Found, reading: { processId?: string; source?: string } = {}) => {
		const results = new Map(Object.entries(found).map(resultOf));
		const result = compareWithBaseline(
			kept,
			{ source: 'A', processId: '1', ...reading, detectedAt, results },
			{ events: SITE_EVENTS, ...settings },
		);
		kept = JSON.parse(JSON.stringify(result.baseline)) as Baseline;
		return result;
	};
	return { poll, report: (...found: Parameters<typeof poll>) => reportOf(poll(...found)) };
}

function reportOf({ events, failure }: PollResult): string[] {
	const changes = events.map(
		({ siteId, changes: [change] }) =>
			`${String(siteId)}: ${String(change?.before)} to ${String(change?.after)}`,
	);
	return failure ? [...changes, failure.message] : changes;
}

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
		'a site that cannot be read keeps its state, the others are reported',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 500, 2: 'b' }, '2: a to b'],
			[{ 1: 500, 2: 'b' }],
			[{ 1: 'b', 2: 'b' }, '1: a to b'],
		],
	],
	[
		'that no site can be read is reported each time, by the first of them',
		[
			[{ 1: 500, 2: 503 }, '500 for 1'],
			[{ 1: 500, 2: 503 }, '500 for 1'],
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 503, 2: 500 }, '503 for 1'],
			[{ 1: 'a', 2: 'b' }, '2: a to b'],
		],
	],
	[
		'a site that is not found is reported once, after all events, and again when it is gone again',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 404, 2: 'b' }, '2: a to b'],
			[{ 1: 404, 2: 'b' }, '404 for 1'],
			[{ 1: 404, 2: 'b' }],
			[{ 1: 404, 2: 'c' }, '2: b to c'],
			[{ 1: 'b', 2: 'c' }, '1: a to b'],
			[{ 1: 404, 2: 'c' }, '404 for 1'],
		],
	],
	[
		'but not because it could not be read for another reason in between',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 404, 2: 'a' }, '404 for 1'],
			[{ 1: 500, 2: 'a' }],
			[{ 1: 404, 2: 'a' }],
		],
	],
	[
		'of several that are not found each is reported, and they hide no other failure',
		[
			[{ 1: 'a', 2: 'a' }],
			[{ 1: 404, 2: 404 }, '404 for 1'],
			[{ 1: 404, 2: 404 }, '404 for 2'],
			[{ 1: 404, 2: 404 }],
			[{ 1: 404, 2: 500 }, '500 for 2'],
			[{ 1: 401, 2: 401 }, '401 for 1'],
		],
	],
	[
		'a site that is added to the list starts silently',
		[[{ 1: 'a' }], [{ 1: 'b', 2: 'a' }, '1: a to b'], [{ 1: 'b', 2: 'b' }, '2: a to b']],
	],
	[
		'a site that is removed from the list is forgotten, also that it was never found',
		[
			[{ 1: 'a', 2: 'a', 3: 404 }, '404 for 3'],
			[{ 1: 'a' }],
			[{ 1: 'a', 2: 'b', 3: 404 }, '404 for 3'],
			[{ 1: 'a', 2: 'b', 3: 404 }],
		],
	],
])('%s', (_rule, polls) => {
	const { report } = startTrigger();
	for (const [found, ...expected] of polls) expect(report(found)).toEqual(expected);
});

test.each([{ events: ['unitAdded' as const] }, { ignoreFields: ['license'] }])(
	'of what was not chosen nothing is reported: %j',
	(settings) => {
		const { report } = startTrigger(settings);
		report({ 1: 'a' });
		expect(report({ 1: 'b' })).toEqual([]);
	},
);

test('another address or version starts anew', () => {
	const { report } = startTrigger();
	report({ 1: 'a', 2: 404 });
	expect(report({ 1: 'b', 2: 404 }, { source: 'B' })).toEqual(['404 for 2']);
	expect(report({ 1: 'c', 2: 404 }, { source: 'B' })).toEqual(['1: b to c']);
	expect(report({ 1: 'd', 2: 404 })).toEqual(['404 for 2']);
});

test('the first poll after a restart reports changes but no failure: it would keep the workflow inactive', () => {
	const { report } = startTrigger();
	report({ 1: 'a', 2: 'a' });
	const processId = '2';
	expect(report({ 1: 'b', 2: 404 }, { processId })).toEqual(['1: a to b']);
	expect(report({ 1: 'b', 2: 404 }, { processId })).toEqual(['404 for 2']);
	expect(report({ 1: 500, 2: 404 }, { processId: '3' })).toEqual([]);
	expect(report({ 1: 500, 2: 404 }, { processId: '3' })).toEqual(['500 for 1']);
	expect(report({ 1: 'b', 2: 404 }, { processId: '3' })).toEqual([]);
});

test('names each site that could not be read, until it is reported as not found', () => {
	const { poll } = startTrigger();
	const unread = (found: Found) =>
		poll(found).unread.map(([siteId, { message }]) => [siteId, message]);
	expect(unread({ 1: 'a', 2: 500, 3: 404 })).toEqual([
		['2', '500 for 2'],
		['3', '404 for 3'],
	]);
	expect(unread({ 1: 'a', 2: 500, 3: 404 })).toEqual([['2', '500 for 2']]);
	expect(unread({ 1: 'a', 2: 'a', 3: 500 })).toEqual([['3', '500 for 3']]);
});

test('keeps the sites as they were read, and nothing of those that never were', () => {
	expect(startTrigger().poll({ 1: 'a', 2: 500 }).baseline).toStrictEqual({
		source: 'A',
		sites: { 1: { siteId: 1, info: { license: 'a' }, units: [] } },
		missing: [],
		processId: '1',
	});
});
