import {
	NodeApiError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

function describe(name: string, rest: Partial<INodeTypeDescription> = {}): INodeTypeDescription {
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

async function passOn(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return [this.getInputData()];
}

/** «Manual Trigger»: where a run starts. The items of a test are pinned to it, as in n8n's editor. */
const manualTrigger: INodeType = {
	description: describe('manualTrigger', { group: ['trigger'], inputs: [] }),
	execute: passOn,
};

/** «No Operation»: hands its items on, and is the node that n8n tests credentials with. */
const noOp: INodeType = { description: describe('noOp'), execute: passOn };

/**
 * As much of «HTTP Request» (version 4) with a predefined credential type as bears on requests and
 * logins: it reads the credential for each item in turn, then lets all requests run side by side
 * through the older helper, which logs in again and tries once more after ANY refused request, and
 * writes the address as `uri`. Parameters: `url`, `nodeCredentialType`.
 */
const httpRequest: INodeType = {
	description: describe('httpRequest', {
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Credential', name: 'nodeCredentialType', type: 'string', default: '' },
		],
	}),
	async execute(this: IExecuteFunctions) {
		const requests: Array<Promise<{ body: never }>> = [];
		const items = this.getInputData();
		for (const index of items.keys()) {
			const type = this.getNodeParameter('nodeCredentialType', index) as string;
			await this.getCredentials(type, index);
			const request: Promise<{ body: never }> = this.helpers.requestWithAuthentication.call(
				this,
				type,
				{
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
				},
				undefined,
				index,
			);
			request.catch(() => {});
			requests.push(request);
		}
		const answers = await Promise.allSettled(requests);
		return [
			answers.map((answer, item) => {
				if (answer.status === 'fulfilled') {
					return { json: answer.value.body, pairedItem: { item } };
				}
				if (this.continueOnFail()) {
					return { json: { error: answer.reason }, pairedItem: { item } };
				}
				throw new NodeApiError(this.getNode(), answer.reason, { itemIndex: item });
			}),
		];
	},
};

/** Stand-ins for nodes of n8n's own, under their real names: n8n-core treats some names specially. */
export const standInNodes: Record<string, INodeType> = {
	'n8n-nodes-base.manualTrigger': manualTrigger,
	'n8n-nodes-base.noOp': noOp,
	'n8n-nodes-base.httpRequest': httpRequest,
};
