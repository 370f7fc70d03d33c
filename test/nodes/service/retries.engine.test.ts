import type { Engine, RunOptions } from '../../engine/engine';
import type { Fault, FaultRequest } from '../../fake-service/faults';
import { type Service, startService } from '../../fake-service/service';
import { manySites } from '../../fake-service/sites';
import { CREDENTIAL, dataOf, itemsWith, seaFarm, siteNode } from '../../helpers/sea-farm';

// A busy machine takes its time
jest.setTimeout(30_000);

const farms = manySites(200);
const ids = farms.map(({ siteId }) => siteId);

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService({ sites: farms });
});
beforeEach(async () => {
	service.reset();
	engine = await seaFarm(service);
	// Pauses that the service does not state are a random share of seconds: short here
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

async function run(
	siteIds: readonly number[],
	options = {},
	rest: Partial<RunOptions> & { onError?: 'continueRegularOutput' } = {},
) {
	const { onError, ...runOptions } = rest;
	return await engine.run({
		node: siteNode({ operation: 'get', siteId: '={{ $json.id }}', options }, { onError }),
		items: itemsWith(siteIds),
		...runOptions,
	});
}

const messages = (result: { hints: Array<{ message: string }> }) =>
	result.hints.map(({ message }) => message);
const errorsOf = (result: Parameters<typeof dataOf>[0]) =>
	dataOf(result).map((data) => (data as { error?: string }).error);
const siteRequests = () => service.requests.filter(({ endpoint }) => endpoint === 'site');

/** A fault that changes nothing but lets a test see the service at each arrival of a site request. */
const watch = (see: (request: FaultRequest) => void, latencyMs = 20): Fault => ({
	latencyMs: (request) => {
		see(request);
		return latencyMs;
	},
});

/** The moment at which so many site requests have arrived and none is answered. */
const arrived = (count: number) =>
	new Promise<void>((resolve) => {
		let seen = 0;
		service.faults.site.push({
			when: () => {
				if (++seen === count) resolve();
				return true;
			},
			connection: 'hang',
		});
	});

describe('a service that lets one request through and refuses the next', () => {
	test('loses no site: to be refused while others get through is no try', async () => {
		service.faults.site.push({ rateLimit: { perSecond: 50, burst: 1, retryAfter: 'none' } });
		const result = await run(ids.slice(0, 40));
		expect(result.items).toHaveLength(40);
		expect(service.counts.byStatus['429']).toBeGreaterThan(20);
	});
});

describe('requests side by side', () => {
	test.each([1, 3, 7, 30])('never more than Max Concurrency, here %i', async (maxConcurrency) => {
		service.faults.site.push({ latencyMs: 20 });
		const some = ids.slice(0, 20 * maxConcurrency);
		const result = await run(some, { maxConcurrency });
		expect(result.items).toHaveLength(some.length);
		expect(service.counts.maxInFlight).toBeLessThanOrEqual(maxConcurrency);
		expect(service.counts.maxInFlight).toBeGreaterThan(maxConcurrency / 2);
	});

	test('four at first, two more for each good answer', async () => {
		const seen: Array<{ inFlight: number; served: number }> = [];
		service.faults.site.push(
			watch(() =>
				seen.push({ inFlight: service.counts.inFlight, served: service.counts.sitesServed }),
			),
		);
		await run(ids);
		expect(seen).toHaveLength(200);
		for (const { inFlight, served } of seen) expect(inFlight).toBeLessThanOrEqual(4 + 2 * served);
		expect(service.counts.maxInFlight).toBeGreaterThan(16);
		expect(service.counts.maxInFlight).toBeLessThanOrEqual(64);
	});

	test('of an overloaded service: half as many, and slowly more again', async () => {
		const seen: number[] = [];
		service.faults.site.push({ skip: 100, times: 1, status: 429, retryAfter: 0 });
		service.faults.site.push(watch(() => seen.push(service.counts.inFlight), 40));
		const result = await run(ids, { maxConcurrency: 32 });
		expect(result.items).toHaveLength(200);
		expect(Math.max(...seen.slice(0, 101))).toBeGreaterThan(24);
		// Whatever had set out before the refusal was known has arrived by now
		const after = seen.slice(101 + 32, 101 + 32 + 40);
		expect(Math.max(...after)).toBeLessThanOrEqual(20);
	});

	test('the credential is read from n8n’s database once for the run', async () => {
		await run([ids[0]!]);
		const before = engine.credentialReads;
		await run(ids.slice(0, 50));
		expect(engine.credentialReads - before).toBe(1);
	});
});

describe('an answer that may be another one the next time is asked for again', () => {
	test.each<[string, Fault]>([
		['502', { status: 502 }],
		['502 with HTML', { status: 502, body: 'html' }],
		['504', { status: 504 }],
		['503 without Retry-After', { status: 503 }],
		['503 with Retry-After', { status: 503, retryAfter: 0 }],
		['429 without Retry-After', { status: 429 }],
		['429 with a Retry-After that nobody can read', { status: 429, retryAfter: 'soon' }],
		['429 with Retry-After', { status: 429, retryAfter: 0 }],
		['429 with the date of an hour ago', { status: 429, retryAfter: { dateInSeconds: -3600 } }],
		['a reset', { connection: 'reset' }],
		['an end in mid-answer', { connection: 'cut' }],
		['silence', { connection: 'hang' }],
	])('%s', async (_, fault) => {
		service.faults.site.push({ ...fault, times: 2 });
		const result = await run([ids[0]!], fault.connection === 'hang' ? { timeout: 400 } : {});
		expect(dataOf(result)).toEqual([farms[0]]);
		expect(service.counts.siteRequests).toBe(3);
		expect(messages(result).at(-1)).toBe('Requests were retried 2 times.');
		const isBusy = fault.status === 429 || fault.status === 503;
		expect(messages(result)).toHaveLength(isBusy ? 2 : 1);
	});

	test('a refused connection', async () => {
		const gone = await startService({ sites: farms });
		const port = Number(new URL(gone.baseUrl).port);
		await gone.close();
		let again: Promise<Service> | undefined;
		jest.spyOn(Math, 'random').mockImplementation(() => {
			again ??= startService({ port, sites: farms });
			return 0.01;
		});
		engine.editCredential(CREDENTIAL, { baseUrl: gone.baseUrl });
		const result = await run([ids[0]!], { maxRetries: 10 });
		expect(dataOf(result)).toEqual([farms[0]]);
		await (await again!).close();
	});

	test.each([0, 1, 3, 5])('at most Max Retries times, here %i', async (maxRetries) => {
		service.faults.site.push({ status: 502 });
		const { error } = await run([ids[0]!], { maxRetries });
		expect(error?.message).toBe('The service is unavailable (status 502)');
		expect(service.counts.siteRequests).toBe(maxRetries + 1);
	});

	test('three times where nobody chose', async () => {
		service.faults.site.push({ status: 502 });
		await run([ids[0]!]);
		expect(service.counts.siteRequests).toBe(4);
	});

	test('after a random share of 1, 2, 4, … seconds, of 30 at most', async () => {
		const share = 0.0123;
		jest.spyOn(Math, 'random').mockReturnValue(share);
		const timers = jest.spyOn(globalThis, 'setTimeout');
		service.faults.site.push({ connection: 'reset', times: 9 });
		await run([ids[0]!], { maxRetries: 10 });
		const waits = [1000, 2000, 4000, 8000, 16_000, 30_000].map((wait) => share * wait);
		const waited = timers.mock.calls
			.map(([, wait]) => wait!)
			.filter((wait) => waits.includes(wait));
		expect(waited).toEqual([...waits, waits[5], waits[5], waits[5]]);
	});

	test('by a whole run that has paused for such times, where the service is busy', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.1);
		service.faults.site.push({ status: 503, times: 4 });
		// 0.1 + 0.2 + 0.4 + 0.8 seconds
		expect(messages(await run([ids[0]!], { maxRetries: 4 }))[0]).toMatch(
			/the run paused 4 times, for 2 seconds in total/,
		);
	});
});

