import { at } from '../helpers/at';
import type { Stage } from './use-n8n';
import { reportChanges } from './workflows';

/** Lets the trigger watch a site, changes the site and expects that an execution starts with just this change. */
export async function expectReportedChange({
	n8n,
	service,
	credential,
}: Pick<Stage, 'n8n' | 'service' | 'credential'>): Promise<void> {
	const site = at(service.sites, 0);
	const workflow = await n8n.createWorkflow(reportChanges(credential, [site.siteId]));
	await n8n.activate(workflow);
	const before = site.info.license;
	site.info.license = 'SAMPLE-NEW';
	const execution = await n8n.nextExecution(workflow);
	await n8n.deactivate(workflow);
	expect(execution.json('Reported')).toMatchObject([
		{
			event: 'siteChanged',
			siteId: site.siteId,
			changes: [{ field: 'info.license', before, after: 'SAMPLE-NEW' }],
		},
	]);
}
