import type { Service } from '../fake-service/service';
import type { CredentialFile, WorkflowFile } from './n8n';

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

/** A credential for the stand-in service. */
export function demoCredential({ baseUrl, login }: Service): CredentialFile {
	return {
		id: 'aquacultureDemo1',
		name: 'Aquaculture API (stand-in)',
		type: 'aquacultureApi',
		data: { baseUrl, ...login },
	};
}

/** A workflow that reads all sites of the stand-in service with that credential. */
export function demoWorkflow({ sites }: Service, credential: CredentialFile): WorkflowFile {
	const siteIds = sites.map(({ siteId }) => siteId).join(', ');
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	return {
		id: WORKFLOW_ID,
		name: 'Aquaculture Demo',
		nodes: [
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a01',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a02',
				name: 'Aquaculture Site',
				type: 'n8n-nodes-aquaculture.aquacultureSite',
				typeVersion: 1,
				position: [220, 0],
				parameters: { operation: 'getAll', siteIds },
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			},
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a03',
				name: LAST_NODE,
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				position: [440, 0],
				parameters: {
					assignments: {
						assignments: Object.entries(COLUMNS).map(([name, value]) => ({
							id: name,
							name,
							value,
							type: name === 'Site' || name === 'Units' ? 'string' : 'number',
						})),
					},
					options: {},
				},
			},
		],
		connections: { Start: to('Aquaculture Site'), 'Aquaculture Site': to(LAST_NODE) },
	};
}
