import { startFake, saveCredential, useN8n } from '../../tools/n8n/use-n8n';
import { manySites } from '../../tools/fake-service/sites';
import { defined } from '../../tools/helpers/at';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';
import { CONDITIONS, siteIdsTo } from './conditions';

// With real requests, real timers, and n8n's own login and stored tokens. What n8n does not decide is judged in simulated
// time, by generated services: test/unit/run/generated

const stage = useN8n('conditions', { credential: false });
const SITES = manySites(1000).map((site, index) => ({ ...site, siteId: index + 1 }));

/** Reads the sites in a workflow of its own: what came of each item, and the seconds that the node took. */
async function read(credential: CredentialReference, siteIds: number[], options = {}) {
	const onError = 'continueRegularOutput';
	const node = siteNode('Read', credential, { options }, { onError });
	const execution = await stage.n8n.createAndRun(readSites(siteIds, node));
	const [run] = defined(execution.runData['Read']);
	const errors = execution.json('Read').map(({ error }) => error as string | undefined);
	return { errors, seconds: defined(run).executionTime / 1000 };
}

test.concurrent.each(Object.entries(CONDITIONS))('a service that %s', async (name, condition) => {
	const { sites, siteIds = siteIdsTo(sites), options, runs = 1 } = condition;
	const { unreadable = () => false, tries = 4, message, logins = 1 } = condition;
	const service = await startFake(stage.cleanup, { sites: SITES.slice(0, sites) });
	const credential = await saveCredential(stage.n8n, service);
	if (condition.hasExpiredToken) {
		await read(credential, [2]);
		service.expireTokens();
	}
	const before = service.requests.length;
	const { site = [], token = [] } = condition.faults(service);
	service.faults.site.push({ latencyMs: 30 }, ...site);
	service.faults.token.push({ latencyMs: 30 }, ...token);
	const started = Array.from({ length: runs }, () => read(credential, siteIds, options));
	const results = await Promise.all(started);

	const requests = service.requests.slice(before);
	const failed = requests.filter(({ endpoint, status }) => endpoint === 'site' && status !== 200);
	const bad = siteIds.filter((siteId) => unreadable(siteId, service));
	const outcome = {
		seconds: Math.max(...results.map((result) => result.seconds)),
		logins: requests.filter(({ endpoint }) => endpoint === 'token').length,
		failed: failed.length,
	};
	process.stdout.write(`A service that ${name}: ${JSON.stringify(outcome)}\n`);
	for (const { errors } of results) {
		expect(siteIds.filter((_, item) => errors[item] !== undefined)).toEqual(bad);
		expect(errors.filter((error) => error && !message?.test(error))).toEqual([]);
	}
	const { failed: most = bad.length * tries + 2 * 128 + 0.4 * sites } = condition;
	expect(outcome.failed).toBeLessThanOrEqual(most);
	expect(outcome.logins).toBeLessThanOrEqual(logins);
	expect(outcome.seconds).toBeLessThanOrEqual(condition.seconds);
	if (!condition.isMended) return;
	Object.assign(service.faults, { site: [], token: [] });
	expect((await read(credential, siteIds)).errors).toEqual(siteIds.map(() => undefined));
});
