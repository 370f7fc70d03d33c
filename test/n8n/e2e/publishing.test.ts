import { setTimeout } from 'node:timers/promises';
import type { Fault } from '../../tools/fake-service/faults';
import type { Service } from '../../tools/fake-service/service';
import { defined } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { freePort } from '../../tools/n8n/processes';
import { ownService, saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { every, node, reportChanges } from '../../tools/n8n/workflows';

const stage = useN8n('publishing', { credential: false });

/** For polls that hang, on a slow and busy machine. */
const PATIENT = { timeoutMs: 180_000, intervalMs: 100 };

const SITE = 1042;

/** Waits until so many responses with the site were sent from now on. */
async function waitForReads(service: Service, count: number): Promise<void> {
	const served = service.counts.sitesServed;
	await until('n8n has polled', () => service.counts.sitesServed >= served + count, PATIENT);
}

/** Publishes a workflow that watches the site, and is told of its own failed executions. */
async function publish(credential: CredentialReference) {
	const { n8n } = stage;
	const workflow = reportChanges(credential, [SITE], every(5));
	workflow.nodes.push(node('Heard', 'n8n-nodes-base.errorTrigger', 1, {}));
	const id = await n8n.createWorkflow(workflow);
	await n8n.activate(id);
	const { active } = await n8n.rest.get<{ active: boolean }>(`/workflows/${id}`);
	expect(active).toBe(true);
	const executions = async () => {
		const entries = await n8n.executions(id);
		return await Promise.all(entries.map((entry) => n8n.waitForExecution(entry.id)));
	};
	return {
		/** The summaries of its events. */
		told: async () =>
			(await executions()).flatMap((each) => each.json('Reported').map(({ summary }) => summary)),
		failures: async () => (await executions()).flatMap(({ failure }) => failure?.message ?? []),
		/** What the error workflow has heard. */
		heard: async () =>
			(await executions()).flatMap((each) =>
				each.json('Heard').map(({ trigger }) => (trigger as { error: Error }).error.message),
			),
	};
}

type Published = Awaited<ReturnType<typeof publish>>;

const siteOf = ({ sites }: Service) => defined(sites.find(({ siteId }) => siteId === SITE));

/** Edits a credential to what the service accepts now, as the dialog does. */
async function correct({ id, name }: CredentialReference, service: Service): Promise<void> {
	const data = { baseUrl: service.baseUrl, ...service.login };
	await stage.n8n.rest.patch(`/credentials/${id}`, { name, type: 'aquacultureApi', data });
}

/** Changes the site and expects that this is told, once. */
async function expectOneChange(service: Service, { told }: Published): Promise<void> {
	// At least one whole poll
	await waitForReads(service, 2);
	siteOf(service).info.license = 'SAMPLE-NEW';
	await until('the change is told', async () => (await told()).length > 0, PATIENT);
	await waitForReads(service, 2);
	expect(await told()).toEqual([
		'The license of Storholmen changed from SAMPLE-1042 to SAMPLE-NEW',
	]);
}

interface Outage {
	credential: CredentialReference;
	/** Ends it; returns the service, which is well then. */
	end: () => Service | Promise<Service>;
}

const fails =
	(fault: Fault, endpoints: Array<'token' | 'site'> = ['token', 'site']) =>
	async (): Promise<Outage> => {
		const { service, credential } = await ownService(stage);
		for (const endpoint of endpoints) service.faults[endpoint].push(fault);
		const end = () => {
			for (const endpoint of endpoints) service.faults[endpoint].length = 0;
			return service;
		};
		return { credential, end };
	};

async function refusesConnections(): Promise<Outage> {
	const port = await freePort();
	const data = { baseUrl: `http://127.0.0.1:${port}` };
	const credential = await saveCredential(stage.n8n, stage.service, data);
	return { credential, end: () => startFake(stage.cleanup, { port }) };
}

async function hasNoName(): Promise<Outage> {
	const service = await startFake(stage.cleanup);
	// Never exists (RFC 6761)
	const data = { baseUrl: service.baseUrl.replace('127.0.0.1', 'sea-farm.invalid') };
	const credential = await saveCredential(stage.n8n, service, data);
	const end = async () => {
		await correct(credential, service);
		return service;
	};
	return { credential, end };
}

const OUTAGES: Array<[string, () => Promise<Outage>, seconds?: number]> = [
	['503', fails({ status: 503 })],
	['503 for half a minute', fails({ status: 503 }), 30],
	['502', fails({ status: 502, body: 'html' })],
	['a reset connection', fails({ connection: 'reset' })],
	['a refused connection', refusesConnections],
	['no response', fails({ connection: 'hang' })],
	['a name that is not found', hasNoName],
	['429', fails({ status: 429 })],
	['429 with Retry-After', fails({ status: 429, retryAfter: 5 })],
	['429 with Retry-After of an hour', fails({ status: 429, retryAfter: 3600 })],
	['503 of the token endpoint alone', fails({ status: 503 }, ['token'])],
	['no response of the token endpoint alone', fails({ connection: 'hang' }, ['token'])],
];

/** Side by side, each with its service and its workflow. */
const rows = new Map<string, Promise<[Service, Published]>>();

beforeAll(() => {
	for (const [name, begin, seconds = 3] of OUTAGES) {
		const row = begin().then(async ({ credential, end }) => {
			// n8n polls when it publishes
			const published = await publish(credential);
			await setTimeout(1000 * seconds);
			const service = await end();
			await expectOneChange(service, published);
			expect((await published.failures()).length).toBeLessThanOrEqual(1);
			return [service, published] as [Service, Published];
		});
		row.catch(() => undefined);
		rows.set(name, row);
	}
});

test.each(OUTAGES)(
	'published while the service is down (%s): polls go on, and a change after the outage is told once',
	async (name) => {
		await rows.get(name);
	},
);

test('what was first read after an outage is saved with the first event: a change while n8n is down is told', async () => {
	const all = await Promise.all(rows.values());
	await stage.n8n.stop();
	for (const [service] of all) siteOf(service).info.license = 'SAMPLE-NEXT';
	await stage.n8n.start();
	for (const [, { told }] of all) {
		await until('the change is told', async () => (await told()).length > 1, PATIENT);
		expect(await told()).toContain(
			'The license of Storholmen changed from SAMPLE-NEW to SAMPLE-NEXT',
		);
	}
});

test('published while the service is down for good: told once, after three polls, and polls go on', async () => {
	const { credential } = await fails({ status: 503 })();
	const { failures, heard } = await publish(credential);
	await until('it is told', async () => (await heard()).length > 0, PATIENT);
	expect(await failures()).toEqual(['No site could be read in the last 3 checks']);
	expect(await heard()).toEqual(await failures());
});

test('a login that is rejected after publishing: told at once, once, and to correct the credential is enough', async () => {
	const { service, credential } = await ownService(stage);
	const published = await publish(credential);
	await waitForReads(service, 1);
	service.login.password = 'changed-sample-password';
	service.expireTokens();
	await until('it is told', async () => (await published.heard()).length > 0, PATIENT);
	await correct(credential, service);
	await expectOneChange(service, published);
	const message = `The service rejected the username or password: credential "${credential.name}"`;
	expect(await published.heard()).toEqual([message]);
	expect(await published.failures()).toEqual([message]);
});
