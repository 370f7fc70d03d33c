import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Table from 'cli-table3';
import { type CredentialReference, N8nInstance } from '../e2e/n8n';
import { prepared } from '../e2e/prepared';
import { until } from '../helpers/until';
import { chain, node, siteNode, siteTrigger } from '../e2e/workflows';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { checkServers, DATABASE, type DataServer, startPostgres, startRedis } from './servers';

/** A service far away, so that an execution mostly waits. */
const LATENCY_MS = 200;

const EXECUTIONS = 200;
const SITES_EACH = 5;

/** Calls of the webhook under way at once: what two workers can take, and as many again in the queue. */
const CALLERS = 20;
const CONCURRENCY = 5;

const SITES = manySites(50);
const WORKERS = ['queue-worker-1', 'queue-worker-2'];

const servers: DataServer[] = [];
let service: Service;
let main: N8nInstance;
const workers: N8nInstance[] = [];
let credential: CredentialReference;

/** Executions per minute by the number of workers. */
const rates = new Map<number, number>();

beforeAll(async () => {
	await checkServers();
	const redis = await startRedis();
	servers.push(redis);
	const postgres = await startPostgres();
	servers.push(postgres);
	service = await startService({ sites: SITES });
	service.faults.site.push({ latencyMs: LATENCY_MS });

	const env = {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_DATABASE: DATABASE,
		DB_POSTGRESDB_USER: DATABASE,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
	};
	main = await N8nInstance.create({ ...prepared(), name: 'queue-main', env });
	await main.start();
	await main.login();
	for (const name of WORKERS) {
		const worker = { concurrency: CONCURRENCY };
		const instance = await N8nInstance.create({ ...prepared(), name, worker, env });
		workers.push(instance);
		await instance.start();
	}
	credential = await main.createCredential('Sea farm', {
		baseUrl: service.baseUrl,
		...service.login,
	});
});

afterAll(async () => {
	for (const n8n of [...workers, main]) await n8n?.dispose();
	await service?.close();
	for (const server of servers) await server.stop();
	const table = new Table({
		head: ['workers', 'executions per minute'],
		style: { head: [], border: [] },
	});
	table.push(...[...rates].map(([count, rate]) => [count, Math.round(rate)]));
	process.stdout.write(
		`${EXECUTIONS} executions over ${SITES_EACH} sites each, ${LATENCY_MS} ms away:\n${table.toString()}\n`,
	);
});

/** How many executions a worker has begun so far. */
function begun(worker: N8nInstance): number {
	return readFileSync(worker.log, 'utf8').match(/Worker started execution/g)?.length ?? 0;
}

const allBegun = () => workers.map(begun).reduce((sum, count) => sum + count);

/** The sites that an execution asks for. */
function sitesOf(index: number) {
	return Array.from(
		{ length: SITES_EACH },
		(_, place) => SITES[(index * 3 + place) % SITES.length]!,
	);
}

/** Calls the webhook for every execution; all tokens expire when half of them are through. */
async function callAll(path: string): Promise<unknown[]> {
	const answers: unknown[] = [];
	let next = 0;
	let done = 0;
	const caller = async () => {
		while (next < EXECUTIONS) {
			const index = next++;
			const ids = sitesOf(index).map(({ siteId }) => siteId);
			const response = await fetch(`${main.baseUrl}/webhook/${path}?siteIds=${ids.join()}`);
			answers[index] = await response.json();
			if (++done === EXECUTIONS / 2) service.expireTokens();
		}
	};
	await Promise.all(Array.from({ length: CALLERS }, caller));
	return answers;
}

/** The same, timed. */
async function rated(workerCount: number, path: string): Promise<unknown[]> {
	const start = performance.now();
	const answers = await callAll(path);
	rates.set(workerCount, (EXECUTIONS / (performance.now() - start)) * 60_000);
	return answers;
}

describe('200 executions, the token expires in between', () => {
	const path = 'sites';
	const expected = Array.from({ length: EXECUTIONS }, (_, index) => sitesOf(index));

	beforeAll(async () => {
		const webhook = node(
			'Webhook',
			'n8n-nodes-base.webhook',
			2,
			{ path, responseMode: 'lastNode', responseData: 'allEntries' },
			{ webhookId: path },
		);
		const read = siteNode('Read', credential, {
			operation: 'getAll',
			siteIds: '={{ $json.query.siteIds }}',
		});
		const { id } = await main.createWorkflow(chain('Read Sites', webhook, read));
		await main.activate(id);
	});

	test('two workers: all succeed, both take part, one login for each of them and each expiry', async () => {
		expect(await callAll(path)).toEqual(expected);
		const shares = workers.map(begun);
		expect(shares[0]! + shares[1]!).toBe(EXECUTIONS);
		expect(Math.min(...shares)).toBeGreaterThan(0);
		expect(service.counts.refusedLogins).toBe(0);
		expect(service.counts.logins).toBeGreaterThanOrEqual(2);
		expect(service.counts.logins).toBeLessThanOrEqual(workers.length * 2);
	});

	test('one worker goes on when the other has stopped, and one login is enough then', async () => {
		await workers[1]!.stop();
		const { logins } = service.counts;
		expect(await rated(1, path)).toEqual(expected);
		expect(service.counts.logins).toBe(logins + 1);
	});

	test('two workers again', async () => {
		await workers[1]!.start();
		expect(await rated(2, path)).toEqual(expected);
	});
});

test('the trigger, which main polls, starts an execution in a worker', async () => {
	const [site] = service.sites;
	const before = allBegun();
	const { id } = await main.createWorkflow(
		chain(
			'Tell Changes',
			siteTrigger('Changes', credential, { siteIds: String(site!.siteId) }),
			node('Told', 'n8n-nodes-base.noOp', 1, {}),
		),
	);
	await main.activate(id);
	site!.info.license = 'SAMPLE-NEW';
	const executionId = await until('the change is told', async () => {
		const [first] = await main.executionIds(id);
		return first;
	});
	const execution = await main.waitForExecution(executionId);
	await main.deactivate(id);
	expect(execution.json('Told')).toMatchObject([
		{ event: 'siteChanged', changes: [{ field: 'info.license', after: 'SAMPLE-NEW' }] },
	]);
	expect(allBegun()).toBe(before + 1);
});
