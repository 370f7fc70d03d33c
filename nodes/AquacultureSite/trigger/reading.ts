import { ServiceFailure } from '../service/failures';
import type { SiteService } from '../service/SiteService';
import { StoppedError } from '../service/stopping';
import { SITE_PARTS } from '../site/site';
import type { Site } from '../site/site';
import type { Occasion } from './activation';

// One retry: a site that fails again has its next turn soon
const REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

/** What a poll has found out. */
export interface Reading {
	/** Each site that had its turn, or why it could not be read. A site that is not in it was not reached. */
	results: Map<string, Site | ServiceFailure>;
	/** Why sites were not reached; undefined where the time was over. */
	heldBack?: ServiceFailure;
}

/** One poll, after its sites were read. */
export interface Poll extends Reading {
	occasion: Occasion;
	/** All sites of the list, in the order of their turns. */
	siteIds: string[];
	now: Date;
}

/**
 * Reads sites side by side, those first that come first, until all are read or the time is over. What has been read
 * by then is kept.
 *
 * @param milliseconds that it may take
 * @throws n8n's own error, e.g. where the credential cannot be used
 */
export async function readSites(
	service: SiteService,
	siteIds: string[],
	apiVersion: string,
	milliseconds: number,
): Promise<Reading> {
	const reading: Reading = { results: new Map() };
	AbortSignal.timeout(milliseconds).addEventListener('abort', () => service.stop());
	const read = async (siteId: string) => {
		const { body } = await service.read({ siteId, apiVersion, ...REQUEST });
		reading.results.set(siteId, body);
	};
	const fail = (siteId: string, error: unknown) => {
		if (error instanceof StoppedError) return;
		if (!(error instanceof ServiceFailure)) throw error;
		if (isOfSite(error) && service.hasRequested(siteId)) reading.results.set(siteId, error);
		else reading.heldBack ??= error;
	};
	await Promise.all(
		siteIds.map(async (siteId) => {
			await read(siteId).catch((error: unknown) => fail(siteId, error));
		}),
	);
	return reading;
}

/** The first of the sites that can be read; they are requested one after the other. */
export async function readFirstSite(
	service: SiteService,
	siteIds: string[],
	apiVersion: string,
): Promise<Site> {
	let failure: unknown;
	for (const siteId of siteIds) {
		try {
			return (await service.read({ siteId, apiVersion, ...REQUEST })).body;
		} catch (error) {
			failure ??= error;
			if (!(error instanceof ServiceFailure) || !isOfSite(error)) break;
		}
	}
	throw failure;
}

/** Whether the site itself was answered: a login that failed or a rate limit says nothing about it. */
function isOfSite({ scope, retry }: ServiceFailure): boolean {
	return scope !== 'run' && retry !== 'rateLimited';
}
