import { FAILED_LOGIN_PAUSE_MS } from '../../../nodes/AquacultureSite/service/messages/failures';
import { TOKEN_RULES } from '../../../nodes/AquacultureSite/service/messages/rules';
import {
	dataOf,
	httpRequestNode,
	itemsWith,
	seaFarm,
	siteNode,
	useSeaFarm,
} from '../../tools/engine/sea-farm';
import type { Service } from '../../tools/fake-service/service';
import { manySites } from '../../tools/fake-service/sites';

const farms = manySites(200);
const ids = farms.map(({ siteId }) => siteId);
const [anyId] = ids;
const items = itemsWith(ids);
const { message: REJECTED } = TOKEN_RULES.rejected;

/** A response whose last byte comes after half an hour. */
const DRIP = { bytes: 1800, drip: { bytes: 1, everyMs: 1000 } };

const farm = useSeaFarm({ sites: farms });
let service: Service;

beforeEach(() => ({ service } = farm));

const getEach = siteNode({ operation: 'get', siteId: '={{ $json.id }}' });
const get = siteNode({ operation: 'get', siteId: anyId });

async function n8nLoggedIn() {
	const n8n = await seaFarm(service);
	await n8n.run({ node: get });
	return n8n;
}

describe.each([
	['the node', () => getEach],
	['the HTTP Request node', () => httpRequestNode(`=${service.baseUrl}/meta/sites/{{ $json.id }}`)],
])('200 items at once through %s', (_name, node) => {
	const idsOf = (run: Parameters<typeof dataOf>[0]) => run.items.map(({ json }) => json.siteId);

	test.each([
		['without a token', 1, async () => await seaFarm(service)],
		['with a token that is accepted', 0, n8nLoggedIn],
		[
			'with a token that has expired',
			1,
			async () => {
				const n8n = await n8nLoggedIn();
				service.expireTokens();
				return n8n;
			},
		],
		[
			'with a token that has expired, after a restart of n8n',
			1,
			async () => await seaFarm(service, { accessToken: 'issued.long.ago' }),
		],
	])('%s: %i login', async (_situation, logins, start) => {
		const n8n = await start();
		const before = service.counts.tokenRequests;
		expect(idsOf(await n8n.run({ node: node(), items }))).toEqual(ids);
		expect(service.counts.tokenRequests - before).toBe(logins);
	});

	test('in two executions side by side, without a token: one login', async () => {
		const n8n = await seaFarm(service);
		const runs = await Promise.all([1, 2].map(async () => await n8n.run({ node: node(), items })));
		expect(runs.map(idsOf)).toEqual([ids, ids]);
		expect(service.counts.tokenRequests).toBe(1);
	});

	test('twenty of them with a login that is rejected: one attempt in two executions', async () => {
		const n8n = await seaFarm(service, { password: 'wrong-one' });
		const some = items.slice(0, 20);
		const { error } = await n8n.run({ node: node(), items: some });
		const text = `${String(error?.message)} ${String(error?.description)}`;
		expect(text).toMatch(new RegExp(`${REJECTED}.*re-enter 'Username' and 'Password'`));
		expect(text).not.toMatch(/wrong-one|AxiosError|127\.0\.0\.1/);
		const onError = 'continueRegularOutput';
		const run = await n8n.run({ node: { ...node(), onError }, items: some });
		expect(run.items).toHaveLength(20);
		expect(service.counts.requests).toBe(1);
	});

	test('with a login that goes on and on: it ends by its deadline, and the next run begins anew', async () => {
		service.faults.token.push(DRIP);
		const n8n = await seaFarm(service);
		const start = farm.clock.now();
		const { error } = await n8n.run({ node: node(), items });
		expect(error?.message).toMatch(/did not respond in time/);
		// Thirty seconds for a login, twice, and half a minute for another one to come
		expect(farm.clock.now() - start).toBeLessThanOrEqual(90_000);
		service.faults.token = [];
		farm.clock.skip(FAILED_LOGIN_PAUSE_MS);
		expect(idsOf(await n8n.run({ node: node(), items }))).toEqual(ids);
	});
});

test.each([407, 423, 500, 502, 503])(
	'twenty items of the HTTP Request node with status %i for a login: a handful of logins',
	async (status) => {
		service.faults.token.push({ status });
		const n8n = await seaFarm(service);
		const node = httpRequestNode(`${service.baseUrl}/meta/sites/1042`, {
			onError: 'continueRegularOutput',
		});
		expect((await n8n.run({ node, items: items.slice(0, 20) })).items).toHaveLength(20);
		expect(service.counts.tokenRequests).toBeLessThanOrEqual(4);
	},
);

test('a token is used until it is rejected, whatever expires_in says', async () => {
	service.faults.token.push({ merge: { expires_in: '1' } });
	const n8n = await n8nLoggedIn();
	farm.clock.skip(100_000_000);
	expect((await n8n.run({ node: get })).items).toHaveLength(1);
	expect(service.counts.logins).toBe(1);
});
