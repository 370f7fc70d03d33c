import { type Retry, ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import { Pace } from '../../../nodes/AquacultureSite/service/pace';
import { Rate } from '../../../nodes/AquacultureSite/service/rate';
import { Retries } from '../../../nodes/AquacultureSite/service/retries';
import { FakeClock } from '../../helpers/fake-clock';
import { bucket, fixedWindow, type Limiter } from '../../helpers/limiters';
import { median } from '../../helpers/numbers';

// A simulation: no time passes, so that a limit of minutes takes milliseconds

let accounts = 0;

class Simulation {
	readonly stopping = new AbortController();

	readonly clock = new FakeClock(this.stopping.signal, 1);

	private readonly account = `account ${++accounts}`;

	constructor(
		private readonly limiter: Limiter,
		private readonly latency: number,
		private readonly hasRetryAfter: boolean,
	) {}

	/** One run: how many requests were refused, how many items were read, and how long it took. */
	async run(items: number) {
		const { signal } = this.stopping;
		const pace = new Pace(128, this.clock, signal, new Rate(this.account));
		const retries = new Retries(pace, 60_000, this.clock, signal);
		let refused = 0;
		// Requests overtake each other on their way, and so do responses
		const travel = async (delay = 0) => {
			await this.clock.pause(this.latency / 2 + 6 * Math.random() + delay);
		};
		let isFirst = true;
		const request = async () => {
			// The first one takes longer, so that the next ones come sooner after it than they were started
			const delay = isFirst ? 20 : 0;
			isFirst = false;
			await travel(delay);
			const wait = this.limiter(this.clock.now());
			await travel();
			if (wait === 0) return 'site';
			refused++;
			return new ServiceFailure('Refused', 'Wait', {
				subject: 'service',
				retry: 'rateLimited',
				...(this.hasRetryAfter && { retryAfter: Math.ceil(wait / 1000) * 1000 }),
			});
		};
		const start = this.clock.now();
		let end = start;
		const results = Array.from({ length: items }, async () => {
			const result = await retries.run(request, 3).catch(() => undefined);
			end = this.clock.now();
			return result;
		});
		await this.clock.advance(Infinity);
		const read = (await Promise.all(results)).filter((result) => result === 'site').length;
		return { read, refused, time: end - start };
	}
}

/** Numbers that look random and are the same in each run. */
function useSeed(seed: number): void {
	let state = seed;
	jest.spyOn(Math, 'random').mockImplementation(() => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	});
}

afterEach(() => jest.restoreAllMocks());

const WINDOW = { limiter: () => fixedWindow(20, 1000), items: 200, least: 9000, refused: 84 };
const BURSTS = { items: 250, least: 40_000, refused: 140, limiter: () => fixedWindow(100, 20_000) };

interface Limit {
	name: string;
	limiter: () => Limiter;
	items: number;
	latency: number;
	/** Milliseconds that the limit itself takes. */
	least: number;
	/** Of the first run. */
	refused: number;
	/** Times as long as the limit itself takes. */
	time: number;
}

describe.each<Limit>([
	{ ...WINDOW, name: '20 per second, 5 ms away', latency: 5, time: 1.25 },
	{ ...WINDOW, name: '20 per second, 100 ms away', latency: 100, time: 1.25 },
	{ ...WINDOW, name: 'bucket of 20', limiter: () => bucket(20, 20), latency: 5, time: 1.25 },
	{
		name: 'bucket of 5, 5 per second',
		limiter: () => bucket(5, 5),
		items: 60,
		latency: 5,
		least: 11_000,
		refused: 70,
		time: 1.25,
	},
	{ ...BURSTS, name: '100 per 20 seconds', latency: 5, time: 1.25 },
	{
		name: 'bucket of 1, 10 per second',
		limiter: () => bucket(1, 10),
		items: 60,
		latency: 5,
		least: 5900,
		refused: 70,
		time: 2.5,
	},
])('$name', ({ limiter, latency, items, least, refused, time }) => {
	test.each([true, false])(
		'is kept, from the start in the next run; Retry-After: %s',
		async (hasRetryAfter) => {
			const firsts = [];
			const nexts = [];
			for (const seed of [1, 2, 3, 4, 5]) {
				useSeed(seed);
				const simulation = new Simulation(limiter(), latency, hasRetryAfter);
				const first = await simulation.run(items);
				void simulation.clock.pause(30_000);
				await simulation.clock.advance(Infinity);
				const next = await simulation.run(items);
				expect([first.read, next.read]).toEqual([items, items]);
				expect(first.refused).toBeLessThanOrEqual(refused);
				expect(next.refused).toBeLessThanOrEqual(items / 10);
				firsts.push(first.time / least);
				nexts.push(next.time / least);
			}
			expect(median(firsts)).toBeLessThanOrEqual(time);
			expect(median(nexts)).toBeLessThanOrEqual(time);
		},
	);
});

