import type { INodeParameters } from 'n8n-workflow';
import { CONNECTION_RULES } from '../../../nodes/AquacultureSite/service/messages/rules';
import { CredentialStore } from '../../tools/engine/credential-store';
import type { NodeResult } from '../../tools/engine/engine';
import { dataOf, seaFarm, useSeaFarm } from '../../tools/engine/sea-farm';
import type { Service } from '../../tools/fake-service/service';
import { manySites } from '../../tools/fake-service/sites';

// What only real HTTP under n8n's engine can show; the rules are tested in test/unit/run, in simulated time

const FARMS = manySites(200);
const ids = FARMS.map(({ siteId }) => siteId);
const [first, second] = ids;

const farm = useSeaFarm({ sites: FARMS });
let service: Service;

beforeEach(() => {
	({ service } = farm);
	random(0.01);
});

/** The share of a backoff that a retry waits for. */
function random(share: number): void {
	jest.spyOn(Math, 'random').mockReturnValue(share);
}

const run = async (
	siteIds: readonly unknown[],
	options: INodeParameters = {},
	settings?: Parameters<typeof farm.run>[2],
) => await farm.run({ operation: 'get', options }, siteIds, settings);

const hintsOf = ({ hints }: NodeResult) => hints.map(({ message }) => message);

describe('requests side by side', () => {
	test.each([1, 7, 30])('are never more than Max Concurrency, here %i', async (maxConcurrency) => {
		service.faults.site.push({ latencyMs: 300 });
		const { items } = await run(ids.slice(0, 3 * maxConcurrency), { maxConcurrency });
		expect(items).toHaveLength(3 * maxConcurrency);
		expect(service.counts.maxInFlight).toBe(maxConcurrency);
	});

	test('need the credential read from the database of n8n once', async () => {
		await run([first]);
		const before = farm.engine.credentialReads;
		await run(ids.slice(0, 50));
		expect(farm.engine.credentialReads - before).toBe(1);
	});
});

test('hints say how a run went, and nothing of another one', async () => {
	service.faults.site.push({ skip: 20, times: 1, status: 429, retryAfter: 1 });
	const result = await run(ids.slice(0, 60));
	expect(result.items).toHaveLength(60);
	expect(hintsOf(result)).toEqual([expect.stringMatching(/^Requests were retried /)]);
	expect(hintsOf(await run([first]))).toEqual([]);
});

test('stopping the execution ends the requests in flight, and no other is sent', async () => {
	// Whoever waited for another try would wait for a minute
	random(60);
	const stopping = new AbortController();
	let arrived = 0;
	service.faults.site.push({
		when: () => {
			if (++arrived === 4) setImmediate(() => stopping.abort());
			return true;
		},
		connection: 'hang',
	});
	const { status } = await run(ids, { maxConcurrency: 4 }, { signal: stopping.signal });
	expect(status).toBe('canceled');
	// Then another user's whole run goes by, and the service hears of nobody else
	service.faults.site = [];
	farm.engine = await seaFarm(service);
	expect((await run(ids.slice(0, 50))).items).toHaveLength(50);
	expect(service.counts).toMatchObject({ aborted: 4, siteRequests: 4 + 50 });
});

/** All tokens expire, as late as tokens do: time is put forward. */
function expireTokens(): void {
	farm.clock.skip(10_000);
	service.expireTokens();
}

test('a token that expires in mid-run: no item is lost, and n8n stores one new token', async () => {
	const stored = jest.spyOn(CredentialStore.prototype, 'updateCredentials');
	let requests = 0;
	const expire = () => {
		if (++requests === 80) expireTokens();
		return false;
	};
	service.faults.site.push({ when: expire });
	expect(dataOf(await run(ids, { maxConcurrency: 128 }))).toEqual(FARMS);
	expect(service.counts.logins).toBe(2);
	expect(stored).toHaveBeenCalledTimes(2);
});

test('a token that expires, and whose 401 is cut off, after which n8n itself logs in: a login that fails is retried', async () => {
	await run([first]);
	expireTokens();
	service.faults.site.push({ connection: 'cut', times: 1 });
	service.faults.token.push({ status: 503, times: 1 });
	const result = await run(ids.slice(0, 3), { maxConcurrency: 1 });
	expect(dataOf(result)).toEqual(FARMS.slice(0, 3));
	expect(service.counts.logins).toBe(2);
});

describe("the time limit 'Timeout'", () => {
	test('is not extended by a login that is not needed', async () => {
		await run([first]);
		service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
		const start = farm.clock.now();
		const { error } = await run([second], { timeout: 300, maxRetries: 0 });
		expect(error?.message).toBe(CONNECTION_RULES.late.message);
		expect(farm.clock.now() - start).toBe(300);
	});

	test('is not shortened by a machine that stands still meanwhile', async () => {
		const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
		service.faults.site.push({ when: () => standStill() === 'ok' });
		expect(dataOf(await run([first], { timeout: 300, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});

	test('begins after the login where one is needed', async () => {
		service.faults.token.push({ latencyMs: 2000 });
		expect(dataOf(await run([first], { timeout: 1500, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});
});
