import { manySites } from '../../fake-service/sites';
import { at } from '../../helpers/at';
import { dataOf, useSeaFarm } from '../../helpers/sea-farm';

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

const farm = useSeaFarm({ sites: FARMS });

beforeEach(() => {
	farm.service.faults.site.push({ latencyMs: 3 });
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});

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

describe("the time limit 'Timeout'", () => {
	test('is not extended by a login that is not needed', async () => {
		await run([at(IDS, 0)]);
		farm.service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
		const limits = jest.spyOn(AbortSignal, 'timeout');
		const result = await run([at(IDS, 1)], { timeout: 300, maxRetries: 0 });
		expect(errorsOf(result)).toEqual(['The service did not respond in time']);
		expect(limits.mock.calls.flat()).toEqual([300]);
	});

	test('begins after the login where one is needed', async () => {
		farm.service.faults.token.push({ latencyMs: 2000 });
		expect(dataOf(await run([at(IDS, 0)], { timeout: 1500, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});
});