describe('a site that fails while others are read', () => {
	const [failing, ...others] = ids;
	const askedFor = (siteId: number) =>
		siteRequests().filter(({ path }) => path.endsWith(`/${siteId}`)).length;

	test('has its tries and no more', async () => {
		service.faults.site.push({ siteId: failing, connection: 'reset' });
		const result = await run(ids, { maxRetries: 2 }, { onError: 'continueRegularOutput' });
		expect(errorsOf(result).filter(Boolean)).toHaveLength(1);
		expect(askedFor(failing!)).toBe(3);
	});

	test('is no sign that the service is down: the next one has all its tries', async () => {
		const [quick, slow] = others;
		// The quick one is read during the first try, the slow one breaks off after the last
		service.faults.site.push(
			{ siteId: failing, connection: 'reset', latencyMs: 100 },
			{ siteId: slow, connection: 'reset', latencyMs: 600, times: 1 },
		);
		const result = await run(
			[failing!, quick!, slow!],
			{ maxRetries: 1 },
			{ onError: 'continueRegularOutput' },
		);
		expect(errorsOf(result).map(Boolean)).toEqual([true, false, false]);
		expect([failing!, quick!, slow!].map(askedFor)).toEqual([2, 1, 2]);
	});

	test('because it is not there, after a busy moment: no sign either', async () => {
		const [next] = others;
		service.faults.site.push(
			{ siteId: failing, status: 503, times: 1 },
			{ siteId: failing, status: 404 },
			{ siteId: next, connection: 'reset', times: 1 },
		);
		const result = await run(
			[failing!, next!],
			{ maxConcurrency: 1, maxRetries: 1 },
			{ onError: 'continueRegularOutput' },
		);
		expect(errorsOf(result).map(Boolean)).toEqual([true, false]);
	});

	test('because it alone is refused is given up after twenty times and its tries', async () => {
		const many = manySites(1500);
		service.sites.push(...many.slice(ids.length));
		// Slower than the others, many of which are read each time
		service.faults.site.push({ siteId: failing, status: 429, retryAfter: 0, latencyMs: 60 });
		const result = await run(
			many.map(({ siteId }) => siteId),
			{ maxRetries: 3 },
			{ onError: 'continueRegularOutput' },
		);
		expect(errorsOf(result).filter(Boolean)).toHaveLength(1);
		expect(askedFor(failing!)).toBeGreaterThan(20);
		expect(askedFor(failing!)).toBeLessThanOrEqual(23);
	});
});

