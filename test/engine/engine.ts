import { resolve } from 'node:path';
import { Container } from '@n8n/di';
import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IConnections,
	IDataObject,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeType,
	IPinData,
	IRun,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { CredentialStore } from './credential-store';
import { testCredential } from './credential-test';
import { logLines, startInstance, type LogLine } from './instance';
import { asNodeTypes, loadPackageTypes, type LoadedTypes } from './package-types';
import { PollingTrigger } from './polling-trigger';
import { standInNodes } from './stand-in-nodes';

const checkout = resolve(__dirname, '../..');

/** Where n8n says it is; nothing listens there. */
const instanceUrl = 'http://localhost:5678/';

export interface EngineOptions {
	/** What a user typed into each credential, by its name. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** The type of those credentials; `aquacultureApi` unless a test brings its own. */
	credentialType?: string;
	/** Where the built package is; the checkout unless given. */
	packageDirectory?: string;
	/** False shares the package's modules, and what they remember, with engines of the same kind. */
	fresh?: boolean;
	/** Types of the test's own, instead of the package's. */
	types?: { nodes?: Record<string, INodeType>; credentials?: ICredentialType[] };
}

/** A node as a test writes it; n8n fills in the parameters' defaults. */
export interface TestNode extends Partial<
	Pick<
		INode,
		| 'name'
		| 'typeVersion'
		| 'parameters'
		| 'onError'
		| 'retryOnFail'
		| 'maxTries'
		| 'waitBetweenTries'
		| 'executeOnce'
		| 'alwaysOutputData'
	>
> {
	type: string;
	/** The credential's name; the first one of the engine unless given, none when null. */
	credential?: string | null;
}

export interface RunOptions {
	node: TestNode;
	/** The input items; one empty item unless given. */
	items?: Array<Partial<INodeExecutionData>>;
	/** `trigger` (a production run) unless given; `manual` is a run from the editor. */
	mode?: WorkflowExecuteMode;
	/** Stops the execution when it aborts, as n8n's Stop button does. */
	signal?: AbortSignal;
}

export interface WorkflowOptions {
	nodes: TestNode[];
	connections: IConnections;
	/** The node to start at; the first one unless given. */
	start?: string;
	/** Output that n8n uses instead of running the node, by the node's name. */
	pinned?: Record<string, Array<Partial<INodeExecutionData>>>;
	mode?: WorkflowExecuteMode;
	signal?: AbortSignal;
}

/** A workflow's run, as n8n records it, with a shorter way to what tests ask for. */
export interface WorkflowResult {
	run: IRun;
	status: IRun['status'];
	/** What stopped the run: message, description, context.itemIndex, httpCode, … */
	error: (ExecutionError & { httpCode?: string | null }) | undefined;
	/** All outputs of a node; an output without items is empty. */
	outputs(node: string): INodeExecutionData[][];
	/** The node's execution hints. */
	hints(node: string): NodeExecutionHint[];
}

/** A single node's run. */
export interface NodeResult extends Pick<WorkflowResult, 'run' | 'status' | 'error'> {
	/** The regular output. */
	items: INodeExecutionData[];
	/** All outputs; with «Continue (using error output)» the last is the error output. */
	outputs: INodeExecutionData[][];
	hints: NodeExecutionHint[];
}

/**
 * n8n's own execution engine with the built package's nodes and credential in it.
 * Everything but the database behind the credentials is n8n-core's.
 */
export class Engine {
	private readonly firstLogLine = logLines.length;

	constructor(
		/** The loaded node and credential types, as n8n's editor would describe them. */
		readonly types: LoadedTypes,
		private readonly store: CredentialStore,
		private readonly credentialType: string,
	) {}

	/** What n8n's database holds for each credential now, decrypted. */
	get database(): Record<string, ICredentialDataDecryptedObject> {
		return this.store.database;
	}

	/** How often n8n has read and decrypted a credential. */
	get credentialReads(): number {
		return this.store.reads;
	}

	/** The lines written to n8n's log since the engine was made, at all levels. */
	get logs(): LogLine[] {
		return logLines.slice(this.firstLogLine);
	}

	/** Saves what a user typed into the open credential; other fields stay. */
	editCredential(name: string, changes: ICredentialDataDecryptedObject): void {
		this.store.edit(name, changes);
	}

	/** «Test» in the credential's dialog. */
	async testCredential(name: string): Promise<INodeCredentialTestResult> {
		const type = this.store.type(this.credentialType);
		const data = this.store.withDefaults(type.name, this.database[name] ?? {});
		const reference = this.store.reference(name) ?? {};
		return await testCredential(type, data, reference, this.additionalData('internal'));
	}

	/**
	 * Runs one node on the given items.
	 *
	 * @throws n8n's WorkflowHasIssuesError when a required parameter is empty
	 */
	async run({ node, items = [{}], mode, signal }: RunOptions): Promise<NodeResult> {
		const name = node.name ?? 'Node';
		const result = await this.runWorkflow({
			nodes: [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', credential: null },
				{ ...node, name },
			],
			connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
			pinned: { Start: items },
			mode,
			signal,
		});
		const outputs = result.outputs(name);
		return {
			run: result.run,
			status: result.status,
			error: result.error,
			items: outputs[0] ?? [],
			outputs,
			hints: result.hints(name),
		};
	}

