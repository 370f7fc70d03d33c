import type { ServiceFailure } from '../service/failures';
import type { Site } from '../site/site';
import { compareSites } from './changes';
import type { CompareOptions } from './changes';
import type { SiteEvent, SiteEventName } from './events';

/** What n8n keeps for the trigger from one poll to the next. */
export interface Baseline {
	/** Base URL and interface version: with another one, nothing can be compared. */
	source: string;
	/** Each site as it was last read, by the ID it was requested by. */
	sites: Record<string, Site>;
	/** Sites that were not found and have been reported as that. */
	missing: string[];
	/** The process of n8n that wrote it. */
	processId: string;
}

/** What one poll has read. */
export interface Reading {
	source: string;
	/** Differs from one start of n8n to the next. */
	processId: string;
	/** ISO 8601. */
	detectedAt: string;
	/** For each site of the list, in its order: the site, or why it could not be read. */
	results: Map<string, Site | ServiceFailure>;
}

/** What to do after a poll. */
export interface PollResult {
	/** To keep for the next poll. */
	baseline: Baseline;
	/** To start the workflow with. */
	events: SiteEvent[];
	/** Sites that could not be read, except those that have been reported as missing. */
	unread: Array<[siteId: string, failure: ServiceFailure]>;
	/** To throw: only where there are no events, because n8n takes either. */
	failure?: ServiceFailure;
}

/**
 * Compares what was read with what was kept. A site that could not be read keeps its state and has no events;
 * one that was not in the list before has none either. A site that is not found any more is reported once,
 * after all events; that nothing could be read is reported each time.
 */
export function compareWithBaseline(
	kept: Partial<Baseline>,
	{ source, processId, detectedAt, results }: Reading,
	options: CompareOptions & { events: readonly SiteEventName[] },
): PollResult {
	const old = kept.source === source ? kept : {};
	const sites: Record<string, Site> = {};
	const events: SiteEvent[] = [];
	const failures: PollResult['unread'] = [];
	for (const [siteId, result] of results) {
		const before = old.sites?.[siteId];
		if (result instanceof Error) {
			failures.push([siteId, result]);
			if (before) sites[siteId] = before;
		} else if (before) {
			const comparison = compareSites(before, result, detectedAt, options);
			sites[siteId] = comparison.baseline;
			events.push(...comparison.events.filter(({ event }) => options.events.includes(event)));
		} else {
			sites[siteId] = result;
		}
	}

	const isMissing = ([, { httpStatus }]: PollResult['unread'][number]) => httpStatus === 404;
	const reported = (old.missing ?? []).filter((siteId) => results.get(siteId) instanceof Error);
	const unread = failures.filter((entry) => !isMissing(entry) || !reported.includes(entry[0]));
	const toReport =
		unread.find(isMissing) ?? (failures.length === results.size ? unread[0] : undefined);
	// In the first poll after a restart a throw would keep n8n from activating the workflow
	const justStarted = kept.processId !== undefined && kept.processId !== processId;
	const report = events.length === 0 && !justStarted ? toReport : undefined;
	const missing = report && isMissing(report) ? [...reported, report[0]] : reported;
	return {
		baseline: { source, sites, missing, processId },
		events,
		unread,
		failure: report?.[1],
	};
}
