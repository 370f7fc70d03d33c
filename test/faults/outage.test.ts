import { itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';

const sites = manySites(20);
const ids = sites.map(({ siteId }) => siteId);
let service: Service;

beforeAll(async () => {
	service = await startService({ sites });
});
beforeEach(() => {
	service.reset();
	// The backoff pauses for 10, 20, 40 … milliseconds
	jest.spyOn(Math, 'random').mockReturnValue(0.01);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

/** One site after the other. */
async function run() {
	const engine = await seaFarm(service);
	const { items } = await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', options: { maxConcurrency: 1 } },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(ids),
	});
	return {
		items: items.length,
		failed: items.flatMap(({ json }, index) => (json.error === undefined ? [] : [index])),
	};
}

const requestsFor = (index: number) =>
	service.requests.filter(({ siteId }) => siteId === ids[index]).length;

test.each([429, 503])(
	'status %i at the first site for ever takes no other site with it',
	async (status) => {
		service.faults.site.push({ siteId: ids[0], status });
		expect(await run()).toEqual({ items: 20, failed: [0] });
		expect(requestsFor(0)).toBe(4);
	},
);

test.each([429, 503])(
	'status %i at one site in the middle takes no other site with it',
	async (status) => {
		service.faults.site.push({ siteId: ids[9], status });
		expect(await run()).toEqual({ items: 20, failed: [9] });
		expect(requestsFor(9)).toBe(4);
	},
);

test('a service that goes down in mid-run is not asked again and again for each site', async () => {
	service.faults.site.push({ status: 503, skip: 5 });
	expect(await run()).toEqual({ items: 20, failed: ids.map((_, index) => index).slice(5) });
	expect(requestsFor(5)).toBe(4);
	// Five that were read, then each of the others once at most
	expect(service.counts.siteRequests).toBeLessThanOrEqual(5 + 4 + 14);
});
