import type { INode, INodeParameters } from 'n8n-workflow';
import type { CredentialReference, NewWorkflow } from '../n8n/n8n';
import { chain, httpRequest, node, siteNode, webhook, webhookItems } from '../n8n/workflows';

/** A way to read the sites of the items. */
export interface Caller {
	title: string;
	node: (credential: CredentialReference, baseUrl: string) => INode;
}

const SITE_ID = '={{ $json.siteId }}';
const CONTINUE = { onError: 'continueRegularOutput' } as const;

const requestCaller = (title: string, options: INodeParameters = {}): Caller => ({
	title,
	node: (credential, baseUrl) =>
		httpRequest(title, credential, `=${baseUrl}/meta/sites/{{ $json.siteId }}`, CONTINUE, {
			sendQuery: true,
			queryParameters: { parameters: [{ name: '$include', value: 'info,units' }] },
			options,
		}),
});

export const AQUACULTURE_SITE: Caller = {
	title: 'Aquaculture Site',
	node: (credential) => siteNode('Aquaculture Site', credential, {}, CONTINUE),
};

export const HTTP_REQUEST = requestCaller('HTTP Request');

const benchNode = (title: string, type: string, parameters: INodeParameters, more = {}) =>
	node(title, `n8n-nodes-bench.${type}`, 1, parameters, { ...CONTINUE, ...more });

export const DECLARATIVE: Caller = {
	title: 'Declarative',
	node: (credential) => {
		const credentials = { aquacultureApi: credential };
		return benchNode('Declarative', 'declarative', { siteId: SITE_ID }, { credentials });
	},
};

export const BARE_HELPER: Caller = {
	title: 'Bare helper',
	node: (_credential, baseUrl) =>
		benchNode('Bare helper', 'bareHelper', {
			baseUrl,
			token: "={{ $('Webhook').first().json.body.token }}",
			concurrency: "={{ $('Webhook').first().json.body.concurrency }}",
			siteId: SITE_ID,
		}),
};

/** Webhook → items → the caller → a summary, which is the webhook's response. */
export function workflowOf(
	caller: Caller,
	path: string,
	...[credential, baseUrl]: Parameters<Caller['node']>
): NewWorkflow {
	return chain(
		`Benchmark: ${caller.title}`,
		webhook(path, 'firstEntryJson'),
		webhookItems(),
		caller.node(credential, baseUrl),
		node('Summary', 'n8n-nodes-bench.benchSummary', 1, { caller: caller.title }),
	);
}