	/** «Fetch Test Event»: runs a trigger by hand in the editor. */
	async testTrigger(node: TestNode): Promise<NodeResult> {
		const name = node.name ?? 'Trigger';
		const result = await this.runWorkflow({
			nodes: [{ ...node, name }],
			connections: {},
			mode: 'manual',
		});
		const outputs = result.outputs(name);
		return { ...result, items: outputs[0] ?? [], outputs, hints: result.hints(name) };
	}

	/**
	 * Runs a whole workflow.
	 *
	 * @throws n8n's WorkflowHasIssuesError when a required parameter is empty
	 */
	async runWorkflow({
		nodes,
		connections,
		start = nodes[0]?.name,
		pinned = {},
		mode = 'trigger',
		signal,
	}: WorkflowOptions): Promise<WorkflowResult> {
		const workflow = this.workflow(nodes, connections);
		const execution = new WorkflowExecute(this.additionalData(mode), mode).run({
			workflow,
			startNode: workflow.getNode(start ?? '') ?? undefined,
			pinData: Object.fromEntries(
				Object.entries(pinned).map(([name, items]) => [
					name,
					items.map((item) => ({ json: {}, ...item })),
				]),
			) as IPinData,
		});
		const stop = () => execution.cancel();
		signal?.addEventListener('abort', stop, { once: true });
		if (signal?.aborted) stop();
		const run = await execution;
		signal?.removeEventListener('abort', stop);

		const { error, runData } = run.data.resultData;
		return {
			run,
			status: run.status,
			error,
			outputs: (name) => (runData[name]?.at(-1)?.data?.main ?? []).map((items) => items ?? []),
			hints: (name) => runData[name]?.at(-1)?.hints ?? [],
		};
	}

	/**
	 * A polling trigger of an active workflow.
	 *
	 * @param saved static data to begin with: `saved` of another one, for a restarted n8n
	 */
	pollingTrigger(node: TestNode, saved: IDataObject = {}): PollingTrigger {
		const name = node.name ?? 'Trigger';
		const workflow = this.workflow([{ ...node, name }], {}, saved);
		return new PollingTrigger(
			workflow,
			workflow.getNode(name) as INode,
			this.additionalData('trigger'),
		);
	}

	private workflow(nodes: TestNode[], connections: IConnections, staticData: IDataObject = {}) {
		return new Workflow({
			id: 'workflow-1',
			name: 'Test',
			active: false,
			nodes: nodes.map(({ credential, ...node }, index) => ({
				name: 'Node',
				typeVersion: 1,
				parameters: {},
				...structuredClone(node),
				id: `node-${index + 1}`,
				position: [index * 200, 0],
				credentials: credential === null ? undefined : this.store.reference(credential),
			})),
			connections,
			nodeTypes: asNodeTypes({ ...standInNodes, ...this.types.nodes }),
			staticData: structuredClone(staticData),
			settings: { executionOrder: 'v1' },
		});
	}

	private additionalData(mode: WorkflowExecuteMode): IWorkflowExecuteAdditionalData {
		const workflowData = {
			id: 'workflow-1',
			name: 'Test',
			active: false,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			nodes: [],
			connections: {},
			activeVersionId: null,
		};
		const additionalData: Partial<IWorkflowExecuteAdditionalData> = {
			credentialsHelper: this.store,
			currentNodeExecutionIndex: 0,
			executionId: 'execution-1',
			externalSecretsProxy: Container.get(ExternalSecretsProxy),
			hooks: new ExecutionLifecycleHooks(mode, 'execution-1', workflowData),
			restApiUrl: `${instanceUrl}rest`,
			instanceBaseUrl: instanceUrl,
			webhookWaitingBaseUrl: `${instanceUrl}webhook-waiting`,
			formWaitingBaseUrl: `${instanceUrl}form-waiting`,
			variables: {},
			logAiEvent: () => {},
			setExecutionStatus: () => {},
		};
		return additionalData as IWorkflowExecuteAdditionalData;
	}
}

/**
 * Starts an engine with the built package, or with types of the test's own.
 *
 * @throws when the package is not built
 */
export async function createEngine({
	credentials = {},
	credentialType = 'aquacultureApi',
	packageDirectory = checkout,
	fresh = true,
	types,
}: EngineOptions = {}): Promise<Engine> {
	startInstance();
	const loaded: LoadedTypes = types
		? {
				nodes: types.nodes ?? {},
				credentials: Object.fromEntries((types.credentials ?? []).map((type) => [type.name, type])),
			}
		: await loadPackageTypes(packageDirectory, fresh);
	const store = new CredentialStore(loaded.credentials, credentialType, credentials);
	return new Engine(loaded, store, credentialType);
}
