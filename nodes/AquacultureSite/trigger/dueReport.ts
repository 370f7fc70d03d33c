// When sites that could not be read are reported.
import type { ServiceFailure } from '../service/messages/failures';
import type { Reading } from './reading';
import { latenessReport, outageReport, refusedSitesReport, unreadableSitesReport } from './reports';
import type { UnreadableSite } from './reports';
import type { SiteState, State } from './state';

/**
 * How many times in a row a site must fail before it is reported. Once or twice happens to any service, while it is
 * restarted or a gateway is slow, and would only wake somebody; what lasts for three polls will not pass by itself.
 */
const MAX_SILENT_POLLS = 3;

/**
 * How many polls may skip a site before that is reported. A few are fine, a rate limit decides; after ten, changes are
 * noticed later than anyone expects who has chosen the interval.
 */
const MAX_SKIPPED_POLLS = 10;

/** Whether too many polls have skipped a site. */
export function isLate({ skippedPolls }: SiteState): boolean {
	return skippedPolls >= MAX_SKIPPED_POLLS;
}

/**
 * Whether the service has a final answer for a site that was never read: it does not exist, or this user has no
 * access. Most likely its ID is mistyped, and no later poll will change that.
 */
function isRefused({ site, failure: { subject, httpStatus = 0 } }: UnreadableSite): boolean {
	return !site.snapshot && subject === 'site' && httpStatus >= 400 && httpStatus < 500;
}

/** A report of these sites, which is noted in their state. */
function noted(sites: UnreadableSite[], report: ServiceFailure): ServiceFailure {
	for (const { site } of sites) site.isReported = true;
	return report;
}

/**
 * What a person must know about the sites that are not read, if it is time to say it and has not been said. Notes in
 * the state what it reports.
 *
 * @param unreadable the sites that could not be read in this poll
 */
export function dueReport(
	state: State,
	{ results, interruption }: Reading,
	unreadable: UnreadableSite[],
): ServiceFailure | undefined {
	const unreported = unreadable.filter(({ site }) => !site.isReported);
	const refused = unreported.filter(isRefused);
	if (refused.length > 0) return noted(refused, refusedSitesReport(refused));
	const { outagePolls = 0 } = state;
	const outage = outagePolls > 0 ? (unreadable[0]?.failure ?? interruption) : undefined;
	if (outage) {
		// With a rejected login, waiting changes nothing
		const mayPass = outage.subject !== 'credential';
		const isDue = !mayPass || outagePolls >= MAX_SILENT_POLLS;
		const isKnown = state.isOutageReported || state.sites.every(({ isReported }) => isReported);
		if (!isDue || isKnown) return undefined;
		state.isOutageReported = true;
		return noted(unreadable, mayPass ? outageReport(outage, outagePolls) : outage);
	}
	const due = unreported.filter(({ site }) => site.failedPolls >= MAX_SILENT_POLLS);
	if (due.length > 0) return noted(due, unreadableSitesReport(due));
	const [late, total] = [state.sites.filter(isLate).length, state.sites.length];
	// Not if it is enough for all, and others have only overtaken some
	const isEnough = results.size * MAX_SKIPPED_POLLS >= total;
	if (late === 0 || isEnough || state.isLatenessReported) return undefined;
	state.isLatenessReported = true;
	return latenessReport(MAX_SKIPPED_POLLS, late, total);
}