describe('a service that is down', () => {
	test.each([
		['whose connections break', { connection: 'reset' }, 'The connection to the service was lost'],
		['that is busy', { status: 503 }, '(status 503)'],
		['behind a gateway', { status: 502 }, '(status 502)'],
	] satisfies Array<[string, Fault, string]>)(
		'%s: its sites are not asked for on and on',
		async (_, fault, sentence) => {
			jest.spyOn(Math, 'random').mockReturnValue(0);
			service.faults.site.push(fault);
			const result = await run(
				ids.slice(0, 50),
				{ maxConcurrency: 1, maxRetries: 4 },
				{ onError: 'continueRegularOutput' },
			);
			expect(result.items).toHaveLength(50);
			for (const error of errorsOf(result)) expect(error).toContain(sentence);
			// Those that are asked for before the first one is given up get all their tries, the others one
			expect(service.counts.siteRequests).toBeLessThan(2 * 50);
		},
	);

	test('from some moment on: the same', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		service.faults.site.push({ skip: 10, connection: 'reset' });
		const result = await run(
			ids.slice(0, 60),
			{ maxConcurrency: 1, maxRetries: 4 },
			{ onError: 'continueRegularOutput' },
		);
		expect(errorsOf(result).filter(Boolean)).toHaveLength(50);
		expect(service.counts.siteRequests).toBeLessThan(10 + 2 * 50);
	});

	test.each<Fault>([{ connection: 'reset' }, { status: 503 }])(
		'and comes back: the sites that are left are read, with all their tries: %j',
		async (fault) => {
			jest.spyOn(Math, 'random').mockReturnValue(0);
			service.faults.site.push({ ...fault, times: 6 }, { ...fault, siteId: ids[8], times: 1 });
			const result = await run(
				ids.slice(0, 10),
				{ maxConcurrency: 1, maxRetries: 1 },
				{ onError: 'continueRegularOutput' },
			);
			const errors = errorsOf(result);
			expect(errors[0]).toBeDefined();
			expect(errors.slice(6)).toEqual([undefined, undefined, undefined, undefined]);
		},
	);
});

