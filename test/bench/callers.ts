import type { INode, INodeParameters } from 'n8n-workflow';
import { parseRequestOptions } from '../../nodes/AquacultureSite/operations/parameters';
import type { WorkflowFile } from '../e2e/n8n';

/** Who asks for the sites. */
export interface Caller {
	/** As the tables call it. */
	title: string;
	type: string;
	typeVersion: number;
	usesCredential: boolean;
	parameters: (baseUrl: string) => INodeParameters;
}

const SITE_ID = '={{ $json.siteId }}';

/** What the node does by itself; the bare helper is given the same. */
export const DEFAULT_CONCURRENCY = parseRequestOptions({}).maxConcurrency;

function thisNode(title: string, options: INodeParameters = {}): Caller {
	return {
		title,
		type: 'n8n-nodes-aquaculture.aquacultureSite',
		typeVersion: 1,
		usesCredential: true,
		parameters: () => ({ operation: 'get', siteId: SITE_ID, options }),
	};
}

/** The node with another «Max Concurrency» than its default. */
export const atConcurrency = (maxConcurrency: number): Caller =>
	thisNode(`at most ${maxConcurrency}`, { maxConcurrency });

export const AQUACULTURE_SITE = thisNode('Aquaculture Site');

function httpRequest(title: string, options: INodeParameters = {}): Caller {
	return {
		title,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		usesCredential: true,
		parameters: (baseUrl) => ({
			url: `=${baseUrl}/meta/sites/{{ $json.siteId }}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'aquacultureApi',
			sendQuery: true,
			queryParameters: { parameters: [{ name: '$include', value: 'info,units' }] },
			options,
		}),
	};
}

export const HTTP_REQUEST = httpRequest('HTTP Request');

/** HTTP Request told by hand how much the service takes. */
export const httpRequestInBatches = (perSecond: number): Caller =>
	httpRequest('HTTP Request in batches', {
		batching: { batch: { batchSize: perSecond, batchInterval: 1000 } },
	});

export const DECLARATIVE: Caller = {
	title: 'Declarative',
	type: 'n8n-nodes-bench.declarative',
	typeVersion: 1,
	usesCredential: true,
	parameters: () => ({ siteId: SITE_ID }),
};

export const BARE_HELPER: Caller = {
	title: 'Bare helper',
	type: 'n8n-nodes-bench.bareHelper',
	typeVersion: 1,
	usesCredential: false,
	parameters: (baseUrl) => ({
		baseUrl,
		token: "={{ $('Webhook').first().json.body.token }}",
		concurrency: "={{ $('Webhook').first().json.body.concurrency }}",
		siteId: SITE_ID,
	}),
};

/** Webhook → items → the caller → a summary, which is the webhook's answer. */
export function workflowOf(
	{ title, type, typeVersion, usesCredential, parameters }: Caller,
	path: string,
	baseUrl: string,
	credential: { id: string; name: string },
): Omit<WorkflowFile, 'id'> {
	const node = (
		name: string,
		rest: Pick<INode, 'type' | 'parameters'> & Partial<INode>,
	): INode => ({
		id: `${path}-${name}`,
		name,
		typeVersion: 1,
		position: [0, 0],
		...rest,
	});
	const nodes = [
		node('Webhook', {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
		}),
		node('Items', { type: 'n8n-nodes-bench.benchItems', parameters: {} }),
		node(title, {
			type,
			typeVersion,
			parameters: parameters(baseUrl),
			onError: 'continueRegularOutput',
			...(usesCredential && { credentials: { aquacultureApi: credential } }),
		}),
		node('Summary', { type: 'n8n-nodes-bench.benchSummary', parameters: { caller: title } }),
	];
	const links = nodes
		.slice(1)
		.map(({ name }, index) => [
			nodes[index]!.name,
			{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
		]);
	return { name: `Benchmark: ${title}`, nodes, connections: Object.fromEntries(links) };
}
