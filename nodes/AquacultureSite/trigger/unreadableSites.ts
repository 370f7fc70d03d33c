import type { ServiceFailure } from '../service/failures';
import type { Poll } from './reading';
import { nothingRead, refusedSites, slowRound, unreadableSites } from './reports';
import type { UnreadableSite } from './reports';
import type { State } from './state';

/**
 * How many times in a row a site must fail before it is reported. Once or twice happens to any service, while it is
 * restarted or a gateway is slow, and would only wake somebody; what lasts for three polls will not pass by itself.
 */
const MAX_SILENT_POLLS = 3;

/**
 * How many polls it may take to read each site once before it is reported. A few are fine, a rate limit decides;
 * after ten, changes are noticed later than anyone expects who has chosen the interval.
 */
export const MAX_ROUND_POLLS = 10;

/**
 * Whether the service has a final answer for a site that was never read: it does not exist, or this user has no
 * access. Most likely its ID is mistyped, and no later poll will change that.
 */
function isRefused({ wasRead, failure: { subject, httpStatus = 0 } }: UnreadableSite): boolean {
	return !wasRead && subject === 'site' && httpStatus >= 400 && httpStatus < 500;
}

/**
 * What a person must know about the sites that are not read, if it is time to say it and has not been said. Notes in
 * the state what it reports.
 *
 * @param unreadable the sites that could not be read in this poll
 */
export function reportUnreadableSites(
	state: State,
	{ reason, siteIds, results, interruption }: Poll,
	unreadable: UnreadableSite[],
): ServiceFailure | undefined {
	const isNew = ({ siteId }: UnreadableSite) => !state.reported.includes(siteId);
	const note = (reported: UnreadableSite[]) => {
		state.reported.push(...reported.filter(isNew).map(({ siteId }) => siteId));
	};
	const isOutage = unreadable.length === results.size;
	const cause = unreadable[0]?.failure ?? interruption;

	const refused = unreadable.filter(isRefused);
	if (reason === 'activation') {
		// Not noted: n8n repeats the activation, which must fail again
		if (refused.length > 0) return refusedSites(refused);
		return isOutage ? cause : undefined;
	}
	const newlyRefused = refused.filter(isNew);
	if (newlyRefused.length > 0) {
		note(newlyRefused);
		return refusedSites(newlyRefused);
	}
	if (isOutage && cause) {
		const { polls, isReported } = state.outage;
		const isKnown = unreadable.length === siteIds.length && !unreadable.some(isNew);
		// With a rejected login, waiting changes nothing
		const isDue = polls >= MAX_SILENT_POLLS || cause.subject === 'credential';
		if (isReported || isKnown || !isDue) return undefined;
		state.outage = { polls, isReported: true };
		note(unreadable);
		return nothingRead(cause, polls);
	}
	const due = unreadable.filter((site) => site.polls >= MAX_SILENT_POLLS && isNew(site));
	if (due.length > 0) {
		note(due);
		return unreadableSites(due);
	}
	const { polls, left, isReported } = state.round;
	if (polls < MAX_ROUND_POLLS || isReported) return undefined;
	state.round = { polls, left, isReported: true };
	return slowRound(polls, left, siteIds.length);
}
