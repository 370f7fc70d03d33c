import type { FailureScope, Retry } from '../../../nodes/AquacultureSite/service/failures';
import { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import { Pace } from '../../../nodes/AquacultureSite/service/pace';
import { Retries } from '../../../nodes/AquacultureSite/service/retries';
import { at } from '../../helpers/at';
import { FakeClock, settle } from '../../helpers/fake-clock';

function failure(retry: Retry, retryAfter?: number, scope?: FailureScope): ServiceFailure {
	const details = { subject: 'service', retry, retryAfter, scope, httpStatus: 418 } as const;
	return new ServiceFailure('Failed', 'Wait', details);
}

const FAILURES = {
	lost: failure('retry'),
	busy: failure('overloaded', 1000),
	limited: failure('rateLimited', 0),
	final: failure('no'),
	login: failure('no', undefined, 'run'),
	lostLogin: failure('retry', undefined, 'run'),
	token: failure('no', undefined, 'token'),
};

/** What the service says to one request. */
type Response = 'site' | keyof typeof FAILURES | ServiceFailure;

/** The responses to each site, one after the other; the last one stays. */
type Script = Record<string, Response[]>;

const letters = (text: string) => Array.from(text);

function resultOf(response: Response): 'site' | ServiceFailure {
	return typeof response === 'string' && response !== 'site' ? FAILURES[response] : response;
}

const each = (sites: string, response: Response): Script =>
	Object.fromEntries(letters(sites).map((site) => [site, [response]]));

/** A run of which each request is in the log: the site and the moment. */
class Run {
	readonly stopping = new AbortController();

	readonly clock = new FakeClock(this.stopping.signal);

	readonly pace: Pace;

	readonly retries: Retries;

	readonly requests: [site: string, at: number][] = [];

	/** What came of each site, in the order in which it came. */
	readonly results = new Map<string, unknown>();

	constructor({ maxConcurrency = 1, longestWait = 60_000 } = {}) {
		this.pace = new Pace(maxConcurrency, this.clock, this.stopping.signal);
		this.retries = new Retries(this.pace, longestWait, this.clock, this.stopping.signal);
	}

	/**
	 * Reads a site.
	 *
	 * @param responses to its requests, one after the other; the last one stays
	 * @param latency milliseconds until each response
	 */
	read(site: string, responses: Response[], { maxRetries = 3, latency = 0 } = {}): void {
		const left = [...responses];
		const request = async () => {
			this.requests.push([site, this.clock.now()]);
			if (latency > 0) await this.clock.pause(latency);
			const response = (left.length > 1 ? left.shift() : left[0]) ?? 'site';
			return resultOf(response);
		};
		void this.retries
			.run(request, maxRetries)
			.catch((error: unknown) => error)
			.then((result) => this.results.set(site, result));
	}

	readOthers(...sites: string[]): void {
		for (const site of sites) this.read(site, ['site']);
	}

	/** Until nothing is left to wait for. */
	async end(): Promise<void> {
		await this.clock.advance(Infinity);
	}

	timesOf(site: string): number[] {
		return this.requests.flatMap(([of, time]) => (of === site ? [time] : []));
	}

	get order(): string {
		return this.requests.map(([site]) => site).join('');
	}
}

beforeEach(() => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

/** The sites of a script are read at once, those of a next one after them. One request is in flight at a time. */
test.each<[rule: string, scripts: Script[], order: string]>([
	['any other failure is retried', [{ A: ['lost', 'busy', 'limited', 'site'] }], 'AAAA'],
	['a lost connection delays its own request alone', [{ A: ['lost', 'site'], B: ['site'] }], 'ABA'],
	['a retry goes before new requests', [{ A: ['busy', 'site'], ...each('BC', 'site') }], 'AABC'],

	['a rate limit that lets no one through is a try', [each('A', 'limited')], 'AAAA'],
	[
		'one that let others through is tried for half a minute',
		[{ B: ['site'], A: ['limited'] }],
		`B${'A'.repeat(19)}`,
	],
	[
		'one that goes on to let others through is given up at the fifth time',
		[{ B: ['site'], A: ['limited'], ...each('CDEFGH', 'site') }],
		'BAACAADAAEAAFAAGAH',
	],

	['in an outage each site is requested once', [each('A', 'lost'), each('BC', 'lost')], 'AAAABC'],
	['a rate limit for all is an outage', [each('A', 'limited'), each('BC', 'limited')], 'AAAABC'],
	['in an overload the sites take turns', [each('ABC', 'busy')], 'AABCABCABC'],
	['one site is none', [{ A: ['lost'], B: ['site'] }, each('C', 'lost')], 'ABAAACCCC'],
	[
		'nor are eight failures',
		[{ ...each('AB', 'lost'), C: ['site'] }, each('D', 'lost')],
		'ABCABABABDDDD',
	],
	[
		'nor is any number at sites that fail again while others get through',
		[{ ...each('ABC', 'lost'), D: ['site'] }, each('E', 'lost')],
		'ABCDABCABCABCEEEE',
	],
	['a success ends it', [each('A', 'lost'), each('B', 'site'), each('C', 'lost')], 'AAAABCCCC'],
	['a refusal ends it', [each('A', 'lost'), each('B', 'final'), each('C', 'lost')], 'AAAABCCCC'],
	['a refusal is none', [{ A: ['busy', 'final'] }, each('B', 'lost')], 'AABBBB'],

	['a failed login ends the run', [{ A: ['login'], B: ['site'] }, each('C', 'site')], 'A'],
	['three rejected tokens in a row end the run', [each('ABCDE', 'token')], 'ABC'],
	['two do not', [{ ...each('AB', 'token'), C: ['site'], ...each('DE', 'token') }], 'ABCDE'],
	['failures of single sites do not', [each('ABCDE', 'final')], 'ABCDE'],
])('%s', async (_, scripts, order) => {
	const run = new Run();
	for (const script of scripts) {
		for (const [site, responses] of Object.entries(script)) run.read(site, responses);
		await run.end();
	}
	expect(run.order).toBe(order);
	expect(run.retries.count).toBe(order.length - new Set(order).size);
	const known = run.results.get(at(letters(order), -1));
	for (const [site, responses] of scripts.flatMap((script) => Object.entries(script))) {
		expect(run.results.get(site)).toBe(order.includes(site) ? resultOf(at(responses, -1)) : known);
	}
});

test.each<[how: string, limited: ServiceFailure, perSecond: number]>([
	['which the service names', failure('rateLimited', 975), 20],
	['which the run guesses: it counts for a third', failure('rateLimited'), 212],
])('a rate limit is measured by its wait, %s', async (_, limited, perSecond) => {
	const run = new Run();
	run.readOthers(...letters('ABCDEFGHIJKLMNOPQRST'));
	run.read('U', [limited, 'site']);
	await run.end();
	expect(Math.round(run.pace.rate.slowedTo)).toBe(perSecond);
});

test('a site that a rate limit never lets through stops no other ones, and a third one is no news', async () => {
	const run = new Run({ maxConcurrency: 8 });
	const sites = Array.from({ length: 200 }, (_, index) => `site ${index}`);
	for (const [index, site] of sites.entries()) {
		run.read(site, [index % 4 === 3 ? 'limited' : 'site'], { latency: 10 });
	}
	await run.end();
	const isRead = sites.map((site) => run.results.get(site) === 'site');
	expect(isRead).toEqual(sites.map((_, index) => index % 4 !== 3));
	expect(run.clock.now()).toBeLessThan(120_000);
	expect(run.requests.length).toBeLessThan(200 + 50 * 5);
});

describe('a failing request', () => {
	test.each(
		(['lost', 'busy', 'limited'] as const).flatMap((name) =>
			[0, 1, 5].map((max) => [name, max] as const),
		),
	)('is retried as often as it may: %s, %i', async (name, maxRetries) => {
		const run = new Run();
		run.read('A', [name], { maxRetries });
		await run.end();
		expect(run.results.get('A')).toBe(FAILURES[name]);
		expect([run.timesOf('A').length, run.retries.count]).toEqual([1 + maxRetries, maxRetries]);
	});

	test('that throws something else fails at once, and its slot is given back', async () => {
		const run = new Run();
		const unexpected = new Error('Unexpected');
		const thrown = run.retries.run(() => Promise.reject(unexpected), 3);
		run.readOthers('A');
		await expect(thrown).rejects.toBe(unexpected);
		await run.end();
		expect(run.results.get('A')).toBe('site');
	});
});

describe('a retry', () => {
	test('comes after a random share of 1, 2, 4, … seconds, of 30 at most', async () => {
		const run = new Run();
		run.read('A', ['lost'], { maxRetries: 7 });
		await run.end();
		const times = run.timesOf('A');
		const waits = times.slice(1).map((time, index) => time - at(times, index));
		expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
		expect(run.pace.pauses.count).toBe(0);
	});

	test.each([
		['for Retry-After', failure('overloaded', 7000), 7000],
		['for the longest wait', failure('overloaded', 60_000), 60_000],
		['for a backoff', failure('overloaded'), 500],
		['for a backoff', failure('rateLimited'), 500],
	] as const)('after an overload holds back the whole run %s', async (_, response, wait) => {
		const run = new Run();
		run.read('A', [response, 'site']);
		run.readOthers('B');
		await run.end();
		expect(run.requests.map(([, time]) => time)).toEqual([0, wait, wait]);
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: wait });
	});
});

