import type { RequestBounds } from '../../../nodes/AquacultureSite/service/request';
import { StoppedError, Stopping } from '../../../nodes/AquacultureSite/service/stopping';
import { settle } from '../../helpers/fake-clock';

// As in n8n 1.x: `sleep` knows no signal
jest.mock('n8n-workflow', () => {
	const workflow = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	return { ...workflow, sleep: async (milliseconds: number) => await workflow.sleep(milliseconds) };
});

test('a stopped run is known to n8n by the word "canceled"', () => {
	expect(String(new StoppedError())).toMatch(/^StoppedError: .*\bcanceled\b/);
});

describe('a pause', () => {
	// No time passes but for the test's own
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
	afterEach(() => jest.useRealTimers());

	test('ends after its time', async () => {
		const stopping = new Stopping();
		const ended = jest.fn();
		void stopping.pause(1000).then(ended);
		await jest.advanceTimersByTimeAsync(999);
		expect(ended).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1);
		expect(ended).toHaveBeenCalled();
	});

	test.each([true, false])(
		'ends when the run is stopped, also where n8n lets nobody end a wait',
		async (isBefore) => {
			const stopping = new Stopping();
			if (isBefore) stopping.stop();
			const pause = stopping.pause(1000);
			stopping.stop();
			await pause;
			expect(stopping.signal.reason).toBeInstanceOf(StoppedError);
		},
	);
});

describe('work', () => {
	test('is aborted when the time is over that was set last, unless it has ended', async () => {
		const limits = [0, 1, 2].map(() => new AbortController());
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		for (const { signal } of limits) timeout.mockReturnValueOnce(signal);
		const stopping = new Stopping();
		const ended = await stopping.abortable(({ signal, setTimeLeft }) => {
			setTimeLeft(1000);
			return Promise.resolve(signal);
		});
		await stopping.abortable(({ signal, setTimeLeft }) => {
			setTimeLeft(2000);
			setTimeLeft(3000);
			const aborted = limits.map((limit) => {
				limit.abort();
				return signal.aborted;
			});
			expect(aborted).toEqual([false, false, true]);
			return Promise.resolve();
		});
		expect(ended.aborted).toBe(false);
		expect(timeout.mock.calls.flat()).toEqual([1000, 2000, 3000]);
	});

	test('is aborted when the run is stopped, until it has ended', async () => {
		const stopping = new Stopping();
		const signals: AbortSignal[] = [];
		const work = async ({ signal }: RequestBounds) => {
			signals.push(signal);
			await settle();
		};
		await stopping.abortable(work);
		const underWay = stopping.abortable(work);
		stopping.stop();
		await expect(underWay).rejects.toThrow(StoppedError);
		await expect(stopping.abortable(work)).rejects.toThrow(StoppedError);
		expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
	});

	test('that cannot be aborted is not waited for', async () => {
		const stopping = new Stopping();
		const underWay = stopping.abortable(async () => await new Promise(() => undefined));
		stopping.stop();
		await expect(underWay).rejects.toThrow(StoppedError);
	});
});
