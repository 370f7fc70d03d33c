import { ServiceFailure } from '../service/failures';
import { siteTitle } from '../site/site';
import { MAX_ROUND, reportBlindSpots } from './blindSpots';
import { compareSites } from './changes';
import type { CompareOptions } from './changes';
import type { SiteEvent } from './events';
import type { SiteEventName } from './facts';
import type { Poll } from './reading';
import type { BlindSpot } from './sentences';
import { fromSnapshot, toSnapshot } from './state';
import type { State } from './state';
import { tidy } from './words';
import { afterTurns } from './turns';

/** What to do after a poll. */
export interface Conclusion {
	/** To keep for the next poll. */
	state: State;
	/** To start the workflow with. */
	events: SiteEvent[];
	/** Sites that could not be read and have not been reported yet, for the log. */
	unread: BlindSpot[];
	/** To throw; only where there are no events, because n8n takes either. */
	failure?: ServiceFailure;
}

type Options = CompareOptions & { events: readonly SiteEventName[] };

/**
 * Compares what was read with what was kept. A site that was not read keeps its snapshot and has no events; one that
 * was never read before has none either.
 */
export function concludePoll(old: State, poll: Poll, options: Options): Conclusion {
	const { siteIds, results, occasion, now } = poll;
	const sites: State['sites'] = {};
	const failing: State['failing'] = {};
	const events: SiteEvent[] = [];
	const spots: BlindSpot[] = [];
	for (const siteId of siteIds) {
		const result = results.get(siteId);
		const snapshot = old.sites[siteId];
		const failures = old.failing[siteId] ?? 0;
		if (result && !(result instanceof ServiceFailure)) {
			sites[siteId] = toSnapshot(result);
			const before = snapshot === sites[siteId] ? undefined : fromSnapshot(snapshot);
			if (!before) continue;
			const comparison = compareSites(before, result, now.toISOString(), options);
			sites[siteId] = toSnapshot(comparison.baseline);
			events.push(...comparison.events.filter(({ event }) => options.events.includes(event)));
			continue;
		}
		if (snapshot !== undefined) sites[siteId] = snapshot;
		if (result) {
			const before = fromSnapshot(snapshot);
			const title = before ? tidy(siteTitle(before, siteId), 80) : siteId;
			const polls = failures + 1;
			spots.push({ siteId, title, failure: result, polls, wasRead: before !== undefined });
		}
		const count = result ? failures + 1 : failures;
		if (count > 0) failing[siteId] = count;
	}

	const isOutage = spots.length === results.size;
	const state: State = {
		...old,
		polledAt: now.getTime(),
		turns: afterTurns(siteIds, new Set(results.keys())),
		sites,
		failing,
		reported: old.reported.filter((siteId) => siteId in failing),
		outage: isOutage
			? { ...old.outage, polls: old.outage.polls + 1 }
			: { polls: 0, isReported: false },
		round: isOutage ? old.round : nextRound(old.round, results.size, siteIds.length),
	};
	const unread = spots.filter(({ siteId }) => !state.reported.includes(siteId));
	const isSilent = events.length > 0 || occasion === 'startup';
	const failure = isSilent ? undefined : reportBlindSpots(state, poll, spots);
	return { state, events, unread, failure };
}

/** Counts the polls until each site had its turn. */
function nextRound(round: State['round'], turns: number, total: number): State['round'] {
	const isNew = round.left <= 0;
	const polls = isNew ? 1 : round.polls + 1;
	const left = Math.max(0, Math.min(isNew ? total : round.left, total) - turns);
	// A round that was fast enough: the next slow one is reported again
	const isReported = round.isReported && !(left === 0 && polls < MAX_ROUND);
	return { polls: left === 0 ? 0 : polls, left, isReported };
}
