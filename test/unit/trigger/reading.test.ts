import { once } from 'node:events';
import { CONNECTION_RULES } from '../../../nodes/AquacultureSite/service/messages/rules';
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
	return { requested, stopped: stopped.signal, service: service as unknown as SiteService };
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
	expect(interruption).toMatchObject({ message: CONNECTION_RULES.late.message });
});

test('a failure of a site is its own; one of the run says why it was not reached', async () => {
	for (const [own, isOfSite] of [
		[failure('Failed'), true],
		[failure('Not reached', 'run'), false],
	] as const) {
		const { service, stopped } = serviceWith({ 1: own });
		const { results, interruption } = await readSites(service, ['1'], apiVersion);
		expect([results.size, interruption?.message, stopped.aborted]).toEqual(
			isOfSite ? [1, undefined, true] : [0, own.message, true],
		);
	}
});

describe('for a test event', () => {
	test('the first site is requested alone', async () => {
		const { service, requested } = serviceWith({});
		expect(await readFirstSite(service, ['1', '2'], apiVersion)).toBe(SITE);
		expect(requested).toEqual(['1']);
	});

	test.each([failure('Failed'), failure('No login', 'run')])(
		'what became of it instead is thrown: $message',
		async (first) => {
			const { service } = serviceWith({ 1: first });
			await expect(readFirstSite(service, ['1', '2'], apiVersion)).rejects.toMatchObject({
				message: first.message,
				advice: ['Wait'],
			});
		},
	);

	test("n8n's own error is thrown on", async () => {
		const unusable = new Error('The credential cannot be used');
		const { service } = serviceWith({ 1: unusable });
		await expect(readFirstSite(service, ['1', '2'], apiVersion)).rejects.toBe(unusable);
	});
});