test('the third site in a row that is given up ends the run, not what others know', async () => {
	const run = new Run();
	run.readOthers('A');
	run.read('B', ['lost', 'site']);
	for (const site of letters('CDEF')) run.read(site, ['limited'], { maxRetries: 0 });
	await run.end();
	await run.clock.advance(1e9);
	run.readOthers('G');
	await run.end();
	expect([run.order, run.results.get('B')]).toEqual(['ABCDE', FAILURES.lost]);
	const known = { description: '1 site was read before that. Failed. Wait', httpStatus: 418 };
	for (const site of letters('FG')) expect(run.results.get(site)).toMatchObject(known);
});

test.each([
	['ABCDEFGH', 0],
	['ABCDEFGHI', 500],
])('%s fail in a row: the next site is requested after %i ms', async (sites, wait) => {
	const run = new Run();
	for (const site of letters(sites)) run.read(site, ['lost', 'site']);
	run.readOthers('J');
	await run.end();
	expect(run.timesOf('J')).toEqual([wait]);
});

test('nine that fail side by side hold back the run, although another one got through meanwhile', async () => {
	const run = new Run({ maxConcurrency: 10 });
	for (const site of letters('ABCDEFGHI')) run.read(site, ['lost', 'site'], { latency: 10 });
	run.read('J', ['site'], { latency: 5 });
	await run.clock.advance(10);
	run.readOthers('K');
	await run.end();
	expect(run.timesOf('K')).toEqual([510]);
});