describe('an answer that will not change is not asked for again', () => {
	test.each([400, 403, 404, 405, 410, 422, 500, 501])('%i', async (status) => {
		service.faults.site.push({ status });
		const { error } = await run([ids[0]!]);
		expect(error).toBeDefined();
		expect(service.counts).toMatchObject({ siteRequests: 1, logins: 1 });
	});

	test.each<[string, Fault]>([
		['HTML', { body: 'html' }],
		['nothing', { body: 'empty' }],
		['JSON that ends too early', { body: 'broken' }],
		['a redirect', { redirect: { status: 302, to: 'http://127.0.0.1:9' } }],
	])('%s', async (_, fault) => {
		service.faults.site.push(fault);
		const { error } = await run([ids[0]!]);
		expect(error).toBeDefined();
		expect(service.counts.siteRequests).toBe(1);
	});

	test('401: after one renewal of the token', async () => {
		service.faults.site.push({ status: 401 });
		const { error } = await run([ids[0]!]);
		expect(error?.message).toContain('The service rejected a newly issued access token');
		expect(service.counts).toMatchObject({ siteRequests: 2, logins: 2 });
	});

	const notAccepted = 'The service rejected a newly issued access token';

	test('401 for ever: three sites show that no token is accepted', async () => {
		service.faults.site.push({ status: 401 });
		const result = await run(ids, { maxConcurrency: 1 }, { onError: 'continueRegularOutput' });
		for (const error of errorsOf(result)) expect(error).toContain(notAccepted);
		expect(result.items).toHaveLength(200);
		expect(service.counts).toMatchObject({ siteRequests: 2 * 3, logins: 1 + 3 });
	});

	test('401 for ever, to many requests side by side: little more', async () => {
		service.faults.site.push({ status: 401 });
		const result = await run(ids, {}, { onError: 'continueRegularOutput' });
		for (const error of errorsOf(result)) expect(error).toContain(notAccepted);
		expect(result.items).toHaveLength(200);
		expect(service.counts.logins).toBeLessThanOrEqual(6);
		expect(service.counts.siteRequests).toBeLessThanOrEqual(16);
	});

	const failedItems = (result: Parameters<typeof errorsOf>[0]) =>
		errorsOf(result).flatMap((error, item) => (error ? [item] : []));

	test('401 for some sites, one after the other: the others are read', async () => {
		const closed = [7, 8, 20, 33];
		service.faults.site.push({ status: 401, siteId: closed.map((item) => ids[item]!) });
		const result = await run(
			ids.slice(0, 60),
			{ maxConcurrency: 1 },
			{ onError: 'continueRegularOutput' },
		);
		expect(failedItems(result)).toEqual(closed);
		expect(service.counts).toMatchObject({ sitesServed: 56, logins: 1 + 4 });
	});

	test('401 for one site, side by side with the others: they are read', async () => {
		service.faults.site.push({ status: 401, siteId: ids[7] });
		const result = await run(ids.slice(0, 60), {}, { onError: 'continueRegularOutput' });
		expect(failedItems(result)).toEqual([7]);
		expect(service.counts.sitesServed).toBe(59);
		expect(service.counts.logins).toBeLessThanOrEqual(3);
	});

	test.each<[string, Fault]>([
		['a web page', { body: 'html' }],
		['404', { status: 404 }],
		['a redirect', { redirect: { status: 302, to: 'http://127.0.0.1:9' } }],
	])('%s at the login: one is enough for 200 items', async (_, fault) => {
		service.faults.token.push(fault);
		const result = await run(ids, {}, { onError: 'continueRegularOutput' });
		expect(errorsOf(result).filter(Boolean)).toHaveLength(200);
		expect(service.counts.requests).toBe(1);
	});
});

