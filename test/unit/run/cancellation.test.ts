import { Cancellation, StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import { FakeClock, settle, stopTime } from '../../tools/helpers/fake-clock';

// As in n8n 1.x: `sleep` knows no signal
jest.mock('n8n-workflow', () => {
	const workflow = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	return { ...workflow, sleep: async (milliseconds: number) => await workflow.sleep(milliseconds) };
});

test('a stopped run is known to n8n by the word "canceled"', () => {
	expect(String(new StoppedError())).toMatch(/^StoppedError: .*\bcanceled\b/);
});

test('a pause ends after its time, or when the run is stopped, also where n8n lets nobody end a wait', async () => {
	const clock = stopTime();
	const run = new Cancellation();
	const ended = jest.fn();
	void run.pause(1000).then(ended);
	void run.pause(5000).then(ended);
	await clock.advance(999);
	expect(ended).not.toHaveBeenCalled();
	await clock.advance(2);
	expect(ended).toHaveBeenCalledTimes(1);
	run.stop();
	await settle();
	expect(ended).toHaveBeenCalledTimes(2);
});

test('a pause of nothing is one turn of the event loop; in a stopped run, no pause takes any time', async () => {
	const clock = new FakeClock();
	const stopped = new Cancellation(clock);
	stopped.stop();
	await stopped.pause(1000);
	const ended = jest.fn();
	void new Cancellation(clock).pause(0).then(ended);
	await settle();
	expect(ended).not.toHaveBeenCalled();
	await clock.advance(1);
	expect(ended).toHaveBeenCalled();
});

test('work is aborted at the deadline that it sets, or when it has ended', async () => {
	const clock = new FakeClock();
	const run = new Cancellation(clock);
	const aborted: number[] = [];
	const start = async (deadline: number, takes: number) =>
		await run.run(async ({ signal, setDeadline }) => {
			setDeadline(deadline);
			signal.addEventListener('abort', () => aborted.push(clock.now()));
			await clock.sleep(takes);
		});
	for (const deadline of [100, 300, 50]) void start(deadline, 200);
	await clock.advance(500);
	expect(aborted).toEqual([50, 100, 200]);
});

test('work is aborted and left alone when the run is stopped', async () => {
	const clock = new FakeClock();
	const run = new Cancellation(clock);
	const signals: AbortSignal[] = [];
	const deaf = run.run(async ({ signal }) => {
		signals.push(signal);
		await new Promise(() => undefined);
	});
	run.stop();
	await expect(deaf).rejects.toThrow(StoppedError);
	await expect(run.run(() => Promise.resolve())).rejects.toThrow(StoppedError);
	expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
