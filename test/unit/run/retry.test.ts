import { backoff, type Result, retry } from '../../../nodes/AquacultureSite/run/retry';
import {
	type Retry,
	ServiceFailure,
} from '../../../nodes/AquacultureSite/service/messages/failures';

const failure = (kind: Retry, retryAfter?: number) =>
	new ServiceFailure('No', 'Wait', { subject: 'service', retry: kind, retryAfter });

const PASSING: Result<string> = { failure: failure('retry'), isLoad: false };
const LOAD: Result<string> = { failure: failure('rateLimited', 60_000), isLoad: true };
const FINAL: Result<string> = { failure: failure('no'), isLoad: false };
const READ: Result<string> = { value: 'read' };

/** What comes of a request that gets these results one after the other. */
async function send(results: Result<string>[], maxRetries = 3) {
	const sent: boolean[] = [];
	const pauses: number[] = [];
	const result = retry(
		async (isRetry) => {
			sent.push(isRetry);
			return await Promise.resolve(results[sent.length - 1] ?? PASSING);
		},
		maxRetries,
		async (milliseconds) => {
			pauses.push(milliseconds);
			await Promise.resolve();
		},
	);
	return { end: await result.catch((error: unknown) => error), sent, pauses };
}

beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.5));
test('the backoff begins with a second, doubles, and is never longer than eight', () => {
	expect([1, 2, 3, 4, 5, 6].map(backoff)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
});

test('what succeeds is sent once', async () => {
	expect(await send([READ])).toEqual({ end: 'read', sent: [false], pauses: [] });
});

test('what no retry can change is sent once', async () => {
	expect(await send([FINAL, READ])).toMatchObject({ end: FINAL.failure, sent: [false] });
});

test.each([0, 1, 3])(
	'what may pass is retried %i times, as Max Retries says',
	async (maxRetries) => {
		const { end, sent } = await send([], maxRetries);
		expect(end).toBe(PASSING.failure);
		expect(sent).toEqual([false, ...Array.from({ length: maxRetries }, () => true)]);
	},
);

test('a retry waits for a random share of the backoff', async () => {
	expect((await send([PASSING, PASSING, READ])).pauses).toEqual([500, 1000]);
});

test('a retry waits for Retry-After, if that is longer', async () => {
	const asked = [200, 2000].map((wait) => ({
		failure: failure('overloaded', wait),
		isLoad: false,
	}));
	expect((await send([...asked, READ])).pauses).toEqual([500, 2000]);
});

test('a request that is refused for the load goes back to the line at once: that is no retry of its own', async () => {
	const { end, sent, pauses } = await send([LOAD, LOAD, PASSING, LOAD, READ], 1);
	expect(end).toBe('read');
	expect(sent).toEqual([false, true, true, true, true]);
	expect(pauses).toEqual([500]);
});

test('a site waits for the load ten times at most', async () => {
	const results = Array.from({ length: 20 }, () => LOAD);
	const { end, sent } = await send(results);
	expect(end).toBe(LOAD.failure);
	expect(sent).toHaveLength(1 + 10);
});

test('what sending throws ends it', async () => {
	const stopped = new Error('Stopped');
	const pause = jest.fn();
	await expect(retry(async () => await Promise.reject(stopped), 3, pause)).rejects.toBe(stopped);
	expect(pause).not.toHaveBeenCalled();
});
