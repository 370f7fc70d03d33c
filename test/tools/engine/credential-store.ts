import { setImmediate as nextTurn } from 'node:timers/promises';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeParameters,
} from 'n8n-workflow';

/** What n8n-core calls a method of it with. */
type Given<Method extends keyof ICredentialsHelper> = Parameters<ICredentialsHelper[Method]>;

/**
 * n8n's credentials helper with a database in memory. It follows n8n's rules for when a login happens and what is stored.
 * Reading and writing take a turn of the event loop, as with a database, so that items that run side by side see what
 * they would see in n8n.
 */
export class CredentialStore extends ICredentialsHelper {
	reads = 0;

	/** By the name of the credential, which is its ID, too. */
	private readonly stored: Record<string, ICredentialDataDecryptedObject>;

	/** @param credentials what the user entered, by the name of the credential */
	constructor(
		private readonly types: Record<string, ICredentialType>,
		private readonly typeName: string,
		credentials: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
		this.stored = structuredClone(credentials);
	}

	/** What is in the database now, by the name of the credential. */
	get database(): Record<string, ICredentialDataDecryptedObject> {
		return structuredClone(this.stored);
	}

	/** Saves what a user entered in the open credential; other fields stay. */
	edit(name: string, changes: ICredentialDataDecryptedObject): void {
		Object.assign(this.find(name), structuredClone(changes));
	}

	/** The `credentials` entry of a node that uses the named credential, or the first one. */
	reference(name = Object.keys(this.stored)[0]): INode['credentials'] {
		if (name === undefined) return undefined;
		this.find(name);
		return { [this.typeName]: { id: name, name } };
	}

	async getDecrypted(
		...[, { id }, type, , , raw]: Given<'getDecrypted'>
	): Promise<ICredentialDataDecryptedObject> {
		this.reads += 1;
		await nextTurn();
		const data = structuredClone(this.find(id));
		return raw ? data : this.withDefaults(type, data);
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
		...[helpers, credentials, typeName, node, isExpired]: Given<'preAuthentication'>
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const type = this.type(typeName);
		const token = type.properties.find(
			(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
		)?.name;
		if (token === undefined || type.preAuthentication === undefined) return undefined;
		if (credentials[token] !== '' && !isExpired) return undefined;

		const output = (await this.runPreAuthentication(helpers, credentials, typeName)) ?? {};
		const reference = node.credentials?.[typeName];
		if (output[token] === undefined || reference === undefined) return undefined;

		await nextTurn();
		const data = { ...this.find(reference.id), ...output };
		await this.updateCredentials(reference, typeName, data);
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(
		...[{ helpers }, credentials, typeName]: Given<'runPreAuthentication'>
	): Promise<ICredentialDataDecryptedObject | undefined> {
		// n8n gives the hook this one helper and nothing else of the node.
		const narrowed: IHttpRequestHelper = {
			helpers: { httpRequest: (options) => helpers.httpRequest(options) as Promise<unknown> },
		};
		return (await this.type(typeName).preAuthentication?.call(narrowed, credentials)) as
			ICredentialDataDecryptedObject | undefined;
	}

	async updateCredentials(...[{ id }, , data]: Given<'updateCredentials'>): Promise<void> {
		await nextTurn();
		this.stored[String(id)] = structuredClone(data);
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

	private find(id: string | null): ICredentialDataDecryptedObject {
		const data = this.stored[String(id)];
		if (!data) throw new Error(`Credential "${id}" does not exist`);
		return data;
	}
}
