import { StoppedError } from '../run/cancellation';
import type { SiteService } from '../run/SiteService';
import { connectionFailure } from '../service/connectionFailures';
import { ServiceFailure } from '../service/failures';
import { after } from '../service/timer';
import { SITE_PARTS } from '../site/site';
import type { Site } from '../site/site';
import type { PollReason } from './activation';
import { toTriggerFailure } from './reports';

// One retry: a site that fails again is read again soon
const REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

/** What a poll has found out. */
export interface Reading {
	/** Each site that was requested, or why it could not be read. A site that is not in it was not reached. */
	results: Map<string, Site | ServiceFailure>;
	/** Why sites were not reached; undefined if all were. */
	interruption?: ServiceFailure;
}

/** One poll, after its sites were read. */
export interface Poll extends Reading {
	reason: PollReason;
	/** All sites of the list, in its order. */
	siteIds: string[];
	now: Date;
}

/**
 * The order in which a poll reads the sites of the list: new ones, then those that were read longest ago. That way,
 * a rate limit or a slow service leaves out no site for good.
 *
 * @param readOrder after the latest poll
 */
export function inReadOrder(siteIds: string[], readOrder: string[]): string[] {
	const [listed, known] = [new Set(siteIds), new Set(readOrder)];
	return [...siteIds.filter((id) => !known.has(id)), ...readOrder.filter((id) => listed.has(id))];
}

/** The order after a poll: what it has requested comes last. */
export function nextReadOrder(ordered: string[], { results }: Reading): string[] {
	return [...ordered.filter((id) => !results.has(id)), ...ordered.filter((id) => results.has(id))];
}

interface Bounds {
	reason: PollReason;
	/** A date, YYYY-MM-DD. */
	apiVersion: string;
	/** How long it may take. */
	milliseconds: number;
}

/**
 * Reads sites side by side, started in their order, until all are read or the time is over. What has been read
 * by then is kept.
 *
 * @throws n8n's own error, e.g. if the credential cannot be used
 */
export async function readSites(
	service: SiteService,
	siteIds: string[],
	{ reason, apiVersion, milliseconds }: Bounds,
): Promise<Reading> {
	const reading: Reading = { results: new Map() };
	stopAfter(milliseconds, service);
	const read = async (siteId: string) => {
		const { body } = await service.read({ siteId, apiVersion, ...REQUEST });
		reading.results.set(siteId, body);
	};
	const fail = (siteId: string, error: unknown) => {
		const failure = toTriggerFailure(reason, toFailure(error, service));
		const wasRequested = !(error instanceof StoppedError) && service.hasRequested(siteId);
		if (wasRequested && isOfSite(failure)) reading.results.set(siteId, failure);
		else reading.interruption ??= failure;
	};
	await Promise.all(
		siteIds.map(async (siteId) => {
			await read(siteId).catch((error: unknown) => fail(siteId, error));
		}),
	);
	return reading;
}

/**
 * The first of the sites that can be read; they are requested one after the other.
 *
 * @throws ServiceFailure why the first one could not be read, if none can
 */
export async function readFirstSite(
	service: SiteService,
	siteIds: string[],
	{ apiVersion, milliseconds }: Omit<Bounds, 'reason'>,
): Promise<Site> {
	stopAfter(milliseconds, service);
	let first: unknown;
	for (const siteId of siteIds) {
		try {
			return (await service.read({ siteId, apiVersion, ...REQUEST })).body;
		} catch (error) {
			const failure = toFailure(error, service);
			first ??= toTriggerFailure('test', failure);
			if (error instanceof StoppedError || !isOfSite(failure)) break;
		}
	}
	throw first;
}

/**
 * Why a site was not read; if the time was over, the service has not responded in time.
 *
 * @throws n8n's own error
 */
function toFailure(error: unknown, { url }: SiteService): ServiceFailure {
	if (error instanceof StoppedError) return connectionFailure(['ETIMEDOUT'], url);
	if (error instanceof ServiceFailure) return error;
	throw error;
}

function stopAfter(milliseconds: number, service: SiteService): void {
	after(milliseconds, () => service.stop());
}

/** Whether the site itself was answered: a login that failed or a rate limit says nothing about it. */
function isOfSite({ scope, retry }: ServiceFailure): boolean {
	return scope !== 'run' && retry !== 'rateLimited';
}
