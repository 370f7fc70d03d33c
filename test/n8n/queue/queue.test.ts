import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Service } from '../../tools/fake-service/service';
import { manySites } from '../../tools/fake-service/sites';
import { at, defined } from '../../tools/helpers/at';
import { Cleanup } from '../../tools/helpers/cleanup';
import { expectReportedChange } from '../../tools/n8n/checks';
import { type ComposeService, readCompose, readDockerFile } from '../../tools/n8n/compose';
import type { CredentialReference, N8nInstance } from '../../tools/n8n/n8n';
import type { N8nOptions } from '../../tools/n8n/n8n-process';
import { outputOf } from '../../tools/n8n/processes';
import { startServers } from '../../tools/n8n/servers';
import { setup } from '../../tools/n8n/setup';
import { saveCredential, startFake, startN8n } from '../../tools/n8n/use-n8n';
import { callWebhook, chain, siteNode, webhook } from '../../tools/n8n/workflows';
import { inWorkspace, packageManagerEnv, ROOT } from '../../tools/n8n/workspace';

/** The service is far away, so that an execution mostly waits. */
const LATENCY_MS = 200;

const EXECUTIONS = 200;
const SITES_EACH = 5;
const SITES = manySites(50);
const PATH = 'sites';

const cleanup = new Cleanup();
let service: Service;
let main: N8nInstance;
const workers: N8nInstance[] = [];
let credential: CredentialReference;

/** Calls of the webhook in flight at once: what two workers can run, and as many again in the queue. */
let callers: number;

/**
 * Runs the RUN instruction of the Dockerfile, with the tarball instead of the published package.
 * @returns the folder that stands for the image's /home/node
 */
async function buildImage(): Promise<string> {
	const home = dirname(inWorkspace('docker', 'home', 'any'));
	const [, instruction] = /^RUN ((?:.*\\\n)*.*)/m.exec(readDockerFile('Dockerfile')) ?? [];
	const command = defined(instruction)
		.replaceAll('/home/node', home)
		.replace('n8n-nodes-aquaculture@${PACKAGE_VERSION}', setup().tarball);
	if (!command.includes(setup().tarball)) throw new Error('The Dockerfile installs no package');
	rmSync(home, { recursive: true, force: true });
	const env = { ...packageManagerEnv(), HOME: home };
	await outputOf('sh', ['-ec', command], { cwd: ROOT, env });
	return home;
}

/** What the Dockerfile and compose.yaml make: one main process and two workers. */
beforeAll(async () => {
	const services = readCompose({
		N8N_ENCRYPTION_KEY: randomUUID(),
		POSTGRES_PASSWORD: randomUUID(),
		GENERIC_TIMEZONE: 'Europe/Oslo',
	});
	expect(services.n8n.environment).toMatchObject({
		QUEUE_BULL_REDIS_HOST: 'redis',
		DB_POSTGRESDB_HOST: 'postgres',
	});
	const servers = await startServers(cleanup, services);
	service = await startFake(cleanup, { sites: SITES });
	service.faults.site.push({ latencyMs: LATENCY_MS });
	const home = await buildImage();
	const { install } = setup();
	const startContainer = async (
		name: string,
		{ environment }: ComposeService,
		worker?: N8nOptions['worker'],
	) => {
		const env = { ...environment, ...servers };
		return await startN8n(cleanup, { install, name, env, worker }, (userFolder) =>
			cpSync(home, userFolder, { recursive: true }),
		);
	};
	main = await startContainer('queue-main', services.n8n);
	const healthUrl = defined(services.n8n.healthcheck?.test.at(-1));
	const health = await fetch(healthUrl.replace('http://localhost:5678', main.baseUrl));
	expect(health.status).toBe(200);
	const concurrency = Number(
		/^worker --concurrency=(\d+)$/.exec(services.worker.command ?? '')?.[1],
	);
	for (let count = 1; count <= defined(services.worker.deploy).replicas; count++) {
		const name = `queue-worker-${count}`;
		workers.push(await startContainer(name, services.worker, { concurrency }));
	}
	callers = 2 * workers.length * concurrency;
	credential = await saveCredential(main, service);
	const read = siteNode('Read', credential, {
		operation: 'getAll',
		siteIds: '={{ $json.body.siteIds }}',
	});
	const workflow = chain('Read Sites', webhook(PATH, 'allEntries'), read);
	await main.activate(await main.createWorkflow(workflow));
});

afterAll(() => cleanup.run());

/** How many executions each worker has started so far. */
const started = () =>
	workers.map(
		({ log }) => readFileSync(log, 'utf8').match(/Worker started execution/g)?.length ?? 0,
	);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number);

const sitesOf = (index: number) =>
	Array.from({ length: SITES_EACH }, (_, place) => at(SITES, (index * 3 + place) % SITES.length));

/** Calls the webhook once per execution, which must return its sites; all tokens expire halfway. */
async function callAll(): Promise<void> {
	const responses: unknown[] = [];
	let next = 0;
	let done = 0;
	const caller = async () => {
		while (next < EXECUTIONS) {
			const index = next++;
			const siteIds = sitesOf(index).map(({ siteId }) => siteId);
			const response = await callWebhook(main, PATH, { siteIds });
			responses[index] = await response.json();
			if (++done === EXECUTIONS / 2) service.expireTokens();
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	expect(responses).toEqual(Array.from({ length: EXECUTIONS }, (_, index) => sitesOf(index)));
}

test('two workers share the executions, and each logs in once per expiry; one goes on alone; the trigger starts one more', async () => {
	const { counts } = service;
	await callAll();
	expect(sum(started())).toBe(EXECUTIONS);
	expect(Math.min(...started())).toBeGreaterThan(0);
	expect(counts.refusedLogins).toBe(0);
	expect(counts.logins).toBeGreaterThanOrEqual(2);
	expect(counts.logins).toBeLessThanOrEqual(workers.length * 2);

	await at(workers, 1).stop();
	const { logins } = counts;
	await callAll();
	expect(counts.logins).toBe(logins + 1);

	// The main process polls
	await expectReportedChange({ n8n: main, service, credential });
	expect(sum(started())).toBe(2 * EXECUTIONS + 1);
});
