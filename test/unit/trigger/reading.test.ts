import { once } from 'node:events';
import { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import type { SiteService } from '../../../nodes/AquacultureSite/run/SiteService';
import { StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import { readFirstSite, readSites } from '../../../nodes/AquacultureSite/trigger/reading';

const SITE = { siteId: 1, siteName: 'Storholmen' };
const apiVersion = '2025-01-01';

const failure = (message: string, scope?: 'run') =>
	new ServiceFailure(message, 'Wait', { subject: 'site', scope });

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

test('what was read before the time was over is kept', async () => {
	const time = new AbortController();
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
	const { service } = serviceWith({ 2: 'hangs' });
	const reading = readSites(service, ['1', '2'], apiVersion);
	await Promise.resolve();
	time.abort();
	const { results, interruption } = await reading;
	expect([...results]).toEqual([['1', SITE]]);
	expect(interruption).toMatchObject({ message: 'The service did not respond in time' });
});

test('a failure of a site is its own; one of the run says why it was not reached', async () => {
	for (const [own, isOfSite] of [
		[failure('Failed'), true],
		[failure('Not reached', 'run'), false],
	] as const) {
		const { service } = serviceWith({ 1: own });
		const { results, interruption } = await readSites(service, ['1'], apiVersion);
		expect([results.size, interruption?.message]).toEqual(
			isOfSite ? [1, undefined] : [0, own.message],
		);
	}
});

describe('for a test event', () => {
	test.each<[string, Error, requested: string[]]>([
		['until one can be read', failure('Failed'), ['1', '2', '3']],
		['not where no site can be read', failure('No login', 'run'), ['1', '2']],
		['not where the run is over', new StoppedError(), ['1', '2']],
	])('sites are requested one after the other, %s', async (_, second, expected) => {
		const first = failure('First');
		const { service, requested } = serviceWith({ 1: first, 2: second });
		const reading = readFirstSite(service, ['1', '2', '3', '4'], apiVersion);
		if (expected.length === 3) expect(await reading).toBe(SITE);
		else await expect(reading).rejects.toThrow('First');
		expect(requested).toEqual(expected);
	});

	test("n8n's own error is thrown on", async () => {
		const unusable = new Error('The credential cannot be used');
		const { service } = serviceWith({ 1: unusable });
		await expect(readFirstSite(service, ['1', '2'], apiVersion)).rejects.toBe(unusable);
	});
});
