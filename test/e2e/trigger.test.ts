import { type Service, startService } from '../fake-service/service';
import type { Execution } from './executions';
import { N8nInstance } from './n8n';
import { prepared } from './prepared';
import { findSecrets, secretsOf } from './secrets';
import { until } from '../helpers/until';
import { chain, node, siteTrigger } from './workflows';

const STORHOLMEN = 1042;
const ORNESVIKA = 1057;

let service: Service;
let n8n: N8nInstance;
let workflowId: string;

beforeAll(async () => {
	service = await startService();
	n8n = await N8nInstance.create({
		...prepared(),
		name: 'trigger',
		env: { N8N_LOG_LEVEL: 'debug' },
	});
	await n8n.start();
	await n8n.login();
	const credential = await n8n.createCredential('Sea farm', {
		baseUrl: service.baseUrl,
		...service.login,
	});
	const trigger = siteTrigger('Changes', credential, { siteIds: `${STORHOLMEN}, ${ORNESVIKA}` });
	({ id: workflowId } = await n8n.createWorkflow(
		chain('Tell Changes', trigger, node('Told', 'n8n-nodes-base.noOp', 1, {})),
	));
});

afterAll(async () => {
	await n8n?.dispose();
	await service?.close();
});

/** The service's site, to be changed. */
const site = (siteId: number) => service.sites.find((candidate) => candidate.siteId === siteId)!;

/** All that the trigger has started so far, failures too, oldest first. */
async function executions(): Promise<Execution[]> {
	const ids = await n8n.executionIds(workflowId);
	return await Promise.all(ids.map(async (id) => await n8n.waitForExecution(id)));
}

/** What has arrived at the node behind the trigger so far, in short. */
async function told(): Promise<string[]> {
	return (await executions())
		.flatMap((execution) => execution.json('Told'))
		.map(({ event, siteName, unitName, changes }) => {
			const values = (changes as Array<{ field: string; before: unknown; after: unknown }>).map(
				({ field, before, after }) => `${field} ${String(before)} -> ${String(after)}`,
			);
			return [event, siteName, unitName, ...values].filter(Boolean).join(', ');
		});
}

/** The messages of the polls that failed so far. */
async function failures(): Promise<string[]> {
	return (await executions()).flatMap(({ failure }) => failure?.message ?? []);
}

/** Waits until each site has been asked for twice from now on, so at least one whole poll has passed. */
async function aPollLater(): Promise<void> {
	const now = service.requests.length;
	const answered = (siteId: number) =>
		service.requests.slice(now).filter((request) => request.siteId === siteId && request.status);
	await until('n8n has polled again', () =>
		[STORHOLMEN, ORNESVIKA].every((siteId) => answered(siteId).length >= 2),
	);
}

const toldBefore: string[] = [];

/** Waits for so many events, and then for what would be told twice. What was told in earlier calls is left out. */
async function news(count: number): Promise<string[]> {
	await until(`${count} changes are told`, async () => {
		return (await told()).length >= toldBefore.length + count;
	});
	await aPollLater();
	const all = await told();
	expect(all.slice(0, toldBefore.length)).toEqual(toldBefore);
	return all.slice(toldBefore.length).map((event) => (toldBefore.push(event), event));
}

// Each test goes on where the one before it has left n8n and the service.

test('activated, it takes in the sites in silence', async () => {
	await n8n.activate(workflowId);
	await aPollLater();
	expect(await n8n.executionIds(workflowId)).toEqual([]);
});

test('what has changed starts the workflow', async () => {
	site(STORHOLMEN).info.license = 'SAMPLE-A';
	site(STORHOLMEN).units.pop();
	site(ORNESVIKA).units[0]!.unitName = 'Merd 1';
	site(ORNESVIKA).units.push({ unitId: 105799, unitName: 'Merd 99' });
	expect((await news(4)).sort()).toEqual([
		'siteChanged, Storholmen, info.license SAMPLE-1042 -> SAMPLE-A',
		'unitAdded, Ørnesvika, Merd 99',
		'unitChanged, Ørnesvika, Merd 1, unitName Pen 1 -> Merd 1',
		'unitRemoved, Storholmen, Pen 10',
	]);
	expect(await failures()).toEqual([]);
});

test('what changes while one of the sites cannot be read is told as soon as it can', async () => {
	service.faults.site.push({ siteId: ORNESVIKA, status: 500 });
	site(STORHOLMEN).info.license = 'SAMPLE-B';
	site(ORNESVIKA).info.license = 'SAMPLE-B';
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-A -> SAMPLE-B']);
	service.faults.site.length = 0;
	expect(await news(1)).toEqual(['siteChanged, Ørnesvika, info.license SAMPLE-1057 -> SAMPLE-B']);
	expect(await failures()).toEqual([]);
});

test('what changes while the service is down is told when it is up again', async () => {
	service.faults.site.push({ status: 500 });
	site(STORHOLMEN).info.license = 'SAMPLE-C';
	await until('a poll has failed', async () => (await failures()).length > 0);
	service.faults.site.length = 0;
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-B -> SAMPLE-C']);
	expect(new Set(await failures())).toEqual(
		new Set(['The service is not able to answer at the moment (status 500)']),
	);
});

// The polls before the stop were silent, and of a silent poll n8n saves nothing.
test('what changes while n8n is down is told after its start', async () => {
	await n8n.stop();
	site(STORHOLMEN).info.license = 'SAMPLE-D';
	await n8n.start();
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-C -> SAMPLE-D']);
});

test('a site that is not there any more is told once, as a failure, and none of its units', async () => {
	const before = (await failures()).length;
	const gone = service.sites.splice(service.sites.indexOf(site(ORNESVIKA)), 1);
	await until('it is missed', async () => (await failures()).length > before);
	await aPollLater();
	expect((await failures()).slice(before)).toEqual([`Site ${ORNESVIKA} was not found`]);
	expect(await news(0)).toEqual([]);

	site(STORHOLMEN).info.license = 'SAMPLE-E';
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-D -> SAMPLE-E']);
	service.sites.push(...gone);
	expect(await news(0)).toEqual([]);
});

test('killed right after it has told something, n8n tells the next change, and nothing twice', async () => {
	site(STORHOLMEN).info.license = 'SAMPLE-F';
	await until('it is told', async () => (await told()).length > toldBefore.length);
	await n8n.kill();
	// With a site missing, a throw in the first poll would keep n8n from taking up the workflow.
	const gone = service.sites.splice(service.sites.indexOf(site(ORNESVIKA)), 1);
	site(STORHOLMEN).info.license = 'SAMPLE-G';
	await n8n.start();
	expect(await news(2)).toEqual([
		'siteChanged, Storholmen, info.license SAMPLE-E -> SAMPLE-F',
		'siteChanged, Storholmen, info.license SAMPLE-F -> SAMPLE-G',
	]);
	gone[0]!.info.license = 'SAMPLE-H';
	service.sites.push(...gone);
	expect(await news(1)).toEqual(['siteChanged, Ørnesvika, info.license SAMPLE-B -> SAMPLE-H']);
});

test('after all of the above, no password and no token is anywhere', async () => {
	expect(service.counts.logins).toBe(1);
	expect(await findSecrets(n8n, secretsOf(service))).toEqual([]);
});