describe('a token that runs out in mid-run', () => {
	test('is renewed by the request that finds it out, for all that follow', async () => {
		await run([ids[0]!]);
		service.expireTokens();
		service.faults.tokenLifetime = { uses: 20 };
		const result = await run(ids.slice(0, 60), { maxConcurrency: 1 });
		expect(result.items).toHaveLength(60);
		expect(service.counts).toMatchObject({ siteRequests: 1 + 60 + 3, logins: 1 + 3 });
	});

	test('does not come back with a slow answer to an earlier request', async () => {
		const [slow, ...others] = ids.slice(0, 60);
		let asked = 0;
		service.faults.site.push(
			{ siteId: slow, drip: { bytes: 20, everyMs: 10 } },
			{
				siteId: others,
				latencyMs: () => {
					if (++asked === 5) service.expireTokens();
					return 20;
				},
			},
		);
		const result = await run([slow!, ...others], { maxConcurrency: 2 });
		expect(result.items).toHaveLength(60);
		expect(service.counts).toMatchObject({ siteRequests: 60 + 1, logins: 2 });
	});
});

test('an answer that never ends is given up half a minute after the timeout', async () => {
	const { timeout } = AbortSignal;
	const limits: number[] = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		limits.push(milliseconds);
		return timeout.call(AbortSignal, 300);
	});
	service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
	const { error } = await run([ids[0]!], { timeout: 5000, maxRetries: 0 });
	expect(error?.message).toBe('The service did not respond in time');
	expect(limits).toContain(35_000);
});

describe('Retry-After (RFC 9110, section 10.2.3)', () => {
	test.each([
		[429, 'seconds', 1],
		[503, 'a date', { dateInSeconds: 1 }],
	])('%i with %s holds back the whole run until then', async (status, _, retryAfter) => {
		service.faults.site.push({ skip: 20, times: 1, status, retryAfter });
		service.faults.site.push({ latencyMs: 5 });
		const result = await run(ids.slice(0, 60), { maxConcurrency: 8 });
		expect(result.items).toHaveLength(60);
		const requests = siteRequests();
		const place = requests.findIndex((request) => request.status === status);
		const from = requests[place]!.at;
		// At most seven others had set out before the refusal was known
		const later = requests.slice(place + 8);
		expect(later.length).toBeGreaterThan(20);
		for (const { at } of later) expect(at - from).toBeGreaterThanOrEqual(995);
		expect(messages(result)).toEqual([
			expect.stringMatching(
				/^The service was busy: the run paused once, for [12] seconds? in all\. Lowering 'Max Concurrency' under 'Options' may prevent this\.$/,
			),
			'Requests were retried once.',
		]);
	});

	test('a refusal of many at once is one pause', async () => {
		// Whoever waited for longer than the service asks would wait for a minute
		jest.spyOn(Math, 'random').mockReturnValue(60);
		service.faults.site.push({ status: 429, times: 4, retryAfter: 0 });
		service.faults.site.push({ latencyMs: 20 });
		const result = await run(ids.slice(0, 30));
		expect(result.items).toHaveLength(30);
		expect(messages(result)).toContain('Requests were retried 4 times.');
	});

	test.each([
		['3600', 3600, '60 minutes'],
		['a date in an hour', { dateInSeconds: 3600 }, '60 minutes'],
		['61', 61, '61 seconds'],
		['a day', 86_400, '24 hours'],
	])(
		'%s is too long: a sentence names the wait, and the service is left alone',
		async (_, retryAfter, wait) => {
			service.faults.site.push({ status: 429, retryAfter });
			const result = await run(ids.slice(0, 50), {}, { onError: 'continueRegularOutput' });
			expect(result.items).toHaveLength(50);
			for (const error of errorsOf(result)) {
				expect(error).toContain(`The service asked for a wait of ${wait}`);
			}
			expect(dataOf(result)[0]).toMatchObject({
				message:
					'A run waits 60 seconds at most. Run the workflow again after that time, or less often.',
			});
			expect(service.counts.siteRequests).toBeLessThanOrEqual(4);
		},
	);

	test('that is too long at the login is left alone too', async () => {
		service.faults.token.push({ status: 429, retryAfter: 3600 });
		const { error } = await run(ids.slice(0, 20));
		expect(error?.message).toBe('The service asked for a wait of 60 minutes [item 0]');
		expect(error?.httpCode).toBe('429');
		expect(service.counts.requests).toBe(1);
	});

	test('a service limited to 40 requests a second gives all its sites in the end', async () => {
		service.faults.site.push({ rateLimit: { perSecond: 40, burst: 20, retryAfter: 'none' } });
		const result = await run(ids.slice(0, 60), { maxRetries: 10 });
		expect(result.items).toHaveLength(60);
		expect(service.counts.sitesServed).toBe(60);
	});
});

