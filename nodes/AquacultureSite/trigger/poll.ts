// What a poll concludes: what to store, and what to report.
import { ServiceFailure } from '../service/messages/failures';
import { compareSites } from './changes';
import type { CompareOptions } from './changes';
import { dueReport, isLate } from './dueReport';
import { toEvents } from './events';
import type { EventName, SiteEvent } from './events';
import type { Reading } from './reading';
import type { UnreadableSite } from './reports';
import { newSite } from './state';
import type { SiteState, State } from './state';

/**
 * Compares what was read with what was stored. A site that was not read keeps its snapshot and has no events; one
 * that was never read before has none either.
 *
 * @returns what to store, the events to start the workflow with, and what else a person must know; and for the log, the
 * sites that could not be read and have not been reported yet
 */
export function concludePoll(
	old: State,
	reading: Reading,
	options: CompareOptions & { events: readonly EventName[] },
	now: Date,
) {
	const { results } = reading;
	const events: SiteEvent[] = [];
	const unreadable: UnreadableSite[] = [];
	const sites = old.sites.map((site): SiteState => {
		const result = results.get(site.siteId);
		// A poll that requested no site says nothing about how many it has time for
		if (!result) return { ...site, skippedPolls: site.skippedPolls + Math.min(1, results.size) };
		if (result instanceof ServiceFailure) {
			const failed = { ...site, failedPolls: site.failedPolls + 1, skippedPolls: 0 };
			unreadable.push({ site: failed, failure: result });
			return failed;
		}
		// Compared with itself, a new site is brought into the form of a snapshot
		const { differences, baseline } = compareSites(site.snapshot ?? result, result, options);
		events.push(...toEvents(differences, options.events, now.toISOString()));
		return { ...newSite(site.siteId), snapshot: baseline };
	});

	const isOutage = unreadable.length === results.size;
	const state: State = {
		...old,
		sites,
		outagePolls: isOutage ? (old.outagePolls ?? 0) + 1 : 0,
		isOutageReported: isOutage && old.isOutageReported,
		isLatenessReported: old.isLatenessReported && sites.some(isLate),
	};
	const forLog = unreadable.filter(({ site }) => !site.isReported);
	return { state, events, unreadable: forLog, report: dueReport(state, reading, unreadable) };
}
