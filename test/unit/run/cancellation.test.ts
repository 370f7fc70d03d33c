import { Cancellation, StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import { FakeClock, settle } from '../../tools/helpers/fake-clock';

test('a stopped run is known to n8n by the word "canceled"', () => {
	expect(String(new StoppedError())).toMatch(/^StoppedError: .*\bcanceled\b/);
});

test('a pause ends after its time, in the next turn of the event loop if it is none, or when the run is stopped', async () => {
	const clock = new FakeClock();
	const run = new Cancellation(clock);
	const ended: number[] = [];
	for (const time of [0, 1000, 5000]) void run.pause(time).then(() => ended.push(time));
	await settle();
	expect(ended).toEqual([]);
	await clock.advance(999);
	expect(ended).toEqual([0]);
	await clock.advance(2);
	expect(ended).toEqual([0, 1000]);
	run.stop();
	await run.pause(5000);
	await settle();
	expect(ended).toEqual([0, 1000, 5000]);
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

test('work is aborted when the run is stopped, and none begins after that', async () => {
	const run = new Cancellation(new FakeClock());
	const signals: AbortSignal[] = [];
	const start = async () =>
		await run.run(async ({ signal }) => await Promise.resolve(signals.push(signal)));
	for (let i = 0; i < 2; i++) void start();
	run.stop();
	expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
	await expect(start()).rejects.toThrow(StoppedError);
});
