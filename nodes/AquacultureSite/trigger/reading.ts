// What a poll has read when its time is over.
import { StoppedError } from '../run/cancellation';
import type { SiteService } from '../run/SiteService';
import { connectionFailure } from '../service/messages/networkFailures';
import { asFailure, ServiceFailure } from '../service/messages/failures';
import { after } from '../utils/timer';
import { SITE_PARTS } from '../site/site';
import type { Site } from '../site/site';
import { toTriggerFailure } from './reports';

// One retry: a site that fails again is read again soon
const REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

// Shorter than the shortest interval of n8n, a minute, with time to compare, to store and to report
const LONGEST_POLL_MS = 36_000;

/** What a poll has found out. */
export interface Reading {
	/** Each site that was requested, or why it could not be read. A site that is not in it was not reached. */
	results: Map<string, Site | ServiceFailure>;
	/** Why sites were not reached; undefined if all were. */
	interruption?: ServiceFailure;
}

/**
 * Reads sites side by side, started in their order, until all are read or the time is over. What has been read
 * by then is kept.
 *
 * @param again for the advice, see {@link toTriggerFailure}
 * @throws n8n's own error
 */
export async function readSites(
	service: SiteService,
	siteIds: string[],
	apiVersion: string,
	again?: string,
): Promise<Reading> {
	const reading: Reading = { results: new Map() };
	after(LONGEST_POLL_MS, () => service.stop());
	const read = async (siteId: string) => {
		try {
			const { body } = await service.read({ siteId, apiVersion, ...REQUEST });
			reading.results.set(siteId, body);
		} catch (error) {
			const isOver = error instanceof StoppedError;
			const failure = isOver ? connectionFailure(['ETIMEDOUT'], service.url) : asFailure(error);
			const worded = toTriggerFailure(failure, again);
			if (isOver || failure.scope === 'run') reading.interruption ??= worded;
			else reading.results.set(siteId, worded);
		}
	};
	await Promise.all(siteIds.map(read)).finally(() => service.stop());
	return reading;
}

/** For a test event. @throws ServiceFailure why the first site could not be read */
export async function readFirstSite(service: SiteService, siteIds: string[], apiVersion: string) {
	const again = 'Fetch a test event again';
	const reading = await readSites(service, siteIds.slice(0, 1), apiVersion, again);
	const [first = reading.interruption as ServiceFailure] = reading.results.values();
	if (first instanceof ServiceFailure) throw first;
	return first;
}
