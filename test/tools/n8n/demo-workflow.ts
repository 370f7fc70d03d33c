import type { Service } from '../fake-service/service';
import type { CredentialReference, NewWorkflow } from './n8n';
import { chain, manualTrigger, node, siteNode } from './workflows';

export const LAST_NODE = 'Site Overview';

/** The columns of the last node and the expressions that fill them, for a site as the service sends it. */
export const COLUMNS = {
	'Site ID': '={{ $json.siteId }}',
	Site: '={{ $json.siteName }}',
	Latitude: '={{ $json.info.latitude }}',
	Longitude: '={{ $json.info.longitude }}',
	Units: "={{ $json.units.map((unit) => unit.unitName).join(', ') }}",
};

/** A workflow that reads all sites of the fake service. */
export function demoWorkflow({ sites }: Service, credential: CredentialReference): NewWorkflow {
	const siteIds = sites.map(({ siteId }) => siteId).join(', ');
	const assignments = Object.entries(COLUMNS).map(([name, value]) => {
		return { id: name, name, value, type: 'string' };
	});
	return chain(
		'Aquaculture Demo',
		manualTrigger(),
		siteNode('Aquaculture Site', credential, { operation: 'getAll', siteIds }),
		node(LAST_NODE, 'n8n-nodes-base.set', 3.4, { assignments: { assignments }, options: {} }),
	);
}
