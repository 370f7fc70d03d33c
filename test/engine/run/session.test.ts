import { CredentialStore } from '../../tools/engine/credential-store';
import { dataOf, useSeaFarm } from '../../tools/engine/sea-farm';
import type { FaultRequest } from '../../tools/fake-service/faults';
import { manySites } from '../../tools/fake-service/sites';
import { at } from '../../tools/helpers/at';

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

const farm = useSeaFarm({ sites: FARMS });

let skipped: number;

beforeEach(() => {
	skipped = 0;
	for (const clock of [performance, Date]) {
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + skipped);
	}
	farm.service.faults.site.push({ latencyMs: 3 });
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});

/** All tokens expire, as late as tokens do: time is put forward. */
function expireTokens(): void {
	skipped += 10_000;
	farm.service.expireTokens();
}

const run = async (ids: number[], options = {}) =>
	await farm.run({ operation: 'get', options }, ids, { onError: 'continueRegularOutput' });

const errorsOf = (result: Parameters<typeof dataOf>[0]) =>
	dataOf(result).flatMap((data) => (data as { error?: string }).error ?? []);

test('sites that answer 401 while others are read cost a handful of logins, and nothing is repeated of any token', async () => {
	const closed = IDS.filter((_, item) => item % 4 === 0);
	farm.service.faults.site.push({ siteId: closed, status: 401, echo: true });
	const result = await run(IDS);
	expect(errorsOf(result)).toHaveLength(closed.length);
	expect(farm.service.counts.sitesServed).toBe(IDS.length - closed.length);
	expect(farm.service.counts.logins).toBeLessThanOrEqual(8);
	const text = JSON.stringify(result.run);
	for (const token of farm.service.issuedTokens) {
		expect(text).not.toContain(token);
		expect(text).not.toContain(Buffer.from(token).toString('base64'));
	}
});

describe('a token that expires in mid-run', () => {
	test('is renewed once, also for a request that finds it out later', async () => {
		const [first, second] = [at(IDS, 0), at(IDS, 1)];
		await run([first]);
		farm.service.expireTokens();
		farm.service.faults.site.push({ siteId: first, latencyMs: 200, times: 1 });
		expect(dataOf(await run([first, second]))).toEqual(FARMS.slice(0, 2));
		expect(farm.service.counts).toMatchObject({ siteRequests: 1 + 2 * 2, logins: 2 });
	});

	test('and whose 401 is cut off, after which n8n itself logs in: a login that fails is retried', async () => {
		await run([at(IDS, 0)]);
		expireTokens();
		farm.service.faults.site.push({ connection: 'cut', times: 1 });
		farm.service.faults.token.push({ status: 503, times: 1 });
		const ids = IDS.slice(0, 3);
		expect(dataOf(await run(ids, { maxConcurrency: 1 }))).toEqual(FARMS.slice(0, 3));
		expect(farm.service.counts.logins).toBe(2);
	});

	test('does not come back with a slow response to an earlier request', async () => {
		const [slow = 0, ...others] = IDS.slice(0, 60);
		let requests = 0;
		farm.service.faults.site.push(
			{ siteId: slow, drip: { bytes: 20, everyMs: 10 } },
			{
				siteId: others,
				latencyMs: () => {
					if (++requests === 5) expireTokens();
					return 20;
				},
			},
		);
		expect(dataOf(await run([slow, ...others], { maxConcurrency: 2 }))).toEqual(FARMS.slice(0, 60));
		expect(farm.service.counts.logins).toBe(2);
		// One that expired it, and one that was sent while that was in doubt
		expect(farm.service.counts.siteRequests).toBeLessThanOrEqual(60 + 2);
	});

	test('for ever, with many requests in flight: few logins', async () => {
		farm.service.faults.site.push({ status: 401 });
		expect(errorsOf(await run(IDS))).toHaveLength(IDS.length);
		expect(farm.service.counts.logins).toBeLessThanOrEqual(6);
		// Those in flight at first, each with its token and with the new one, and a few more
		expect(farm.service.counts.siteRequests).toBeLessThanOrEqual(2 * 64 + 12);
	});
});

