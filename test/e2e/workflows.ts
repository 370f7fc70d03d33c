import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { CredentialReference, WorkflowFile } from './n8n';

export type NewWorkflow = Omit<WorkflowFile, 'id'>;

const PACKAGE = 'n8n-nodes-aquaculture';
const BUILT_IN = 'n8n-nodes-base';

/** A node of a workflow; `more` is laid over it. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters,
	more: Partial<INode> = {},
): INode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters, ...more };
}

/** Nodes one after the other, each one's first output connected to the next one's input. */
export function chain(name: string, ...nodes: INode[]): NewWorkflow {
	const connections = Object.fromEntries(
		nodes.slice(1).map((to, index) => {
			const connection = { node: to.name, type: 'main' as const, index: 0 };
			return [nodes[index]!.name, { main: [[connection]] }];
		}),
	);
	return { name, nodes, connections };
}

/** A workflow that starts by hand and gives the nodes one item `{ siteId }` for each of the sites. */
export function readSites(siteIds: number[], ...nodes: INode[]): NewWorkflow {
	return chain(
		'Read Sites',
		node('Start', `${BUILT_IN}.manualTrigger`, 1, {}),
		node('List', `${BUILT_IN}.set`, 3.4, {
			mode: 'raw',
			jsonOutput: JSON.stringify({ siteId: siteIds }),
		}),
		node('Items', `${BUILT_IN}.splitOut`, 1, { fieldToSplitOut: 'siteId' }),
		...nodes,
	);
}

/** The package's node. */
export function siteNode(
	name: string,
	credential: CredentialReference,
	parameters: INodeParameters,
	more: Partial<INode> = {},
): INode {
	return node(name, `${PACKAGE}.aquacultureSite`, 1, parameters, {
		credentials: { aquacultureApi: credential },
		...more,
	});
}

/**
 * n8n takes no interval below a minute, but any number of poll times: here one for every other second of a minute.
 */
const EVERY_OTHER_SECOND = Array.from({ length: 30 }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * 2} * * * * *`,
}));

/** The package's trigger, polling as fast as n8n lets it. */
export function siteTrigger(
	name: string,
	credential: CredentialReference,
	parameters: INodeParameters,
): INode {
	return node(
		name,
		`${PACKAGE}.aquacultureSiteTrigger`,
		1,
		{ pollTimes: { item: EVERY_OTHER_SECOND }, ...parameters },
		{ credentials: { aquacultureApi: credential } },
	);
}

/** n8n's own HTTP Request node, with the package's credential as «Predefined Credential Type». */
export function httpRequest(
	name: string,
	credential: CredentialReference,
	url: string,
	more: Partial<INode> = {},
	parameters: INodeParameters = {},
): INode {
	return node(
		name,
		`${BUILT_IN}.httpRequest`,
		4.5,
		{
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'aquacultureApi',
			...parameters,
		},
		{ credentials: { aquacultureApi: credential }, ...more },
	);
}