/** How the service fails. */
type Failing = (request: { item: number; sent: number; now: number; inService: number }) => boolean;

/** For five seconds from the 101st request on. */
function shortOutage(): Failing {
	let start = Infinity;
	return ({ sent, now }) => {
		if (sent > 100) start = Math.min(start, now);
		return now >= start && now < start + 5000;
	};
}

describe.each([3, 30, 100])('a service %i ms away that fails', (latency) => {
	/** 200 items: those that were read, the requests and the seconds that it took, and the rate in the end. */
	const runWhere = async (isFailing: Failing, retry: Retry, items = 200) => {
		useSeed(1);
		const { signal } = new AbortController();
		const clock = new FakeClock(signal, 1);
		const pace = new Pace(128, clock, signal, new Rate());
		const retries = new Retries(pace, 60_000, clock, signal);
		let [sent, inService] = [0, 0];
		const results = Array.from({ length: items }, async (_, item) => {
			const request = async () => {
				const now = clock.now();
				const isFailed = isFailing({ item, sent: ++sent, now, inService: ++inService });
				await clock.pause(latency);
				inService--;
				if (!isFailed) return item;
				return new ServiceFailure('Failed', 'Wait', { subject: 'service', retry });
			};
			return await retries.run(request, 3).catch(() => undefined);
		});
		const start = clock.now();
		await clock.advance(Infinity);
		const read = (await Promise.all(results)).filter((result) => result !== undefined).length;
		return { read, sent, seconds: (clock.now() - start) / 1000, rate: pace.rate.slowedTo };
	};

	test.each([
		['with status 503 at every fourth site', 'overloaded', 4, 200],
		['with status 503 at every second site', 'overloaded', 2, 200],
		['with status 503 at one site', 'overloaded', 200, 200],
		['with a lost connection at every fourth site', 'retry', 4, 1000],
	] as const)('%s: all others are read', async (_, retry, nth, items) => {
		const { read, seconds, rate } = await runWhere(({ item }) => item % nth === 0, retry, items);
		expect([read, rate]).toEqual([items - items / nth, Infinity]);
		// The retries of a site take 7 seconds at most
		expect(seconds).toBeLessThan(15);
	});

	test.each([
		['from the start on', 0],
		['in mid-run', 100],
	])('at every site %s with status 503: it is given up', async (_, readBefore) => {
		const { read, sent, seconds } = await runWhere(
			(request) => request.sent > readBefore,
			'overloaded',
		);
		expect(read).toBe(readBefore);
		expect(sent).toBeLessThan(readBefore + 250);
		expect(seconds).toBeLessThan(40);
	});

	test('at every site for five seconds with status 503: all are read', async () => {
		const { read, seconds } = await runWhere(shortOutage(), 'overloaded');
		expect(read).toBe(200);
		expect(seconds).toBeLessThan(15);
	});

	test('with status 503 where more than 20 come at once: it is spared, and hardly a site is lost', async () => {
		const { read, sent } = await runWhere((request) => request.inService > 20, 'overloaded');
		expect(read).toBeGreaterThan(195);
		expect(sent).toBeLessThan(500);
	});
});
