import { getEventListeners } from 'node:events';
import { Farm, range } from './farm';

describe('stopping a run', () => {
	test('ends all at once, whatever it waits for', async () => {
		for (const answer of [{ status: 503 }, { status: 200, takes: 60_000 }]) {
			const farm = new Farm(() => answer);
			const stopping = new AbortController();
			farm.clock.after(2000, () => stopping.abort());
			await farm.read(range(100), farm.service('0', {}, stopping.signal));
			expect(farm.clock.now()).toBe(2000);
			expect(farm.unread).toHaveLength(100);
			const { length } = farm.sent;
			await farm.clock.advance(120_000);
			expect(farm.sent).toHaveLength(length);
		}
	});

	test('before it has begun sends nothing', async () => {
		const farm = new Farm(() => ({ status: 200 }));
		await farm.read([1, 2], farm.service('0', {}, AbortSignal.abort()));
		expect([farm.unread, farm.sent]).toEqual([[1, 2], []]);
	});
});

test('what is asked for after a run has been given up is told why, and what was read', async () => {
	const farm = new Farm(({ at }) => ({ status: at < 100 ? 200 : 502 }));
	const run = await farm.read(range(1000));
	const read = 1000 - farm.unread.length;
	const { length } = farm.sent;
	const later = { siteId: '1001', parts: [], apiVersion: '', timeout: 1000, maxRetries: 3 };
	await expect(run.read(later)).rejects.toMatchObject({
		message: 'Not requested because the service is unavailable',
		description: expect.stringMatching(`^${read} sites were read before that. .*502`) as unknown,
	});
	expect(farm.sent).toHaveLength(length);
});

test('an execution with a loop of 200 runs keeps neither their listeners nor a rate limit', async () => {
	const farm = new Farm(({ site, at }) => ({ status: site > 2 ? 404 : at && at < 99 ? 429 : 200 }));
	const { signal } = new AbortController();
	for (let loop = 0; loop < 200; loop++) {
		const run = await farm.read([1, 2, 3], farm.service('0', {}, signal));
		run.stop();
		expect([getEventListeners(signal, 'abort'), run.hints().length]).toEqual([[], loop ? 0 : 3]);
	}
});

test('a site that is asked for again has the longest timeout and the most retries that were asked for', async () => {
	let tries = 0;
	const farm = new Farm(({ site }) => ({
		status: site === 1 && ++tries < 3 ? 500 : 200,
		takes: site === 1 ? 1500 : 5,
	}));
	const run = farm.service();
	const request = { siteId: '1', parts: [], apiVersion: '2025-01-01' };
	const first = run.read({ ...request, maxRetries: 0, timeout: 1000 });
	await farm.read([1, ...range(50, 2)], run, { maxRetries: 3, timeout: 2000 });
	await first;
	expect([farm.unread, tries]).toEqual([[], 3]);
});

test('hints say what the run waited for, and how often it had to ask again', async () => {
	const farm = new Farm(({ at }) => ({ status: at < 2000 ? 502 : 200 }));
	const run = await farm.read(range(20));
	expect(run.hints()).toEqual([
		expect.stringMatching(/^Paused for [23] seconds in total because .* \(status 502\)\.$/),
		expect.stringMatching(/^Requests were retried \d+ times\.$/),
	]);
	expect((await farm.read(range(20))).hints()).toEqual([]);
});
