import { dataOf, CREDENTIAL, itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());

test('several processes of n8n with one credential: one login each, and no token that another one has replaced', async () => {
	const { siteId } = service.sites[0]!;
	const sites = {
		node: siteNode({ operation: 'get', siteId }),
		items: itemsWith([siteId, siteId]),
	};
	// Each engine has modules of its own, as each process has
	const [main, worker] = [await seaFarm(service), await seaFarm(service)];
	await worker.run(sites);
	await main.run(sites);
	expect(service.counts.logins).toBe(2);

	// n8n's database keeps the token that was stored last, for both; then all tokens expire
	worker.editCredential(CREDENTIAL, main.database[CREDENTIAL]!);
	service.expireTokens();
	const result = await worker.run(sites);
	expect(result.error).toBeUndefined();
	expect(dataOf(result)).toHaveLength(2);
	expect(service.counts.logins).toBe(3);
});
