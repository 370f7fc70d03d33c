import type { ServiceFailure } from '../service/failures';
import type { Poll } from './reading';
import { failingSites, nothingRead, refusedSites, slowRound } from './sentences';
import type { BlindSpot } from './sentences';
import type { State } from './state';

/**
 * How many times in a row a site must fail before it is reported. Once or twice happens to any service, while it is
 * restarted or a gateway is slow, and would only wake somebody; what lasts for three polls will not pass by itself.
 */
const MAX_SILENT_POLLS = 3;

/**
 * How many polls a round may take before it is reported. A few are fine, a rate limit decides; after ten, changes
 * are noticed later than anyone expects who has chosen the interval.
 */
export const MAX_ROUND = 10;

/**
 * Whether the service has a final answer for a site that was never read: it does not exist, or is closed to this
 * user. Most likely its ID is mistyped, and no later poll will change that.
 */
function isRefused({ wasRead, failure: { subject, httpStatus = 0 } }: BlindSpot): boolean {
	return !wasRead && subject === 'site' && httpStatus >= 400 && httpStatus < 500;
}

/**
 * What a person must know about the sites that are not read, if it is time to say it and has not been said. Notes in
 * the state what it reports.
 *
 * @param spots the sites that could not be read in this poll
 */
export function reportBlindSpots(
	state: State,
	{ occasion, siteIds, results, heldBack }: Poll,
	spots: BlindSpot[],
): ServiceFailure | undefined {
	const isNew = ({ siteId }: BlindSpot) => !state.reported.includes(siteId);
	const note = (reported: BlindSpot[]) => {
		state.reported.push(...reported.filter(isNew).map(({ siteId }) => siteId));
	};
	const isOutage = spots.length === results.size;
	const reason = spots[0]?.failure ?? heldBack;

	const refused = spots.filter(isRefused);
	if (occasion === 'activation') {
		// Not noted: n8n repeats the activation, which must fail again
		if (refused.length > 0) return refusedSites(refused);
		return isOutage ? reason : undefined;
	}
	const newlyRefused = refused.filter(isNew);
	if (newlyRefused.length > 0) {
		note(newlyRefused);
		return refusedSites(newlyRefused);
	}
	if (isOutage && reason) {
		const { polls, isReported } = state.outage;
		const isKnown = spots.length === siteIds.length && !spots.some(isNew);
		// With a rejected login, waiting changes nothing
		const isDue = polls >= MAX_SILENT_POLLS || reason.subject === 'credential';
		if (isReported || isKnown || !isDue) return undefined;
		state.outage = { polls, isReported: true };
		note(spots);
		return nothingRead(reason, polls);
	}
	const due = spots.filter((spot) => spot.polls >= MAX_SILENT_POLLS && isNew(spot));
	if (due.length > 0) {
		note(due);
		return failingSites(due);
	}
	const { polls, left, isReported } = state.round;
	if (polls < MAX_ROUND || isReported) return undefined;
	state.round = { polls, left, isReported: true };
	return slowRound(polls, left, siteIds.length);
}
