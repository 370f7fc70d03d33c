import type { ServiceFailure } from '../service/failures';
import type { Site } from '../site/site';
import { compareSites } from './changes';
import type { CompareOptions, SiteEvent, SiteEventName } from './changes';

/** What n8n keeps for the trigger from one poll to the next. */
export interface Baseline {
	/** Base URL and interface version: with another one, nothing can be compared. */
	source: string;
	/** Each site as it was last read, by the ID it was asked for by. */
	sites: Record<string, Site>;
	/** Sites that were not found, and of which that has been said. */
	missing: string[];
	/** The start of n8n in which it was written. */
	start: string;
}

/** What one poll has read. */
export interface Reading {
	source: string;
	/** Differs from one start of n8n to the next. */
	start: string;
	/** ISO 8601. */
	detectedAt: string;
	/** For each site of the list, in its order: the site, or why it could not be read. */
	answers: Map<string, Site | ServiceFailure>;
}

/** What to do after a poll. */
export interface Step {
	/** To keep for the next poll. */
	baseline: Baseline;
	/** To start the workflow with. */
	events: SiteEvent[];
	/** Could not be read; those of which it has been said that they are missing aside. */
	unread: Array<[siteId: string, failure: ServiceFailure]>;
	/** To throw: only where there are no events, because n8n takes either. */
	failure?: ServiceFailure;
}

/**
 * Compares what was read with what was kept. A site that could not be read keeps its state and says nothing;
 * one that was not in the list before says nothing either. A site that is not found any more is told once,
 * after all events; that nothing could be read is told each time.
 */
export function compareWithBaseline(
	kept: Partial<Baseline>,
	{ source, start, detectedAt, answers }: Reading,
	options: CompareOptions & { events: readonly SiteEventName[] },
): Step {
	const old = kept.source === source ? kept : {};
	const sites: Record<string, Site> = {};
	const events: SiteEvent[] = [];
	const failures: Step['unread'] = [];
	for (const [siteId, answer] of answers) {
		const before = old.sites?.[siteId];
		if (answer instanceof Error) {
			failures.push([siteId, answer]);
			if (before) sites[siteId] = before;
		} else if (before) {
			const comparison = compareSites(before, answer, detectedAt, options);
			sites[siteId] = comparison.baseline;
			events.push(...comparison.events.filter(({ event }) => options.events.includes(event)));
		} else {
			sites[siteId] = answer;
		}
	}

	const isMissing = ([, { httpStatus }]: Step['unread'][number]) => httpStatus === 404;
	const said = (old.missing ?? []).filter((siteId) => answers.get(siteId) instanceof Error);
	const unread = failures.filter((entry) => !isMissing(entry) || !said.includes(entry[0]));
	const toTell =
		unread.find(isMissing) ?? (failures.length === answers.size ? unread[0] : undefined);
	// In the first poll after a restart a throw would keep n8n from activating the workflow
	const justStarted = kept.start !== undefined && kept.start !== start;
	const tell = events.length === 0 && !justStarted ? toTell : undefined;
	const missing = tell && isMissing(tell) ? [...said, tell[0]] : said;
	return { baseline: { source, sites, missing, start }, events, unread, failure: tell?.[1] };
}
