import type { INode, INodeParameters } from 'n8n-workflow';
import { parseRequestOptions } from '../../../nodes/AquacultureSite/operations/operation';
import { given } from '../helpers/operation';
import type { CredentialReference, NewWorkflow } from '../n8n/n8n';
import { chain, httpRequest, node, siteNode, webhook, webhookItems } from '../n8n/workflows';

/** A way to read the sites of the items. */
export interface Caller {
	title: string;
	node: (credential: CredentialReference, baseUrl: string) => INode;
}

const SITE_ID = '={{ $json.siteId }}';
const CONTINUE = { onError: 'continueRegularOutput' } as const;

export const AQUACULTURE_SITE: Caller = {
	title: 'Aquaculture Site',
	node: (credential) => siteNode('Aquaculture Site', credential, {}, CONTINUE),
};

export const HTTP_REQUEST: Caller = {
	title: 'HTTP Request',
	node: (credential, baseUrl) => {
		const url = `=${baseUrl}/meta/sites/{{ $json.siteId }}`;
		const parameters = [{ name: '$include', value: 'info,units' }];
		const query = { sendQuery: true, queryParameters: { parameters } };
		return httpRequest('HTTP Request', credential, url, CONTINUE, query);
	},
};

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
			concurrency: parseRequestOptions(given({})).maxConcurrency,
			siteId: SITE_ID,
		}),
};

export const CALLERS = [AQUACULTURE_SITE, HTTP_REQUEST, DECLARATIVE, BARE_HELPER];

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
