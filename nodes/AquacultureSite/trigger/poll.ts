import { ServiceFailure } from '../service/failures';
import { plainText } from '../site/plainText';
import { siteTitle } from '../site/site';
import { compareSites } from './changes';
import type { CompareOptions, SiteEventName } from './changes';
import { toEvent } from './events';
import type { SiteEvent } from './events';
import { inReadOrder, nextReadOrder } from './reading';
import type { Poll } from './reading';
import type { UnreadableSite } from './reports';
import type { State } from './state';
import { MAX_ROUND_POLLS, reportUnreadableSites } from './unreadableSites';

/** What to do after a poll. */
export interface Conclusion {
	/** To store for the next poll. */
	state: State;
	/** To start the workflow with. */
	events: SiteEvent[];
	/** Sites that could not be read and have not been reported yet, for the log. */
	unreadable: UnreadableSite[];
	/** To throw; only if there are no events, because n8n takes either. */
	failure?: ServiceFailure;
}

type Options = CompareOptions & { events: readonly SiteEventName[] };

/**
 * Compares what was read with what was stored. A site that was not read keeps its snapshot and has no events; one
 * that was never read before has none either.
 */
export function concludePoll(old: State, poll: Poll, options: Options): Conclusion {
	const { siteIds, results, reason, now } = poll;
	const snapshots: State['snapshots'] = {};
	const failedPolls: State['failedPolls'] = {};
	const events: SiteEvent[] = [];
	const unreadable: UnreadableSite[] = [];
	for (const siteId of siteIds) {
		const result = results.get(siteId);
		const before = old.snapshots[siteId];
		if (result && !(result instanceof ServiceFailure)) {
			// Compared with itself, a new site is brought into the form of a snapshot
			const { changes, baseline } = compareSites(before ?? result, result, options);
			snapshots[siteId] = baseline;
			const chosen = changes.filter(({ event }) => options.events.includes(event));
			events.push(...chosen.map((change) => toEvent(change, now.toISOString())));
			continue;
		}
		if (before) snapshots[siteId] = before;
		const polls = (old.failedPolls[siteId] ?? 0) + (result ? 1 : 0);
		if (polls > 0) failedPolls[siteId] = polls;
		if (!result) continue;
		const title = before ? plainText(siteTitle(before, siteId), 80) : siteId;
		unreadable.push({ siteId, title, failure: result, polls, wasRead: before !== undefined });
	}

	const isOutage = unreadable.length === results.size;
	const state: State = {
		readFrom: old.readFrom,
		readOrder: nextReadOrder(inReadOrder(siteIds, old.readOrder), poll),
		snapshots,
		failedPolls,
		reported: old.reported.filter((siteId) => siteId in failedPolls),
		outage: isOutage
			? { ...old.outage, polls: old.outage.polls + 1 }
			: { polls: 0, isReported: false },
		round: isOutage ? old.round : nextRound(old.round, results.size, siteIds.length),
	};
	const forLog = unreadable.filter(({ siteId }) => !state.reported.includes(siteId));
	const isSilent = events.length > 0 || reason === 'startup';
	const failure = isSilent ? undefined : reportUnreadableSites(state, poll, unreadable);
	return { state, events, unreadable: forLog, failure };
}

/** Counts the polls until each site was requested once. */
function nextRound(round: State['round'], requested: number, total: number): State['round'] {
	const isNew = round.left <= 0;
	const polls = isNew ? 1 : round.polls + 1;
	const left = Math.max(0, Math.min(isNew ? total : round.left, total) - requested);
	// A round that was fast enough: the next slow one is reported again
	const isReported = round.isReported && !(left === 0 && polls < MAX_ROUND_POLLS);
	return { polls: left === 0 ? 0 : polls, left, isReported };
}
