import { defined } from '../helpers/at';
import { until } from '../helpers/until';
import { waitForPoll } from './checks';
import type { Execution } from './executions';
import { useN8n } from './use-n8n';
import { reportChanges } from './workflows';

const STORHOLMEN = 1042;
const ORNESVIKA = 1057;
const SITES = [STORHOLMEN, ORNESVIKA];

const stage = useN8n('trigger');
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
	// With a site missing, a throw in the first poll would keep n8n from activating the workflow.
	const { sites } = stage.service;
	const removed = sites.splice(sites.indexOf(site(ORNESVIKA)), 1);
	changeLicense(STORHOLMEN, 'SAMPLE-G');
	await stage.n8n.start();
	expect(await news(2)).toEqual([
		'siteChanged, Storholmen, info.license SAMPLE-D -> SAMPLE-F',
		'siteChanged, Storholmen, info.license SAMPLE-F -> SAMPLE-G',
	]);
	sites.push(...removed);
	changeLicense(ORNESVIKA, 'SAMPLE-H');
	expect(await news(1)).toEqual(['siteChanged, Ørnesvika, info.license SAMPLE-1057 -> SAMPLE-H']);
	expect(stage.service.counts.logins).toBe(1);
});
