import { connectionFailure } from '../service/connectionFailures';
import { ServiceFailure } from '../service/failures';
import type { SiteService } from '../service/SiteService';
import { StoppedError } from '../service/stopping';
import { SITE_PARTS } from '../site/site';
import type { Site } from '../site/site';
import type { Occasion } from './activation';
import { wordFor } from './sentences';

// One retry: a site that fails again has its next turn soon
const REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

/** What a poll has found out. */
export interface Reading {
	/** Each site that had its turn, or why it could not be read. A site that is not in it was not reached. */
	results: Map<string, Site | ServiceFailure>;
	/** Why sites were not reached; undefined where all were. */
	heldBack?: ServiceFailure;
}

/** One poll, after its sites were read. */
export interface Poll extends Reading {
	occasion: Occasion;
	/** All sites of the list, in the order of their turns. */
	siteIds: string[];
	now: Date;
}

interface Bounds {
	occasion: Occasion;
	/** A date, YYYY-MM-DD. */
	apiVersion: string;
	/** How long it may take. */
	milliseconds: number;
}

/**
 * Reads sites side by side, those first that come first, until all are read or the time is over. What has been read
 * by then is kept.
 *
 * @throws n8n's own error, e.g. where the credential cannot be used
 */
export async function readSites(
	service: SiteService,
	siteIds: string[],
	{ occasion, apiVersion, milliseconds }: Bounds,
): Promise<Reading> {
	const reading: Reading = { results: new Map() };
	stopAfter(milliseconds, service);
	const read = async (siteId: string) => {
		const { body } = await service.read({ siteId, apiVersion, ...REQUEST });
		reading.results.set(siteId, body);
	};
	const fail = (siteId: string, error: unknown) => {
		const failure = wordFor(occasion, toFailure(error, service));
		const hadTurn = !(error instanceof StoppedError) && service.hasRequested(siteId);
		if (hadTurn && isOfSite(failure)) reading.results.set(siteId, failure);
		else reading.heldBack ??= failure;
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
 * @throws ServiceFailure why the first one could not be read, where none can
 */
export async function readFirstSite(
	service: SiteService,
	siteIds: string[],
	{ apiVersion, milliseconds }: Omit<Bounds, 'occasion'>,
): Promise<Site> {
	stopAfter(milliseconds, service);
	let first: unknown;
	for (const siteId of siteIds) {
		try {
			return (await service.read({ siteId, apiVersion, ...REQUEST })).body;
		} catch (error) {
			const failure = toFailure(error, service);
			first ??= wordFor('test', failure);
			if (error instanceof StoppedError || !isOfSite(failure)) break;
		}
	}
	throw first;
}

/**
 * Why a site was not read; where the time was over, the service has not responded in time.
 *
 * @throws n8n's own error
 */
function toFailure(error: unknown, { url }: SiteService): ServiceFailure {
	if (error instanceof StoppedError) return connectionFailure(['ETIMEDOUT'], url);
	if (error instanceof ServiceFailure) return error;
	throw error;
}

function stopAfter(milliseconds: number, service: SiteService): void {
	AbortSignal.timeout(milliseconds).addEventListener('abort', () => service.stop());
}

/** Whether the site itself was answered: a login that failed or a rate limit says nothing about it. */
function isOfSite({ scope, retry }: ServiceFailure): boolean {
	return scope !== 'run' && retry !== 'rateLimited';
}