/** Expires all tokens when the n-th request with the n-th token arrives: `expiries[0]` is about the first one. */
function expireAt(...expiries: number[]): void {
	const uses = new Map<string, number>();
	farm.service.faults.site.push({
		when: ({ token = '' }: FaultRequest) => {
			uses.set(token, (uses.get(token) ?? 0) + 1);
			const expiry = expiries[farm.service.issuedTokens.indexOf(token)];
			if (expiry === uses.get(token)) expireTokens();
			return false;
		},
	});
}

describe('tokens that expire one after the other while many requests are in flight', () => {
	test.each([
		['each after some requests', [80, 20, 20], 128],
		['one before any request was accepted with it', [80, 1], 128],
		['such a one again later in the run', [60, 1, 60, 1], 20],
		['the first one of the run', [1], 128],
	])(
		'%s: no item is lost, and there is one login for each',
		async (_, expiries, maxConcurrency) => {
			expireAt(...expiries);
			expect(dataOf(await run(IDS, { maxConcurrency }))).toEqual(FARMS);
			expect(farm.service.counts.logins).toBe(expiries.length + 1);
		},
	);

	test('are each stored once by n8n', async () => {
		const stored = jest.spyOn(CredentialStore.prototype, 'updateCredentials');
		expireAt(80);
		await run(IDS);
		expect(stored).toHaveBeenCalledTimes(2);
	});

	test('are not taken for a closed site by a request that meets two of them', async () => {
		const [slow = 0, ...others] = IDS;
		let requests = 0;
		farm.service.faults.site.push(
			{ siteId: slow, latencyMs: 500 },
			{
				siteId: others,
				when: () => {
					const sent = farm.siteRequests.filter(({ siteId }) => siteId === slow).length;
					// The fifth of the others that arrives while each of its first two requests is on its way
					if (sent > 2 || requests >= 5 * sent) return false;
					if (++requests === 5 * sent) expireTokens();
					return false;
				},
			},
		);
		expect(dataOf(await run(IDS, { maxConcurrency: 2 }))).toEqual(FARMS);
		expect(farm.service.counts.logins).toBeLessThanOrEqual(3);
	});
});

describe('tokens that are never accepted', () => {
	const REJECTED = /^The service rejected a newly issued access token: credential "Sea farm"/;

	test('because they live shorter than a round trip: a clear sentence, few requests and logins', async () => {
		farm.service.faults.site.push({
			latencyMs: () => {
				farm.service.expireTokens();
				return 0;
			},
		});
		const errors = errorsOf(await run(IDS));
		expect(errors).toHaveLength(IDS.length);
		for (const error of errors) expect(error).toMatch(REJECTED);
		expect(farm.service.counts.logins).toBe(1);
		expect(farm.service.counts.unauthorized).toBeLessThanOrEqual(2 * 64);
	});

	test('because each login brings the same one', async () => {
		farm.service.faults.token.push({ merge: { access_token: 'the.same.one' } });
		const errors = errorsOf(await run(IDS));
		expect(errors).toHaveLength(IDS.length);
		expect(farm.service.counts.siteRequests).toBeLessThanOrEqual(2 * 64 + 12);
	});
});

test('a closed site does not make a token unusable that the service issues again', async () => {
	const [closed = 0, ...others] = IDS.slice(0, 10);
	await run(others);
	farm.service.faults.token.push({ merge: { access_token: at(farm.service.issuedTokens, 0) } });
	farm.service.faults.site.push({ siteId: closed, status: 401 });
	const stored = jest.spyOn(CredentialStore.prototype, 'updateCredentials');
	expect(errorsOf(await run([closed, ...others], { maxConcurrency: 1 }))).toHaveLength(1);
	expect(stored).toHaveBeenCalledTimes(1);
});

describe("the time limit 'Timeout'", () => {
	test('is not extended by a login that is not needed', async () => {
		await run([at(IDS, 0)]);
		farm.service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
		const limits = jest.spyOn(AbortSignal, 'timeout');
		const result = await run([at(IDS, 1)], { timeout: 300, maxRetries: 0 });
		expect(errorsOf(result)).toEqual(['The service did not respond in time']);
		// A timer may be a little early, and is set again then
		const [first, ...others] = limits.mock.calls.flat();
		expect(first).toBe(300);
		expect(Math.max(0, ...others)).toBeLessThan(10);
	});

	test('begins after the login where one is needed', async () => {
		farm.service.faults.token.push({ latencyMs: 2000 });
		expect(dataOf(await run([at(IDS, 0)], { timeout: 1500, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});
});
