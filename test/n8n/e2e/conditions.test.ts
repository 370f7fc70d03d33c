import type { INodeExecutionData } from 'n8n-workflow';
import { findings, told } from '../../tools/cases/condition-findings';
import { type Condition, CONDITIONS, type Outcome } from '../../tools/cases/conditions';
import type { Service } from '../../tools/fake-service/service';
import { manySites } from '../../tools/fake-service/sites';
import { defined } from '../../tools/helpers/at';
import { inLanes } from '../../tools/helpers/lanes';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';

/** Rows of the table, and how many milliseconds away the service is. */
const CHOSEN: Array<[name: string, latency: number]> = [
	['is well', 200],
	['limits the rate with 429, window of 20 a second, Retry-After: yes', 30],
	['limits the rate with 429, bucket of 20, 20 a second, Retry-After: no', 100],
	['limits the rate with 429, bucket of 5, 5 a second, Retry-After: yes', 200],
	['limits the rate with 429, bucket of 1, 10 a second, Retry-After: no', 3],
	['limits the rate with 503, nginx, 10 a second, Retry-After: no', 100],
	['limits the rate with 503, nginx, 10 a second, burst 10, Retry-After: no', 3],
	['limits the rate with 503, ASP.NET Core, window of 20 a second, Retry-After: yes', 200],
	['limits the rate with 503, ASP.NET Core, bucket of 100, 200 a second, Retry-After: no', 30],
	['refuses request 1 once, with 503', 3],
	['refuses request 11 once, with 429 with Retry-After 1', 100],
	['refuses request 101 once, with 503', 30],
	['refuses request 151 once, with 429 with Retry-After 1', 200],
	['has every fourth site out of order for ever: 503', 30],
	['has every fourth site out of order for ever: 503 with Retry-After 2', 100],
	['has every fourth site out of order for ever: reset', 3],
	['has every fourth of 1,000 sites out of order for ever: 500', 200],
	['has every fourth site out of order for ever: a hang, with a timeout of 2 s', 100],
	['closes every fourth site with 401, token: none', 100],
	['closes every fourth site with 401, token: valid', 30],
	['closes every fourth site with 403, token: expired', 3],
	['closes the first twenty sites of the list with 401, token: expired', 200],
	['closes the first twenty sites of the list with 401, token: none', 3],
	['fails for 2 seconds in mid-run: reset', 200],
	['fails for 5 seconds in mid-run: 503', 30],
	['fails for 8 seconds in mid-run: 502', 3],
	['fails for ever from the start: 502', 3],
	['fails for ever in mid-run: 503', 100],
	['hangs in mid-run, with a timeout of 2 s', 30],
	['lets each token expire after 10 seconds', 3],
	['accepts no token', 100],
	['accepts no token any more in mid-run', 30],
	['has 8 workers of 50 ms', 3],
	['has an ill token endpoint: 503', 30],
	['has an ill token endpoint: 401', 200],
];

/** They mostly wait; with more, one would wait for another. */
const SIDE_BY_SIDE = 4;

/** The machine is busy, n8n itself takes its time, and other rows run meanwhile. */
const longest = (seconds: number) => 2 * seconds + 3;

/** A limit for what hangs. */
const LIMIT_MS = 300_000;

const WELL = 'is well';
const MOST_ITEMS = Math.max(...CONDITIONS.map(({ items }) => items));
const SITES = manySites(MOST_ITEMS).map((site, index) => ({ ...site, siteId: index + 1 }));

const stage = useN8n('conditions', { credential: false });
let users = 0;

/** Reads the first sites, and returns the items, and the seconds that the node took. */
async function read(credential: CredentialReference, items: number, options: object) {
	const { n8n } = stage;
	const onError = 'continueRegularOutput';
	const node = siteNode('Read', credential, { options: { ...options } }, { onError });
	const ids = SITES.slice(0, items).map(({ siteId }) => siteId);
	const id = await n8n.startExecution(await n8n.createWorkflow(readSites(ids, node)));
	const execution = await n8n.waitForExecution(id, LIMIT_MS);
	const [run] = defined(execution.runData['Read']);
	return { items: execution.items('Read'), seconds: defined(run).executionTime / 1000 };
}

const siteOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item + 1;

/** What came of a run, and what the service saw of it. */
async function outcomeOf(
	{ items, timeout }: Condition,
	credential: CredentialReference,
	service: Service,
): Promise<Outcome> {
	const [sent, logins] = [service.counts.siteRequests, service.counts.tokenRequests];
	const first = service.requests.length;
	const run = await read(credential, items, timeout === undefined ? {} : { timeout });
	const failures = run.items.filter(({ json }) => 'error' in json);
	return {
		read: run.items.length - failures.length,
		failures: failures.map((item) => ({
			siteId: siteOf(item),
			message: item.json.error as string,
		})),
		logins: service.counts.tokenRequests - logins,
		requests: service.counts.siteRequests - sent,
		failed: service.requests
			.slice(first)
			.filter(({ endpoint, status }) => endpoint === 'site' && status !== 200).length,
		seconds: run.seconds,
	};
}

/** The outcome of a run under a condition, and of the same run again if the condition asks for it. */
async function outcomesOf(
	condition: Condition,
	latency: number,
	service: Service,
): Promise<Outcome[]> {
	const { token = 'none', tokenLifetime, again } = condition;
	service.reset();
	const login = { username: `user-${++users}@example.com`, password: 'sample-password' };
	service.logins.push(login);
	const credential = await saveCredential(stage.n8n, service, login);
	if (token !== 'none') await read(credential, 1, {});
	if (token === 'expired') service.expireTokens();

	const { site = [], token: logins = [] } = condition.service({ now: () => performance.now() });
	service.faults.site.push({ latencyMs: latency }, ...site);
	service.faults.token.push({ latencyMs: latency }, ...logins);
	service.faults.tokenLifetime = { milliseconds: tokenLifetime };
	const outcomes = [await outcomeOf(condition, credential, service)];
	if (again !== undefined) {
		await new Promise((over) => setTimeout(over, 1000 * again));
		outcomes.push(await outcomeOf(condition, credential, service));
	}
	return outcomes;
}

test(`${CHOSEN.length} of the ${CONDITIONS.length} conditions`, async () => {
	const well = defined(CONDITIONS.find(({ name }) => name === WELL));
	const services = await Promise.all(
		Array.from({ length: SIDE_BY_SIDE }, () => startFake(stage.cleanup, { sites: SITES })),
	);
	// The first runs of an n8n take longer
	const warmUp = defined(services[0]);
	await outcomesOf(well, 3, warmUp);
	const fresh = new Map<number, number>();
	for (const latency of new Set(CHOSEN.map(([, latency]) => latency))) {
		const [outcome] = await outcomesOf(well, latency, warmUp);
		fresh.set(latency, defined(outcome).seconds);
	}

	const found: string[] = [];
	await inLanes(services, CHOSEN, async ([name, latency], service) => {
		const condition = defined(CONDITIONS.find((each) => each.name === name));
		for (const outcome of await outcomesOf(condition, latency, service)) {
			process.stdout.write(`A service that ${name}, ${latency} ms away: ${told(outcome)}\n`);
			const own = findings(condition, outcome, defined(fresh.get(latency)), longest);
			found.push(...own.map((finding) => `${name}, ${latency} ms: ${finding}`));
		}
	});
	expect(found).toEqual([]);
}, 900_000);
