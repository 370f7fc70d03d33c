import { randomUUID } from 'node:crypto';
import type { INode, INodeParameters } from 'n8n-workflow';
import { at } from '../helpers/at';
import type { CredentialReference, NewWorkflow } from './n8n';

const PACKAGE = 'n8n-nodes-aquaculture';
const BUILT_IN = 'n8n-nodes-base';

/** A node of a workflow; `more` overrides it. */
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
			return [at(nodes, index).name, { main: [[connection]] }];
		}),
	);
	const placed = nodes.map((each, index): INode => ({ ...each, position: [220 * index, 0] }));
	return { name, nodes: placed, connections };
}

export const manualTrigger = () => node('Start', `${BUILT_IN}.manualTrigger`, 1, {});

/** A webhook under this path, whose response is the items of the last node, or its first one. */
export function webhook(path: string, responseData: 'allEntries' | 'firstEntryJson'): INode {
	const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode', responseData };
	return node('Webhook', `${BUILT_IN}.webhook`, 2, parameters, { webhookId: path });
}

/** One item `{ siteId }` for each of the `siteIds` that a webhook was called with. */
export const webhookItems = () =>
	node('Items', `${BUILT_IN}.splitOut`, 1, {
		fieldToSplitOut: 'body.siteIds',
		options: { destinationFieldName: 'siteId' },
	});

export async function callWebhook(
	{ baseUrl }: { baseUrl: string },
	path: string,
	body: object,
): Promise<Response> {
	return await fetch(`${baseUrl}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(600_000),
	});
}

/** Starts by hand and gives the nodes these items. */
export function withItems(items: object[], ...nodes: INode[]): NewWorkflow {
	return chain(
		'Items',
		manualTrigger(),
		node('List', `${BUILT_IN}.set`, 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ items }) }),
		node('Items', `${BUILT_IN}.splitOut`, 1, { fieldToSplitOut: 'items' }),
		...nodes,
	);
}

/** Starts by hand and gives the nodes one item `{ siteId }` for each of the sites. */
export function readSites(siteIds: number[], ...nodes: INode[]): NewWorkflow {
	return withItems(
		siteIds.map((siteId) => ({ siteId })),
		...nodes,
	);
}

/** The package's node; by default it reads the site of its item, as the service sends it. */
export function siteNode(
	name: string,
	credential: CredentialReference,
	parameters: INodeParameters,
	more: Partial<INode> = {},
): INode {
	const siteId = '={{ $json.siteId }}';
	const all = { operation: 'get', siteId, siteIds: siteId, simplify: false, ...parameters };
	const credentials = { aquacultureApi: credential };
	return node(name, `${PACKAGE}.aquacultureSite`, 1, all, { credentials, ...more });
}

/** When a trigger polls: n8n rejects an interval below a minute, but accepts any number of times. `seconds` divides 60. */
export function every(seconds: number): INodeParameters[] {
	return Array.from({ length: 60 / seconds }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * seconds} * * * * *`,
	}));
}

/**
 * The trigger polls these sites, or those of an expression, by default as fast as n8n lets it; its events are the items
 * of the node "Reported".
 */
export function reportChanges(
	credential: CredentialReference,
	siteIds: number[] | string,
	pollTimes = every(2),
): NewWorkflow {
	const list = Array.isArray(siteIds) ? siteIds.join(', ') : siteIds;
	const parameters = { pollTimes: { item: pollTimes }, siteIds: list };
	const credentials = { aquacultureApi: credential };
	return chain(
		'Report Changes',
		node('Changes', `${PACKAGE}.aquacultureSiteTrigger`, 1, parameters, { credentials }),
		node('Reported', `${BUILT_IN}.noOp`, 1, {}),
	);
}

/** n8n's own HTTP Request node, with the package's credential as "Predefined Credential Type". */
export function httpRequest(
	name: string,
	credential: CredentialReference,
	url: string,
	more: Partial<INode> = {},
	parameters: INodeParameters = {},
): INode {
	const authentication = {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'aquacultureApi',
	};
	return node(
		name,
		`${BUILT_IN}.httpRequest`,
		// A version of the node that n8n 1 has too
		4.2,
		{ url, ...authentication, ...parameters },
		{ credentials: { aquacultureApi: credential }, ...more },
	);
}
