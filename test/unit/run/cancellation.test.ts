import type { RequestBounds } from '../../../nodes/AquacultureSite/service/http/request';
import { StoppedError, Cancellation } from '../../../nodes/AquacultureSite/run/cancellation';
import { FakeClock, settle } from '../../tools/helpers/fake-clock';
import { stopClock } from '../../tools/helpers/stop-clock';

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
		const stopping = new Cancellation();
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
			const stopping = new Cancellation();
			if (isBefore) stopping.stop();
			const pause = stopping.pause(1000);
			expect(stopping.stop()).toBeInstanceOf(StoppedError);
			await pause;
		},
	);
});

test('a pause of nothing is one turn of the event loop, also after the run was stopped', async () => {
	const clock = new FakeClock();
	const stopping = new Cancellation(clock);
	stopping.stop();
	const ended = jest.fn();
	void stopping.pause(0).then(ended);
	await settle();
	expect(ended).not.toHaveBeenCalled();
	await clock.advance(1);
	expect(ended).toHaveBeenCalled();
});

test('work is aborted at the deadline that it set last; that is checked once, whatever was set before', async () => {
	const clock = new FakeClock();
	const checks = jest.spyOn(clock, 'after');
	const stopping = new Cancellation(clock);
	const aborted: number[] = [];
	const start = (...deadlines: number[]) =>
		stopping
			.run(async ({ signal, setDeadline }) => {
				signal.addEventListener('abort', () => aborted.push(clock.now()));
				deadlines.forEach(setDeadline);
				await new Promise(() => undefined);
			})
			.catch(() => undefined);
	for (const deadlines of [[100], [300, 50], [20, 50]]) void start(...deadlines);
	await clock.advance(60);
	void start(140);
	await clock.advance(200);
	expect(aborted).toEqual([50, 50, 100, 200]);
	// When they were set: 100, 50 and 20; then, as each is over, the next ones: 100 and 50, 100, 200
	expect(checks).toHaveBeenCalledTimes(7);
});

describe('work', () => {
	afterEach(() => jest.restoreAllMocks());

	test('has one timer in common, however much of it there is, and is not aborted when it has ended', async () => {
		const clock = stopClock();
		const timers = jest.spyOn(AbortSignal, 'timeout');
		const stopping = new Cancellation();
		const signals: AbortSignal[] = [];
		for (let second = 0; second < 30; second++) {
			await stopping.run(({ signal, setDeadline }) => {
				signals.push(signal);
				setDeadline(10_000);
				return Promise.resolve();
			});
			clock.advance(1000);
		}
		expect(timers.mock.calls).toHaveLength(3);
		expect(signals.filter(({ aborted }) => aborted)).toEqual([]);
	});

	test('is aborted when the run is stopped, until it has ended', async () => {
		const stopping = new Cancellation();
		const signals: AbortSignal[] = [];
		const work = async ({ signal }: RequestBounds) => {
			signals.push(signal);
			await settle();
		};
		await stopping.run(work);
		const underWay = stopping.run(work);
		stopping.stop();
		await expect(underWay).rejects.toThrow(StoppedError);
		await expect(stopping.run(work)).rejects.toThrow(StoppedError);
		expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
	});
});
