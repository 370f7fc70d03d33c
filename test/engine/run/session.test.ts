import { CONNECTION_RULES } from '../../../nodes/AquacultureSite/service/messages/rules';
import { CredentialStore } from '../../tools/engine/credential-store';
import { dataOf, useSeaFarm } from '../../tools/engine/sea-farm';
import type { FaultRequest } from '../../tools/fake-service/faults';
import { manySites } from '../../tools/fake-service/sites';
import { at } from '../../tools/helpers/at';

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

const farm = useSeaFarm({ sites: FARMS });

beforeEach(() => {
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});

/** All tokens expire, as late as tokens do: time is put forward. */
function expireTokens(): void {
	farm.clock.skip(10_000);
	farm.service.expireTokens();
}

const run = async (ids: number[], options = {}) =>
	await farm.run({ operation: 'get', options }, ids, { onError: 'continueRegularOutput' });

const errorsOf = (result: Parameters<typeof dataOf>[0]) =>
	dataOf(result).flatMap((data) => (data as { error?: string }).error ?? []);

test('a token that expires, and whose 401 is cut off, after which n8n itself logs in: a login that fails is retried', async () => {
	await run([at(IDS, 0)]);
	expireTokens();
	farm.service.faults.site.push({ connection: 'cut', times: 1 });
	farm.service.faults.token.push({ status: 503, times: 1 });
	const ids = IDS.slice(0, 3);
	expect(dataOf(await run(ids, { maxConcurrency: 1 }))).toEqual(FARMS.slice(0, 3));
	expect(farm.service.counts.logins).toBe(2);
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

test.each([
	['each after some requests', [80, 20, 20]],
	['one before any request was accepted with it', [80, 1]],
	['the first one of the run', [1]],
])(
	'tokens that expire in mid-run, %s: no item is lost, and there is one login for each, stored once by n8n',
	async (_, expiries) => {
		const stored = jest.spyOn(CredentialStore.prototype, 'updateCredentials');
		expireAt(...expiries);
		expect(dataOf(await run(IDS, { maxConcurrency: 128 }))).toEqual(FARMS);
		expect(farm.service.counts.logins).toBe(expiries.length + 1);
		expect(stored).toHaveBeenCalledTimes(expiries.length + 1);
	},
);

describe("the time limit 'Timeout'", () => {
	test('is not extended by a login that is not needed', async () => {
		await run([at(IDS, 0)]);
		farm.service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
		const start = farm.clock.now();
		const result = await run([at(IDS, 1)], { timeout: 300, maxRetries: 0 });
		expect(errorsOf(result)).toEqual([CONNECTION_RULES.late.message]);
		expect(farm.clock.now() - start).toBe(300);
	});

	test('is not shortened by a machine that stands still meanwhile', async () => {
		const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
		farm.service.faults.site.push({ when: () => standStill() === 'ok' });
		expect(dataOf(await run([at(IDS, 0)], { timeout: 300, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});

	test('begins after the login where one is needed', async () => {
		farm.service.faults.token.push({ latencyMs: 2000 });
		expect(dataOf(await run([at(IDS, 0)], { timeout: 1500, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});
});
