import { type Engine } from '../../engine/engine';
import { type Service, startService } from '../../fake-service/service';
import { manySites } from '../../fake-service/sites';
import { at } from '../../helpers/at';
import { dataOf, itemsWith, seaFarm, siteNode } from '../../helpers/sea-farm';

// A busy machine takes its time
jest.setTimeout(30_000);

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService({ sites: FARMS });
});
beforeEach(async () => {
	service.reset();
	service.faults.site.push({ latencyMs: 3 });
	engine = await seaFarm(service);
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

async function run(ids: number[], options = {}) {
	return await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', options },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(ids),
	});
}

const errorsOf = (result: Parameters<typeof dataOf>[0]) =>
	dataOf(result).flatMap((data) => (data as { error?: string }).error ?? []);

describe('a token that expires in mid-run, at the default concurrency', () => {
	test('is renewed, and every site is read', async () => {
		service.faults.site.push({
			when: () => service.counts.siteRequests >= 100,
			times: 1,
			latencyMs: () => {
				service.expireTokens();
				return 0;
			},
		});
		expect(dataOf(await run(IDS))).toEqual(FARMS);
		expect(service.counts.logins).toBe(2);
	});
});

describe('sites that answer 401 while others are read', () => {
	test('cost a handful of logins, and nothing is repeated of any token', async () => {
		const closed = IDS.filter((_, item) => item % 4 === 0);
		service.faults.site.push({ siteId: closed, status: 401, echo: true });
		const result = await run(IDS);
		expect(errorsOf(result)).toHaveLength(closed.length);
		expect(service.counts.sitesServed).toBe(IDS.length - closed.length);
		expect(service.counts.logins).toBeLessThanOrEqual(8);
		const text = JSON.stringify(result.run);
		for (const token of service.issuedTokens) {
			expect(text).not.toContain(token);
			expect(text).not.toContain(Buffer.from(token).toString('base64'));
		}
	});
});

describe("the time limit 'Timeout'", () => {
	test('is not extended by a login that is not needed', async () => {
		await run([at(IDS, 0)]);
		service.faults.site.push({ drip: { bytes: 1, everyMs: 100 } });
		const limits = jest.spyOn(AbortSignal, 'timeout');
		const result = await run([at(IDS, 1)], { timeout: 300, maxRetries: 0 });
		expect(errorsOf(result)).toEqual(['The service did not respond in time']);
		expect(limits.mock.calls.flat()).toEqual([300]);
	});

	test('begins after the login where one is needed', async () => {
		service.faults.token.push({ latencyMs: 600 });
		expect(dataOf(await run([at(IDS, 0)], { timeout: 300, maxRetries: 0 }))).toEqual([FARMS[0]]);
	});
});