describe('a site that fails again while others get through', () => {
	test.each(['', 'B'])('waits for its backoffs, but not too long; others: "%s"', async (others) => {
		const run = new Run({ longestWait: 1000 });
		run.read('A', ['lost'], { maxRetries: 5 });
		run.readOthers(...letters(others));
		await run.end();
		expect(run.timesOf('A')).toEqual([0, 500, 1500]);
	});

	/** The service is known to call single sites busy. */
	async function whereSitesAreBusy() {
		const run = new Run();
		run.read('A', ['busy']);
		run.readOthers('B');
		await run.end();
		return run;
	}

	test.each([
		['lost', 3],
		['busy', 6],
	] as const)('is silence only where nothing comes: %s, %i requests', async (name, count) => {
		const run = await whereSitesAreBusy();
		run.read('C', [name], { latency: 30_000, maxRetries: 5 });
		run.readOthers('D');
		await run.end();
		expect(run.timesOf('C').length).toBe(count);
	});

	test('does not keep a rate limit from holding back the run', async () => {
		const run = await whereSitesAreBusy();
		run.read('C', ['limited', 'site']);
		run.readOthers('D');
		await run.end();
		expect(run.order).toMatch(/CCD$/);
	});

	test('at a rate limit, does not keep an overload from holding back the run', async () => {
		const run = new Run();
		run.read('A', ['limited', 'limited', 'site']);
		run.readOthers('B');
		await run.end();
		run.read('C', ['busy', 'site']);
		run.readOthers('D');
		await run.end();
		expect(run.order).toMatch(/CCD$/);
	});
});

test.each([
	['lost', 59_999, 2],
	['lost', 60_000, 1],
	['busy', 60_000, 2],
	['lostLogin', 60_000, 1],
] as const)('after a silence, %s: %i ms, %i requests', async (name, latency, count) => {
	const run = new Run();
	run.read('A', ['final'], { latency: 30_000 });
	run.read('B', [name, 'site'], { latency });
	await run.end();
	expect(run.timesOf('B').length).toBe(count);
});

