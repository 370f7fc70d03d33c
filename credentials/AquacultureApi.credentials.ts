// The credential: its fields, and its hooks, which n8n calls.
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

import { authorize } from '../nodes/AquacultureSite/service/http/authorization';
import { logIn } from '../nodes/AquacultureSite/service/login/login';
import { CREDENTIAL } from '../nodes/AquacultureSite/service/http/request';

// Defined separately, because n8n's lint rule mistakes any field with "cert" in its name for a secret
const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		"Whether to connect even if the service's certificate is not trusted. Others on the network can then read the password.",
};

export class AquacultureApi implements ICredentialType {
	name = CREDENTIAL;

	displayName = 'Aquaculture API';

	icon: Icon = {
		light: 'file:../icons/aquaculture.svg',
		dark: 'file:../icons/aquaculture.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#set-up-the-credential';

	httpRequestNode = {
		name: 'Aquaculture API',
		docsUrl:
			'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture/blob/main/docs/nodes.md#other-endpoints-of-the-service',
		apiBaseUrlPlaceholder: 'https://api.example.com/meta/sites/1042',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			hint: 'The address of the service, as provided by its operator, e.g. https://api.example.com',
		},
		{
			displayName: 'Username',
			name: 'username',
			type: 'string',
			required: true,
			default: '',
			description: 'Issued by the service operator together with the password',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
		},
		ignoreSslIssues,
		{
			// Kept by n8n from one run to the next; masked, or n8n would show it to the browser
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Access Token Fingerprint',
			name: 'tokenFingerprint',
			type: 'hidden',
			typeOptions: { password: true },
			default: '',
		},
	];

	/**
	 * n8n calls it if it has no token, and again after a 401 (or, from the HTTP Request node, after any
	 * failed request).
	 *
	 * @throws ServiceFailure, whose message n8n's credential dialog shows
	 */
	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		const { accessToken, tokenFingerprint } = await logIn(this, credentials);
		return { accessToken, tokenFingerprint };
	}

	/** Adds the token, to requests to the service only. */
	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		await Promise.resolve(authorize(credentials, requestOptions));
}
