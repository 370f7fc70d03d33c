import type { Service } from '../fake-service/service';
import { at } from '../helpers/at';
import { until } from '../helpers/until';
import type { Stage } from './use-n8n';
import { reportChanges } from './workflows';

/** Lets the trigger watch a site, changes the site and expects that an execution starts with just this change. */
export async function expectReportedChange(stage: Omit<Stage, 'cleanup'>): Promise<void> {
	const { n8n, service, credential } = stage;
	const site = at(service.sites, 0);
	const workflow = await n8n.createWorkflow(reportChanges(credential, [site.siteId]));
	const { sitesServed } = service.counts;
	await n8n.activate(workflow);
	await until('the site is remembered', () => service.counts.sitesServed > sitesServed);
	const before = site.info.license;
	site.info.license = 'SAMPLE-NEW';
	const newest = async () => (await n8n.executions(workflow))[0];
	const { id } = await until('the change is reported', newest, { intervalMs: 200 });
	const execution = await n8n.waitForExecution(id);
	await n8n.deactivate(workflow);
	expect(execution.json('Reported')).toMatchObject([
		{
			event: 'siteChanged',
			siteId: site.siteId,
			changes: [{ field: 'info.license', before, after: 'SAMPLE-NEW' }],
		},
	]);
}

/** Waits until each site has got two responses from now on, so at least one whole poll has passed. */
export async function waitForPoll({ requests }: Service, siteIds: number[]): Promise<void> {
	const from = Date.now();
	const responses = (siteId: number) =>
		requests.filter(
			(request) => request.at >= from && request.siteId === siteId && request.status !== undefined,
		);
	await until('n8n has polled', () => siteIds.every((siteId) => responses(siteId).length >= 2));
}
