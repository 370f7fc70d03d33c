import { once } from 'node:events';
import fc from 'fast-check';
import { type Retry, ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import type { SiteService } from '../../../nodes/AquacultureSite/run/SiteService';
import { StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import {
	inReadOrder,
	nextReadOrder,
	readFirstSite,
	readSites,
} from '../../../nodes/AquacultureSite/trigger/reading';
import { forAll } from '../../tools/helpers/fuzz';

const SITE = { siteId: 1, siteName: 'Storholmen' };
const BOUNDS = { apiVersion: '2025-01-01', milliseconds: 36_000 };

const failure = (message: string, retry: Retry = 'no', scope?: 'run') =>
	new ServiceFailure(message, 'Wait', { subject: 'site', retry, scope });

/** A service at which these sites fail, or hang, and all others can be read. */
function serviceWith(results: Record<string, Error | 'hangs'>) {
	const requested: string[] = [];
	const stopped = new AbortController();
	const service = {
		url: 'https://api.example.com',
		hasRequested: (siteId: string) => requested.includes(siteId),
		stop: () => stopped.abort(),
		read: async ({ siteId }: { siteId: string }) => {
			requested.push(siteId);
			const result = results[siteId];
			if (!result) return { body: SITE };
			if (result !== 'hangs') throw result;
			await once(stopped.signal, 'abort');
			throw new StoppedError();
		},
	};
	return { requested, service: service as unknown as SiteService };
}

afterEach(() => jest.restoreAllMocks());

describe('the read order', () => {
	test('starts with new sites, without those that were removed', () => {
		expect(inReadOrder(['1', '2', '3', '4'], ['4', '9', '2'])).toEqual(['1', '3', '4', '2']);
	});

	test('leaves no site out for good, however few a poll reaches', () => {
		const aFew = fc.integer({ min: 1, max: 12 });
		forAll([aFew, aFew], (total, perPoll) => {
			const siteIds = Array.from({ length: total }, (_, index) => String(index));
			const reads = new Map(siteIds.map((siteId) => [siteId, 0]));
			let readOrder: string[] = [];
			for (let poll = 0; poll < 30; poll++) {
				const ordered = inReadOrder(siteIds, readOrder);
				const reached = ordered.slice(0, perPoll);
				for (const siteId of reached) reads.set(siteId, (reads.get(siteId) ?? 0) + 1);
				const results = new Map(reached.map((siteId) => [siteId, SITE]));
				readOrder = nextReadOrder(ordered, { results });
				const counts = [...reads.values()];
				expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
			}
		});
	});
});

test('what was read before the time was over is kept', async () => {
	const time = new AbortController();
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
	const { service } = serviceWith({ 2: 'hangs' });
	const reading = readSites(service, ['1', '2'], { reason: 'schedule', ...BOUNDS });
	await Promise.resolve();
	time.abort();
	const { results, interruption } = await reading;
	expect([...results]).toEqual([['1', SITE]]);
	expect(interruption).toMatchObject({ message: 'The service did not respond in time' });
});

test('a failure of a site is its own; one of the login or of the load says why it was not reached', async () => {
	for (const [own, isOfSite] of [
		[failure('Failed'), true],
		[failure('Busy', 'overloaded'), true],
		[failure('Limited', 'rateLimited'), false],
		[failure('No login', 'no', 'run'), false],
	] as const) {
		const { service } = serviceWith({ 1: own });
		const { results, interruption } = await readSites(service, ['1'], {
			reason: 'schedule',
			...BOUNDS,
		});
		expect([results.size, interruption?.message]).toEqual(
			isOfSite ? [1, undefined] : [0, own.message],
		);
	}
});

describe('for a test event', () => {
	test.each<[string, Error, requested: string[]]>([
		['until one can be read', failure('Failed'), ['1', '2', '3']],
		['not where the service limits the rate', failure('Limited', 'rateLimited'), ['1', '2']],
		['not where the login fails', failure('No login', 'no', 'run'), ['1', '2']],
		['not where the run is over', new StoppedError(), ['1', '2']],
	])('sites are requested one after the other, %s', async (_, second, expected) => {
		const first = failure('First');
		const { service, requested } = serviceWith({ 1: first, 2: second });
		const reading = readFirstSite(service, ['1', '2', '3', '4'], BOUNDS);
		if (expected.length === 3) expect(await reading).toBe(SITE);
		else await expect(reading).rejects.toThrow('First');
		expect(requested).toEqual(expected);
	});

	test("n8n's own error is thrown on", async () => {
		const unusable = new Error('The credential cannot be used');
		const { service } = serviceWith({ 1: unusable });
		await expect(readFirstSite(service, ['1', '2'], BOUNDS)).rejects.toBe(unusable);
	});
});
