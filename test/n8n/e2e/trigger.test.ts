import { readFileSync } from 'node:fs';
import { limit } from '../../tools/fake-service/limit';
import { manySites } from '../../tools/fake-service/sites';
import { defined } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { waitForPoll } from '../../tools/n8n/checks';
import type { Execution } from '../../tools/n8n/executions';
import { useN8n } from '../../tools/n8n/use-n8n';
import { every, reportChanges } from '../../tools/n8n/workflows';

const STORHOLMEN = 1042;
const ORNESVIKA = 1057;
const SITES = [STORHOLMEN, ORNESVIKA];

// Its log names each poll
const stage = useN8n('trigger', { n8n: () => ({ env: { N8N_LOG_LEVEL: 'debug' } }) });
let workflowId: string;

beforeAll(async () => {
	const workflow = reportChanges(stage.credential, SITES);
	workflowId = await stage.n8n.createWorkflow(workflow);
});

const site = (siteId: number) =>
	defined(stage.service.sites.find((candidate) => candidate.siteId === siteId));

const changeLicense = (siteId: number, license: string) => {
	site(siteId).info.license = license;
};

/** All that the trigger has started so far, failures too, oldest first. */
async function executions(): Promise<Execution[]> {
	const entries = await stage.n8n.executions(workflowId);
	return await Promise.all(entries.reverse().map(({ id }) => stage.n8n.waitForExecution(id)));
}

/** What has reached the node behind the trigger so far, in short. */
async function reported(): Promise<string[]> {
	return (await executions())
		.flatMap((execution) => execution.json('Reported'))
		.map((item) => {
			const { event, siteName, changes } = item as {
				event: string;
				siteName: string;
				changes: Array<{ field: string; before: unknown; after: unknown }>;
			};
			const values = changes.map(
				({ field, before, after }) => `${field} ${String(before)} -> ${String(after)}`,
			);
			return [event, siteName, ...values].join(', ');
		});
}

async function failures(): Promise<string[]> {
	return (await executions()).flatMap(({ failure }) => failure?.message ?? []);
}

/** How many polls n8n has started. */
function pollsStarted(): number {
	return (
		readFileSync(stage.n8n.log, 'utf8').split('Poll trigger initiated for workflow').length - 1
	);
}

const earlier: string[] = [];

/** Waits for so many more events, and then for those that would be reported twice. */
async function news(count: number): Promise<string[]> {
	await until(`${count} changes are reported`, async () => {
		return (await reported()).length >= earlier.length + count;
	});
	await waitForPoll(stage.service, SITES);
	const all = await reported();
	expect(all.slice(0, earlier.length)).toEqual(earlier);
	const latest = all.slice(earlier.length);
	earlier.push(...latest);
	return latest;
}

// Each test continues where the one before it has left n8n and the service.

test('the first poll is silent', async () => {
	await stage.n8n.activate(workflowId);
	await waitForPoll(stage.service, SITES);
	expect(await executions()).toEqual([]);
});

// The polls before the stop were silent, and n8n saves nothing of a silent poll.
test('a change while n8n is down is reported after its start', async () => {
	await stage.n8n.stop();
	changeLicense(STORHOLMEN, 'SAMPLE-D');
	await stage.n8n.start();
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-1042 -> SAMPLE-D']);
});

test('killed right after a report, n8n reports the next change, and nothing twice', async () => {
	changeLicense(STORHOLMEN, 'SAMPLE-F');
	await until('it is reported', async () => (await reported()).length > earlier.length);
	await stage.n8n.kill();
	const { sites } = stage.service;
	const removed = sites.splice(sites.indexOf(site(ORNESVIKA)), 1);
	changeLicense(STORHOLMEN, 'SAMPLE-G');
	await stage.n8n.start();
	expect(await news(2)).toEqual([
		'siteChanged, Storholmen, info.license SAMPLE-D -> SAMPLE-F',
		'siteChanged, Storholmen, info.license SAMPLE-F -> SAMPLE-G',
	]);
	// Three polls in a row have not found it.
	await until('the missing site is reported', async () => (await failures()).length > 0);
	sites.push(...removed);
	changeLicense(ORNESVIKA, 'SAMPLE-H');
	expect(await news(1)).toEqual(['siteChanged, Ørnesvika, info.license SAMPLE-1057 -> SAMPLE-H']);
	expect(await failures()).toEqual(['Ørnesvika (1057) could not be read in the last 3 checks']);
	expect(stage.service.counts.logins).toBe(1);
});

test('deactivated for a while, it reports what has changed meanwhile, once', async () => {
	await stage.n8n.deactivate(workflowId);
	changeLicense(STORHOLMEN, 'SAMPLE-I');
	await stage.n8n.activate(workflowId);
	expect(await news(1)).toEqual(['siteChanged, Storholmen, info.license SAMPLE-G -> SAMPLE-I']);
	await stage.n8n.deactivate(workflowId);
});

test('with more sites than the rate limit allows, each is read in turn', async () => {
	const { n8n, service, credential } = stage;
	service.sites.splice(0, Infinity, ...manySites(80));
	const siteIds = service.sites.map(({ siteId }) => siteId);
	limit(service, 30, 20);
	const workflow = await n8n.createWorkflow(reportChanges(credential, siteIds, every(20)));
	const isRead = (siteId: number) =>
		service.requests.some((request) => request.siteId === siteId && request.status === 200);
	const newest = async () => (await n8n.executions(workflow, 1))[0];
	/** Waits for something, and returns it with the number of polls that n8n has started meanwhile. */
	const inPolls = async <T>(what: string, isSo: () => T | Promise<T>) => {
		const polls = pollsStarted();
		const result = await until(what, isSo, { timeoutMs: 200_000, intervalMs: 200 });
		return { result, polls: pollsStarted() - polls };
	};
	const firstRound = inPolls('each site is read', () => siteIds.every(isRead));
	await n8n.activate(workflow);
	const { polls } = await firstRound;
	changeLicense(defined(siteIds.at(-1)), 'SAMPLE-LAST');
	const reported = await inPolls('the change is reported', newest);
	// Each poll reads what is left of one window, waits for the limit once, and goes on at the rate that it has measured.
	// One that waits takes two intervals: the poll that n8n starts meanwhile leaves the sites to it, and counts.
	expect(polls).toBeGreaterThanOrEqual(2);
	expect(polls).toBeLessThanOrEqual(6);
	// At most a whole round later, and at the end of the poll
	expect(reported.polls).toBeLessThanOrEqual(7);
	const { id } = reported.result;
	expect((await n8n.waitForExecution(id)).json('Reported')).toMatchObject([
		{ siteId: siteIds.at(-1), changes: [{ after: 'SAMPLE-LAST' }] },
	]);
	await n8n.deactivate(workflow);
});
