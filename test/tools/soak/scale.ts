import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { limit } from '../fake-service/limit';
import type { Service } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { at } from '../helpers/at';
import { markdownTable } from '../helpers/markdown-table';
import type { Cleanup } from '../helpers/cleanup';
import { megabytes } from '../helpers/numbers';
import { until } from '../helpers/until';
import { runCommand, say } from '../n8n/cli';
import { concurrencyOf, readCompose } from '../n8n/compose';
import { environmentHere } from '../n8n/docker';
import { N8nInstance } from '../n8n/n8n';
import { startServers } from '../n8n/servers';
import { prepareSetup, type Setup } from '../n8n/setup';
import { saveCredential, startFake, startN8n } from '../n8n/use-n8n';
import { every, reportChanges } from '../n8n/workflows';
import { SetupError } from '../n8n/workspace';
import { staticDataInPostgres, staticDataInSqlite } from './database';
import { memoryOf, watchLoad } from './load';

const UNITS = 20;
const LATENCY_MS = 100;

const USAGE = `Measures how many sites one trigger can watch, on a real n8n.

  npm run test:scale                       1000 sites of ${UNITS} units, ${LATENCY_MS} ms away, polled every 20 seconds
  npm run test:scale -- --sites 300 --limit 100
                                           at most so many requests a minute, polled every minute
  npm run test:scale -- --queue            in queue mode with PostgreSQL, one main process and one worker
`;

const OPTIONS = {
	sites: { type: 'string', default: '1000' },
	limit: { type: 'string' },
	queue: { type: 'boolean', default: false },
} as const;

/** Longer than any poll takes. */
const PATIENCE = { timeoutMs: 600_000, intervalMs: 500 };

/** n8n as it is installed with one command, or the main process of queue mode. */
async function startPlatform(cleanup: Cleanup, setup: Setup, isQueue: boolean) {
	const n8nOptions = { ...setup, name: isQueue ? 'scale-main' : 'scale' };
	if (!isQueue) {
		const n8n = await startN8n(cleanup, n8nOptions);
		return { n8n, staticData: () => staticDataInSqlite(n8n) };
	}
	const secrets = { N8N_ENCRYPTION_KEY: randomUUID(), POSTGRES_PASSWORD: randomUUID() };
	const services = readCompose(secrets);
	const servers = await startServers(cleanup, services);
	const env = environmentHere(services.n8n, servers);
	const n8n = await startN8n(cleanup, { ...n8nOptions, env });
	const worker = await N8nInstance.create({
		...n8nOptions,
		name: 'scale-worker',
		env: environmentHere(services.worker, servers),
		worker: { concurrency: concurrencyOf(services.worker) },
	});
	cleanup.defer(() => worker.dispose());
	await worker.start();
	return { n8n, staticData: () => staticDataInPostgres(servers, secrets.POSTGRES_PASSWORD) };
}

/** Requests that belong together, because nothing was requested for seconds before and after them. */
function pollsOf({ requests }: Service, since: number) {
	const polls: Array<{ start: number; end: number; served: number }> = [];
	for (const request of requests) {
		if (request.endpoint !== 'site' || request.at < since) continue;
		const last = polls.at(-1);
		const served = request.status === 200 ? 1 : 0;
		if (last && request.at - last.end < 5000) {
			last.end = request.at;
			last.served += served;
		} else polls.push({ start: request.at, end: request.at, served });
	}
	return polls;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

runCommand(USAGE, OPTIONS, async (values, cleanup) => {
	const count = Number(values.sites);
	const perMinute = Number(values.limit ?? Infinity);
	if (!(count > 0 && perMinute > 0)) throw new SetupError('--sites and --limit take numbers.');
	const setup = await prepareSetup(say);
	const service = await startFake(cleanup, { sites: manySites(count, UNITS), record: 100_000 });
	service.faults.site.push({ latencyMs: LATENCY_MS });
	limit(service, perMinute, 60);
	say(`Starting n8n ${setup.install.version}.`);
	const { n8n, staticData } = await startPlatform(cleanup, setup, values.queue);
	const credential = await saveCredential(n8n, service);
	const siteIds = service.sites.map(({ siteId }) => siteId);
	const interval = values.limit === undefined ? 20 : 60;
	const workflow = await n8n.createWorkflow(reportChanges(credential, siteIds, every(interval)));
	const idle = await memoryOf(n8n);

	say(`Activating a trigger on ${count} sites.`);
	const start = Date.now();
	await n8n.activate(workflow);
	const activation = Date.now() - start;
	const stopWatching = watchLoad(n8n);
	const isRead = () => {
		const served = service.requests.filter(({ status }) => status === 200);
		const read = new Set(served.map(({ siteId }) => siteId));
		return siteIds.every((siteId) => read.has(siteId));
	};
	await until('each site is read', isRead, PATIENCE);
	const pollsUntilRead = pollsOf(service, start).length;
	say(`Each site is read after ${pollsUntilRead} polls.`);
	const since = Date.now();
	await until('another poll is over', () => pollsOf(service, since).length >= 2, PATIENCE);
	const poll = at(pollsOf(service, since), -2);

	say('Changing the last site.');
	const changed = at(service.sites, -1);
	const changedAt = Date.now();
	changed.info.license = 'SAMPLE-CHANGED';
	const newest = async () => (await n8n.executions(workflow, 1))[0];
	const { id } = await until('the change is reported', newest, { ...PATIENCE, intervalMs: 100 });
	const reported = Date.now() - changedAt;
	const items = (await n8n.waitForExecution(id)).json('Reported');
	// Time for another poll, which must not report it again
	await setTimeout(1.5 * interval * 1000);
	const executions = await n8n.executions(workflow);
	const peak = await stopWatching();
	const { bytes, writeMs } = await staticData();

	console.log(
		`\n${markdownTable([
			['Measure', `${count} sites of ${UNITS} units, ${LATENCY_MS} ms away`],
			['n8n', `${setup.install.version}, ${values.queue ? 'PostgreSQL, queue mode' : 'SQLite'}`],
			['Activation', seconds(activation)],
			['Polls until each site was read', String(pollsUntilRead)],
			['A poll', `${seconds(poll.end - poll.start + LATENCY_MS)} for ${poll.served} sites`],
			['Static data', `${Math.round(bytes / 1000)} kB, ${Math.round(bytes / count)} bytes a site`],
			['Writing it to the database', `${writeMs} ms`],
			['Memory of n8n', `${megabytes(idle)} idle, at most ${megabytes(peak.memory)}`],
			['Longest response of the health check', `${peak.responseMs} ms`],
			[
				'One change',
				`${items.length} item in ${executions.length} execution, after ${seconds(reported)}`,
			],
		])}\n`,
	);
	if (items.length !== 1 || executions.length !== 1) process.exitCode = 1;
});
