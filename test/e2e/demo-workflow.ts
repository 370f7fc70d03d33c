import type { Service } from '../fake-service/service';
import type { CredentialFile, WorkflowFile } from './n8n';
import { chain, manualTrigger, node, siteNode } from './workflows';

export const WORKFLOW_ID = 'aquacultureDemo1';
export const LAST_NODE = 'Site Overview';

/** The columns of the last node and the expressions that fill them, for a site as the service sends it. */
export const COLUMNS = {
	'Site ID': '={{ $json.siteId }}',
	Site: '={{ $json.siteName }}',
	Latitude: '={{ $json.info.latitude }}',
	Longitude: '={{ $json.info.longitude }}',
	Units: "={{ $json.units.map((unit) => unit.unitName).join(', ') }}",
};

/** A credential for the fake service. */
export function demoCredential({ baseUrl, login }: Service): CredentialFile {
	return {
		id: 'aquacultureDemo1',
		name: 'Aquaculture API (fake service)',
		type: 'aquacultureApi',
		data: { baseUrl, ...login },
	};
}

/** A workflow that reads all sites of the fake service with that credential. */
export function demoWorkflow({ sites }: Service, credential: CredentialFile): WorkflowFile {
	const { id, name } = credential;
	const siteIds = sites.map(({ siteId }) => siteId).join(', ');
	const assignments = Object.entries(COLUMNS).map(([column, value]) => ({
		id: column,
		name: column,
		value,
		type: column === 'Site' || column === 'Units' ? 'string' : 'number',
	}));
	return {
		id: WORKFLOW_ID,
		...chain(
			'Aquaculture Demo',
			manualTrigger(),
			siteNode('Aquaculture Site', { id, name }, { operation: 'getAll', siteIds }),
			node(LAST_NODE, 'n8n-nodes-base.set', 3.4, { assignments: { assignments }, options: {} }),
		),
	};
}
