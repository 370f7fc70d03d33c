import {
	NodeApiError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeProperties,
	type INodeTypeDescription,
	type JsonObject,
} from 'n8n-workflow';

const field = (name: string): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
});

function describeNode(name: string, rest: Partial<INodeTypeDescription>): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
		...rest,
	};
}

/** "Manual Trigger": where a run starts. The items of a test are pinned to it, as in n8n's editor. */
const manualTrigger: INodeType = {
	description: describeNode('manualTrigger', { group: ['trigger'], inputs: [] }),
};

/** The older helper, as far as the HTTP Request node needs it. */
interface LegacyHelpers {
	requestWithAuthentication(
		this: IExecuteFunctions,
		...[type, options, none, item]: [string, object, undefined, number]
	): Promise<{ body: IDataObject }>;
}

/**
 * "HTTP Request" (version 4) with a predefined credential type, as far as requests and logins go. It reads the credential
 * for each item in turn, then sends all requests side by side through the older helper, which logs in again and retries
 * after ANY refused request, and has the address in `uri`. Parameters: `url`, `nodeCredentialType`.
 */
const httpRequest: INodeType = {
	description: describeNode('httpRequest', {
		properties: [field('url'), field('nodeCredentialType')],
	}),
	async execute(this: IExecuteFunctions) {
		const helpers = this.helpers as unknown as LegacyHelpers;
		const requests: Array<Promise<{ body: IDataObject }>> = [];
		for (const index of this.getInputData().keys()) {
			const type = this.getNodeParameter('nodeCredentialType', index) as string;
			await this.getCredentials(type, index);
			const options = {
				headers: {},
				method: 'GET',
				uri: this.getNodeParameter('url', index) as string,
				gzip: true,
				rejectUnauthorized: true,
				followRedirect: true,
				followAllRedirects: true,
				resolveWithFullResponse: true,
				sendCredentialsOnCrossOriginRedirect: true,
				timeout: 300_000,
				json: true,
			};
			const request = helpers.requestWithAuthentication.call(this, type, options, undefined, index);
			request.catch(() => undefined);
			requests.push(request);
		}
		const results = await Promise.allSettled(requests);
		const toItem = (result: (typeof results)[0], item: number): INodeExecutionData => {
			if (result.status === 'fulfilled') return { json: result.value.body, pairedItem: { item } };
			const reason = result.reason as JsonObject;
			if (this.continueOnFail()) return { json: { error: reason }, pairedItem: { item } };
			throw new NodeApiError(this.getNode(), reason, { itemIndex: item });
		};
		return [results.map(toItem)];
	},
};

/** Stand-ins for n8n's own nodes, under their real names: n8n-core treats some names specially. */
export const standInNodes: Record<string, INodeType> = {
	'n8n-nodes-base.manualTrigger': manualTrigger,
	'n8n-nodes-base.httpRequest': httpRequest,
};
