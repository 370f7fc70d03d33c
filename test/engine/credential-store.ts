import { setImmediate as nextTurn } from 'node:timers/promises';
import { NodeHelpers, Workflow, ICredentialsHelper, isExpression } from 'n8n-workflow';
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

interface StoredCredential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/**
 * n8n's credentials helper over a database in memory. It keeps n8n's rules for when a login happens
 * and what is written back; reading and writing take a turn of the event loop, as a database does,
 * so that items which run side by side see what n8n would let them see.
 */
export class CredentialStore extends ICredentialsHelper {
	/** How often a credential was read and decrypted. */
	reads = 0;

	private readonly stored: StoredCredential[];

	/**
	 * @param types the credential types that the loaded package and the test offer
	 * @param typeName the type of all credentials stored here
	 * @param credentials what the user typed, by the credential's name
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
			type: typeName,
			data: structuredClone(data),
		}));
	}

	/** What is in the database now, by the credential's name. */
	get database(): Record<string, ICredentialDataDecryptedObject> {
		return Object.fromEntries(this.stored.map(({ name, data }) => [name, structuredClone(data)]));
	}

	/** Saves what a user typed into the open credential; other fields stay. */
	edit(name: string, changes: ICredentialDataDecryptedObject): void {
		const credential = this.byName(name);
		credential.data = { ...credential.data, ...structuredClone(changes) };
	}

	/**
	 * The `credentials` entry of a node that uses the named credential, or the first one.
	 *
	 * @throws when there is no credential of that name
	 */
	reference(name?: string): INode['credentials'] {
		const credential = name === undefined ? this.stored[0] : this.byName(name);
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
		const data = structuredClone(this.byId(nodeCredentials.id).data);
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
			filled as INodeParameters,
		) as ICredentialDataDecryptedObject;
	}

	/** Fills in the defaults of what was never typed: a credential that is new has the token ''. */
	withDefaults(type: string, data: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
		const properties = this.getCredentialsProperties(type);
		return NodeHelpers.getNodeParameters(
			properties,
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
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type(typeName);
		if (authenticate === undefined) return options;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (!workflow || !node) throw new Error('A generic authenticate needs a workflow and a node');

		const resolve = (text: string) =>
			isExpression(text)
				? String(
						workflow.expression.getSimpleParameterValue(
							node,
							text,
							'internal',
							{ $credentials: credentials },
							undefined,
							'',
						) ?? '',
					)
				: text;
		const target = options as unknown as Record<string, Record<string, string>>;
		for (const [part, fields] of Object.entries(authenticate.properties)) {
			const section = (target[part] ??= {});
			for (const [key, value] of Object.entries(fields as Record<string, string>)) {
				section[resolve(key)] = resolve(value);
			}
		}
		return options;
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
		const isCredentialTest = node.type === 'n8n-nodes-base.noOp' && node.parameters.temp === '';
		if (credentials[token] !== '' && !credentialsExpired && !isCredentialTest) return undefined;

		const output = (await this.runPreAuthentication(helpers, credentials, typeName)) ?? {};
		const reference = node.credentials?.[typeName];
		if (output[token] === undefined || reference === undefined) return undefined;

		// A field that holds an expression keeps it; the token is always written.
		await nextTurn();
		const { data } = this.byId(reference.id);
		const fresh = Object.entries(output).filter(
			([key]) => key === token || !isExpression(data[key]),
		);
		await this.updateCredentials(reference, typeName, { ...data, ...Object.fromEntries(fresh) });
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(
		{ helpers }: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		// n8n hands the hook this one helper and nothing else of the node's.
		const narrowed: IHttpRequestHelper = {
			helpers: { httpRequest: async (options) => await helpers.httpRequest(options) },
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
		this.byId(nodeCredentials.id).data = structuredClone(data);
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

	async getCredentials(): Promise<never> {
		throw new Error('Encrypted credentials are not kept here');
	}

	async updateCredentialsOauthTokenData(): Promise<never> {
		throw new Error('OAuth credentials are not kept here');
	}

	type(name: string): ICredentialType {
		const type = this.types[name];
		if (type === undefined) throw new Error(`Unrecognized credential type: ${name}`);
		return type;
	}

	private byId(id: string | null): StoredCredential {
		const credential = this.stored.find((entry) => entry.id === id);
		if (!credential) throw new Error(`Credential with ID "${id}" does not exist`);
		return credential;
	}

	private byName(name: string): StoredCredential {
		const credential = this.stored.find((entry) => entry.name === name);
		if (!credential) throw new Error(`There is no credential «${name}»`);
		return credential;
	}
}
