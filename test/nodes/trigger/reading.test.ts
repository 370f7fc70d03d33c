import type { SiteService } from '../../../nodes/AquacultureSite/service/SiteService';
import { StoppedError } from '../../../nodes/AquacultureSite/service/stopping';
import { readSites } from '../../../nodes/AquacultureSite/trigger/reading';

test('what was read before the time was over is kept', async () => {
	const time = new AbortController();
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
	const site = { siteId: 1, siteName: 'Storholmen' };
	const stopped = new AbortController();
	const service = {
		url: 'https://api.example.com',
		hasRequested: () => true,
		stop: () => stopped.abort(),
		read: async ({ siteId }: { siteId: string }) => {
			if (siteId === '1') return { body: site };
			await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
			throw new StoppedError();
		},
	};
	const bounds = { occasion: 'schedule', apiVersion: '2025-01-01', milliseconds: 36_000 } as const;
	const reading = readSites(service as unknown as SiteService, ['1', '2'], bounds);
	await Promise.resolve();
	time.abort();
	const { results, heldBack } = await reading;
	expect([...results]).toEqual([['1', site]]);
	expect(heldBack).toMatchObject({ message: 'The service did not respond in time' });
});