test('a run in which all went well has no hint', async () => {
	expect(messages(await run(ids.slice(0, 20)))).toEqual([]);
});

describe('stopping the execution', () => {
	test.each([3, 0])(
		'ends the requests under way, and starts no other, with Max Retries %i',
		async (maxRetries) => {
			const stopping = new AbortController();
			void arrived(4).then(() => stopping.abort());
			// Whoever waited before another try would wait for a minute
			jest.spyOn(Math, 'random').mockReturnValue(60);
			const result = await run(ids, { maxRetries }, { signal: stopping.signal });
			expect(result.status).toBe('canceled');
			await expectSilence();
			expect(service.counts).toMatchObject({ siteRequests: 4, aborted: 4 });
		},
	);

	test('ends a wait that the service has asked for, of a minute at most', async () => {
		service.faults.site.push({ status: 429, retryAfter: 60 });
		const result = await run([ids[0]!], {}, { signal: stoppedInAWait() });
		expect(result.status).toBe('canceled');
		await expectSilence();
		expect(service.counts.siteRequests).toBe(1);
	});

	test('ends the wait before a request is repeated', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(60);
		service.faults.site.push({ status: 502 });
		const result = await run([ids[0]!], {}, { signal: stoppedInAWait() });
		expect(result.status).toBe('canceled');
		await expectSilence();
		expect(service.counts.siteRequests).toBe(1);
	});

	test('before it has begun sends nothing', async () => {
		const result = await run(ids, {}, { signal: AbortSignal.abort() });
		expect(result.status).toBe('canceled');
		await expectSilence();
		expect(service.counts.siteRequests).toBe(0);
	});

	/** Aborts once a wait of a minute has begun: longer than a test may take. */
	function stoppedInAWait(): AbortSignal {
		const stopping = new AbortController();
		const { setTimeout } = globalThis;
		jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, wait = 0) => {
			if (wait > 59_000) setImmediate(() => stopping.abort());
			return setTimeout(run, wait);
		}) as typeof setTimeout);
		return stopping.signal;
	}

	/** Another user's whole run goes by in the meantime, and the service hears of nobody else. */
	async function expectSilence(): Promise<void> {
		const before = service.counts.siteRequests;
		service.faults.site = [];
		const other = await seaFarm(service);
		const fifty = itemsWith(ids.slice(0, 50));
		const node = siteNode({ operation: 'get', siteId: '={{ $json.id }}' });
		expect((await other.run({ node, items: fifty })).items).toHaveLength(50);
		expect(service.counts.siteRequests).toBe(before + 50);
		service.counts.siteRequests = before;
	}
});
