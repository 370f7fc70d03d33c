import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { N8nInstance } from '../e2e/n8n';
import { prepared } from '../e2e/prepared';
import { run } from '../e2e/processes';
import { until } from '../helpers/until';
import { chain, node, siteNode } from '../e2e/workflows';
import { inWorkspace, packageManagerEnv, ROOT } from '../e2e/workspace';
import { type Service, startService } from '../fake-service/service';
import { checkServers, type DataServer, startPostgres, startRedis } from './servers';

// No Docker runs here: what the files in docker/ do is done on folders and processes of this machine.

/** In place of the image's /home/node. */
const HOME = dirname(inWorkspace('docker', 'home', 'any'));

const servers: DataServer[] = [];
let service: Service;
let main: N8nInstance;
let worker: N8nInstance;

const read = (file: string) => readFileSync(join(ROOT, 'docker', file), 'utf8');

/** Runs the RUN instruction of the Dockerfile, with the tarball in place of the published package. */
async function build(): Promise<void> {
	const [, instruction] = /^RUN ((?:.*\\\n)*.*)/m.exec(read('Dockerfile')) ?? [];
	const command = instruction!
		.replaceAll('/home/node', HOME)
		.replace('n8n-nodes-aquaculture@${PACKAGE_VERSION}', prepared().tarball);
	expect(command).toContain(prepared().tarball);
	rmSync(HOME, { recursive: true, force: true });
	const env = { ...packageManagerEnv(), HOME };
	const { code, output } = await run('sh', ['-ec', command], { cwd: ROOT, env });
	expect([code, output]).toEqual([0, expect.anything()]);
}

/** The environment that compose.yaml gives each n8n, for servers on this machine. */
function environment(redis: DataServer, postgres: DataServer): Record<string, string> {
	const [, block] =
		/^x-n8n:[^]*?^ {2}environment:\n((?: {4}.*\n)+)/m.exec(read('compose.yaml')) ?? [];
	const entries = block!
		.trim()
		.split('\n')
		.map((line) => line.trim().split(': ') as [string, string]);
	expect(entries.length).toBeGreaterThan(5);
	const here: Record<string, string> = { redis: '127.0.0.1', postgres: '127.0.0.1' };
	return {
		...Object.fromEntries(
			entries.map(([name, value]) => [name, here[value] ?? value.replace(/^\$\{.*\}$/, 'secret')]),
		),
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_POSTGRESDB_PORT: String(postgres.port),
	};
}

beforeAll(async () => {
	await checkServers();
	const redis = await startRedis();
	servers.push(redis);
	const postgres = await startPostgres();
	servers.push(postgres);
	service = await startService();
	await build();

	const env = environment(redis, postgres);
	const [, concurrency] = /command: worker --concurrency=(\d+)/.exec(read('compose.yaml')) ?? [];
	const container = async (name: string, more: { worker?: { concurrency: number } } = {}) => {
		const instance = await N8nInstance.create({ install: prepared().install, name, env, ...more });
		cpSync(HOME, instance.userFolder, { recursive: true });
		return instance;
	};
	main = await container('docker-main');
	await main.start();
	await main.login();
	worker = await container('docker-worker', { worker: { concurrency: Number(concurrency) } });
	await worker.start();
});

afterAll(async () => {
	await worker?.dispose();
	await main?.dispose();
	await service?.close();
	for (const server of servers) await server.stop();
});

test('the image of the Dockerfile, as compose.yaml runs it: a worker reads a site', async () => {
	const credential = await main.createCredential('Sea farm', {
		baseUrl: service.baseUrl,
		...service.login,
	});
	const path = 'site';
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		2,
		{ path, responseMode: 'lastNode' },
		{ webhookId: path },
	);
	const [site] = service.sites;
	const workflow = await main.createWorkflow(
		chain(
			'Read a Site',
			webhook,
			siteNode('Read', credential, { operation: 'get', siteId: String(site!.siteId) }),
		),
	);
	await main.activate(workflow.id);
	const response = await fetch(`${main.baseUrl}/webhook/${path}`);
	expect(await response.json()).toEqual(site);
	await until('the worker has done it', () =>
		readFileSync(worker.log, 'utf8').includes('Worker finished execution'),
	);
});
