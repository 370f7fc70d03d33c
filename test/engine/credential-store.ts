import { setImmediate as nextTurn } from 'node:timers/promises';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeParameters,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

type Stored = Record<'id' | 'name', string> & { data: ICredentialDataDecryptedObject };

/**
 * n8n's credentials helper with a database in memory. It follows n8n's rules for when a login happens and what is stored.
 * Reading and writing take a turn of the event loop, as with a database, so that items that run side by side see what
 * they would see in n8n.
 */
export class CredentialStore extends ICredentialsHelper {
	reads = 0;

	private readonly stored: Stored[];

	/**
	 * @param types the credential types of the loaded package or the test
	 * @param typeName the type of all credentials stored here
	 * @param credentials what the user entered, by the name of the credential
	 */
	constructor(
		private readonly types: Record<string, ICredentialType>,
		private readonly typeName: string,
		credentials: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
		this.stored = Object.entries(credentials).map(([name, data], index) => ({
			id: `credential-${index + 1}`,
			name,
			data: structuredClone(data),
		}));
	}

	/** What is in the database now, by the name of the credential. */
	get database(): Record<string, ICredentialDataDecryptedObject> {
		return Object.fromEntries(this.stored.map(({ name, data }) => [name, structuredClone(data)]));
	}

	/** Saves what a user entered in the open credential; other fields stay. */
	edit(name: string, changes: ICredentialDataDecryptedObject): void {
		const credential = this.find('name', name);
		credential.data = { ...credential.data, ...structuredClone(changes) };
	}

	/**
	 * The `credentials` entry of a node that uses the named credential, or the first one.
	 *
	 * @throws when there is no credential of that name
	 */
	reference(name?: string): INode['credentials'] {
		const credential = name === undefined ? this.stored[0] : this.find('name', name);
		return credential && { [this.typeName]: { id: credential.id, name: credential.name } };
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		nodeCredentials: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.reads += 1;
		await nextTurn();
		const data = structuredClone(this.find('id', nodeCredentials.id).data);
		if (raw) return data;
		const filled = this.withDefaults(type, data);
		if (!resolve) return filled;
		return resolve.workflow.expression.getParameterValue(
			filled as INodeParameters,
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			{},
			executeData,
			false,
			filled,
		) as ICredentialDataDecryptedObject;
	}

	/** Adds the defaults of what was never entered: a new credential has the token ''. */
	withDefaults(type: string, data: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
		return NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(type),
			data as INodeParameters,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type(typeName);
		if (typeof authenticate === 'object') throw new Error('Only functions are supported here');
		return (await authenticate?.(credentials, options)) ?? options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.type(typeName);
		const token = type.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		)?.name;
		if (token === undefined || type.preAuthentication === undefined) return undefined;
		if (credentials[token] !== '' && !credentialsExpired) return undefined;

		const output = (await this.runPreAuthentication(helpers, credentials, typeName)) ?? {};
		const reference = node.credentials?.[typeName];
		if (output[token] === undefined || reference === undefined) return undefined;

		await nextTurn();
		const { data } = this.find('id', reference.id);
		await this.updateCredentials(reference, typeName, { ...data, ...output });
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(
		{ helpers }: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		// n8n gives the hook this one helper and nothing else of the node.
		const narrowed: IHttpRequestHelper = {
			helpers: { httpRequest: (options) => helpers.httpRequest(options) as Promise<unknown> },
		};
		return (await this.type(typeName).preAuthentication?.call(narrowed, credentials)) as
			ICredentialDataDecryptedObject | undefined;
	}

	async updateCredentials(
		nodeCredentials: INodeCredentialsDetails,
		_type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		await nextTurn();
		this.find('id', nodeCredentials.id).data = structuredClone(data);
	}

	isCredentialUsableByNode(typeName: string): boolean {
		return this.type(typeName).restrictToSupportedNodes !== true;
	}

	getCredentialsProperties(typeName: string) {
		return this.type(typeName).properties;
	}

	getParentTypes(typeName: string): string[] {
		return this.type(typeName).extends ?? [];
	}

	getCredentials(): Promise<never> {
		return Promise.reject(new Error('There are no encrypted credentials here'));
	}

	updateCredentialsOauthTokenData(): Promise<never> {
		return Promise.reject(new Error('There are no OAuth credentials here'));
	}

	private type(name: string): ICredentialType {
		const type = this.types[name];
		if (type === undefined) throw new Error(`Unrecognized credential type: ${name}`);
		return type;
	}

	private find(key: 'id' | 'name', value: string | null): Stored {
		const credential = this.stored.find((entry) => entry[key] === value);
		if (!credential) throw new Error(`Credential with ${key} "${value}" does not exist`);
		return credential;
	}
}