describe('a login that fails', () => {
	test.each([
		['retry', 9000, 2000],
		['overloaded', 7000, 7000],
		['rateLimited', 0, 2000],
	] as const)('holds back the run, and ends it: %s, %i', async (retry, retryAfter, wait) => {
		const run = new Run();
		const logins = [0, 1, 2].map(() => failure(retry, retryAfter, 'run'));
		run.read('A', logins, { maxRetries: 2 });
		await run.end();
		await run.clock.advance(1e9);
		run.readOthers('B');
		await run.end();
		expect(run.requests.map(([, time]) => time)).toEqual([0, wait, 2 * wait]);
		for (const site of letters('AB')) expect(run.results.get(site)).toBe(logins[2]);
	});

	test('may ask for the longest wait', async () => {
		const run = new Run();
		run.read('A', [failure('overloaded', 60_000, 'run'), 'site']);
		await run.end();
		expect(run.timesOf('A')).toEqual([0, 60_000]);
	});

	test('is one for all that waited for it', async () => {
		const run = new Run({ maxConcurrency: 4 });
		const logins = [0, 1].map(() => failure('retry', 0, 'run'));
		const settings = { maxRetries: 2, latency: 10 };
		for (const site of letters('ABCD')) run.read(site, [...logins, 'site'], settings);
		await run.end();
		expect([...run.results.values()]).toEqual(Array(4).fill('site'));
		expect(run.retries.count).toBe(2);
	});
});

test.each([failure('overloaded', 60_001), failure('rateLimited', 60_001, 'run')])(
	'Retry-After beyond the longest wait leaves the service alone until then: %#',
	async (response) => {
		const run = new Run({ maxConcurrency: 2, longestWait: 60_000 });
		run.read('Z', ['busy'], { latency: 5 });
		run.read('A', [response], { latency: 10 });
		run.readOthers('B', 'C');
		await run.clock.advance(10);
		const found = run.results.get('A');
		const message = 'The service asked for a wait of 60 seconds';
		expect(found).toMatchObject({ message, httpStatus: 418 });
		expect(run.order).toBe('ZA');
		// The site that found it out fails first
		expect([...run.results]).toEqual(letters('AZBC').map((site) => [site, found]));
		expect(run.pace.pauses).toEqual({ count: 1, milliseconds: 1000 });

		await run.clock.advance(60_000);
		run.readOthers('D');
		await run.clock.advance(1);
		run.readOthers('E');
		await run.end();
		expect([run.results.get('D'), run.results.get('E')]).toEqual([found, 'site']);
	},
);

describe('a failure that is known without a request', () => {
	test('needs no free slot and does not change the pace', async () => {
		const run = new Run({ maxConcurrency: 64 });
		for (const site of letters('ABC')) run.read(site, ['final'], { latency: 100 });
		run.read('D', [failure('overloaded', 61_000)]);
		await run.clock.advance(0);
		for (const site of letters('EFGHIJ')) run.readOthers(site);
		await settle();
		expect([run.order, run.results.size]).toEqual(['ABCD', 7]);
		await run.clock.advance(61_000);
		for (const site of letters('KLMNOP')) run.read(site, ['site'], { latency: 1e6 });
		await run.clock.advance(0);
		expect(run.order).toBe('ABCDKLMNOP');
	});

	test('holds for a request too that has just got its slot', async () => {
		const run = new Run({ maxConcurrency: 2 });
		for (const site of letters('AB')) run.read(site, ['login'], { latency: 10 });
		run.readOthers('C', 'D');
		await run.end();
		expect(run.order).toBe('AB');
		expect([...run.results]).toEqual(letters('ABCD').map((site) => [site, FAILURES.login]));
	});
});

test.each([
	['waits for no retry', 'lost', 3, 0],
	['waits for no retry', 'busy', 3, 0],
	['says so where a request fails', 'lost', 0, 10],
	['says so where a request fails', 'final', 0, 10],
] as const)('a stopped run %s: %s', async (_, name, maxRetries, latency) => {
	const run = new Run();
	run.read('A', [name], { maxRetries, latency });
	await settle();
	const reason = new Error('Stopped');
	run.stopping.abort(reason);
	await settle();
	expect([run.order, run.results.get('A')]).toEqual(['A', reason]);
});
