import type { INode } from 'n8n-workflow';
import type { CredentialReference, NewWorkflow } from '../n8n/n8n';
import { chain, httpRequest, node, siteNode, webhook, webhookItems } from '../n8n/workflows';

/** A way to read the sites of the items. */
export interface Caller {
	title: string;
	node: (credential: CredentialReference, baseUrl: string) => INode;
}

const CONTINUE = { onError: 'continueRegularOutput' } as const;

export const AQUACULTURE_SITE: Caller = {
	title: 'Aquaculture Site',
	node: (credential) => siteNode('Aquaculture Site', credential, {}, CONTINUE),
};

const HTTP_REQUEST: Caller = {
	title: 'HTTP Request',
	node: (credential, baseUrl) => {
		const url = `=${baseUrl}/meta/sites/{{ $json.siteId }}`;
		const parameters = [{ name: '$include', value: 'info,units' }];
		const query = { sendQuery: true, queryParameters: { parameters } };
		return httpRequest('HTTP Request', credential, url, CONTINUE, query);
	},
};

export const CALLERS = [AQUACULTURE_SITE, HTTP_REQUEST];

/** Of its webhook. */
export const pathOf = ({ title }: Caller) => title.replaceAll(' ', '-');

/** Webhook → items → the caller → a summary, which is the webhook's response. */
export function workflowOf(
	caller: Caller,
	...[credential, baseUrl]: Parameters<Caller['node']>
): NewWorkflow {
	return chain(
		`Benchmark: ${caller.title}`,
		webhook(pathOf(caller), 'firstEntryJson'),
		webhookItems(),
		caller.node(credential, baseUrl),
		node('Summary', 'n8n-nodes-bench.benchSummary', 1, { caller: caller.title }),
	);
}
