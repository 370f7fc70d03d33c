import { Cancellation } from '../../../nodes/AquacultureSite/run/cancellation';
import type { Job } from '../../../nodes/AquacultureSite/run/job';
import { Line } from '../../../nodes/AquacultureSite/run/line';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { range } from './farm';

const jobAt = (place: number) => ({ place }) as Job;

const TIMEOUT_MS = 2000;

/** A line whose requests are all accepted after `takes(now)` milliseconds; which were sent when, and how many at once. */
function lineOf(takes: (now: number) => number, maxConcurrency = 500) {
	const clock = new FakeClock();
	const sent: { place: number; at: number; inFlight: number }[] = [];
	let inFlight = 0;
	const deliver = async ({ place }: Job) => {
		const at = clock.now();
		sent.push({ place, at, inFlight: ++inFlight });
		await clock.sleep(takes(at));
		inFlight--;
		line.adapt(at, TIMEOUT_MS);
		return true;
	};
	const line = new Line(
		maxConcurrency,
		new Cancellation(clock),
		{ loggingIn: undefined },
		{ reserve: () => clock.now() },
		deliver,
		() => undefined,
	);
	const add = (places: number[]) => places.forEach((place) => line.add(jobAt(place)));
	return { clock, line, sent, add };
}

test('sites are sent in their order, whenever they come', async () => {
	const { clock, line, sent, add } = lineOf(() => 5, 1);
	line.hold(true);
	add([2, 5, 4, 3]);
	await clock.advance(100);
	expect(sent).toEqual([]);
	line.hold(false);
	await clock.advance(100);
	expect(sent.map(({ place }) => place)).toEqual([2, 3, 4, 5]);
	expect(line.isIdle).toBe(true);
});

test('requests start one by one, not all at once: 64 at first, then one more with each success', async () => {
	const { clock, sent, add } = lineOf(() => 200);
	add(range(300));
	await clock.advance(150);
	expect(sent.map(({ at }) => at)).toEqual(range(64, 0));
	await clock.advance(10_000);
	expect(sent).toHaveLength(300);
	expect(Math.max(...sent.map(({ inFlight }) => inFlight))).toBeGreaterThan(100);
});

test('fewer are in flight if requests wait for each other; not if the service is slow by nature', async () => {
	const mostAtEnd = async (takes: (now: number) => number) => {
		const { clock, sent, add } = lineOf(takes);
		add(range(1000));
		await clock.advance(3_600_000);
		expect(sent).toHaveLength(1000);
		return Math.max(...sent.slice(-100).map(({ inFlight }) => inFlight));
	};
	// One worker
	let isFreeAt = 0;
	const queue = (now: number) => (isFreeAt = Math.max(isFreeAt, now) + 50) - now;
	expect(await mostAtEnd(queue)).toBeLessThan(40);
	expect(await mostAtEnd(() => 900)).toBeGreaterThanOrEqual(64);
	let sites = 0;
	expect(await mostAtEnd(() => (sites++ < 500 && sites % 2 ? 5 : 900))).toBeGreaterThan(40);
});

test('a probe is sent although the others are held, as soon as there is room for it', async () => {
	const { clock, line, sent, add } = lineOf(() => 100, 2);
	add([1, 2, 3]);
	await clock.advance(10);
	line.hold(true);
	void line.probe(jobAt(4));
	await clock.advance(1000);
	const times = sent.map(({ place, at }) => `${place} at ${at}`);
	expect(times).toEqual(['1 at 0', '2 at 1', '4 at 100']);
});
