import { resolve } from 'node:path';
import { Container } from '@n8n/di';
import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
	IConnections,
	IDataObject,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	IPinData,
	IRun,
	IWorkflowBase,
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

/** The address of this n8n in expressions; nothing listens there. */
const INSTANCE_URL = 'http://localhost:5678/';

export interface EngineOptions {
	/** What a user entered in each credential, by its name. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** The type of those credentials; by default `aquacultureApi`. */
	credentialType?: string;
	/** Where the built package is; by default this repository. */
	packageDirectory?: string;
	/** False shares the package's modules, and what they remember, with other such engines. */
	fresh?: boolean;
	/** The test's own types, instead of the package's. */
	types?: LoadedTypes;
}

/** A node as a test writes it; n8n adds the defaults of its parameters. */
export interface TestNode extends Partial<Omit<INode, 'id' | 'position' | 'credentials'>> {
	type: string;
	/** The credential's name; by default the first one of the engine, none when null. */
	credential?: string | null;
}

export interface RunOptions {
	node: TestNode;
	/** The input items; by default one empty item. */
	items?: Array<Partial<INodeExecutionData>>;
	/** By default `trigger`, a production run; `manual` is a run from the editor. */
	mode?: WorkflowExecuteMode;
	/** Stops the execution when it aborts, like n8n's Stop button. */
	signal?: AbortSignal;
}

export interface WorkflowOptions extends Pick<RunOptions, 'mode' | 'signal'> {
	/** The first one is where the workflow starts. */
	nodes: TestNode[];
	connections: IConnections;
	/** Output that n8n uses instead of running the node, by the node's name. */
	pinned?: Record<string, Array<Partial<INodeExecutionData>>>;
}

/** A workflow's run, as n8n records it, with a shorter way to what tests need. */
export interface WorkflowResult {
	run: IRun;
	status: IRun['status'];
	/** What stopped the run: message, description, context.itemIndex, httpCode, … */
	error: (ExecutionError & { httpCode?: string | null }) | undefined;
	/** All outputs of a node; an output without items is empty. */
	outputs: (node: string) => INodeExecutionData[][];
	/** The node's execution hints. */
	hints: (node: string) => NodeExecutionHint[];
}

/** The run of a single node. */
export interface NodeResult extends Pick<WorkflowResult, 'run' | 'status' | 'error'> {
	/** The regular output. */
	items: INodeExecutionData[];
	/** All outputs; with "Continue (using error output)" the last one is the error output. */
	outputs: INodeExecutionData[][];
	hints: NodeExecutionHint[];
}

function resultOf(name: string, result: WorkflowResult): NodeResult {
	const outputs = result.outputs(name);
	return { ...result, items: outputs[0] ?? [], outputs, hints: result.hints(name) };
}

/** n8n-core's execution engine with the nodes and the credential of the built package, and a database in memory. */
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

	/** The lines in n8n's log since the engine was created, at all levels. */
	get logs(): LogLine[] {
		return logLines.slice(this.firstLogLine);
	}

	/** Saves what a user entered in the open credential; other fields stay. */
	editCredential(name: string, changes: ICredentialDataDecryptedObject): void {
		this.store.edit(name, changes);
	}

	/** "Test" in the credential's dialog. */
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
	async run({ node, items = [{}], ...options }: RunOptions): Promise<NodeResult> {
		const name = node.name ?? 'Node';
		const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', credential: null };
		const result = await this.runWorkflow({
			nodes: [start, { ...node, name }],
			connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
			pinned: { Start: items },
			...options,
		});
		return resultOf(name, result);
	}

	/** "Fetch Test Event": runs a trigger by hand in the editor. */
	async testTrigger(node: TestNode): Promise<NodeResult> {
		const name = node.name ?? 'Trigger';
		const nodes = [{ ...node, name }];
		return resultOf(name, await this.runWorkflow({ nodes, connections: {}, mode: 'manual' }));
	}

	/**
	 * Runs a whole workflow.
	 *
	 * @throws n8n's WorkflowHasIssuesError when a required parameter is empty
	 */
	async runWorkflow(options: WorkflowOptions): Promise<WorkflowResult> {
		const { nodes, connections, pinned = {}, mode = 'trigger', signal } = options;
		const workflow = this.workflow(nodes, connections);
		const pinData: IPinData = {};
		for (const [name, items] of Object.entries(pinned)) {
			pinData[name] = items.map((item) => ({ json: {}, ...item }));
		}
		const execution = new WorkflowExecute(this.additionalData(mode), mode).run({
			workflow,
			startNode: workflow.getNode(nodes[0]?.name ?? '') ?? undefined,
			pinData,
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
	 * @param saved the static data to start with: `saved` of another one, for a restarted n8n
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
		const workflowData = { id: 'workflow-1', name: 'Test' } as IWorkflowBase;
		const additionalData: Partial<IWorkflowExecuteAdditionalData> = {
			credentialsHelper: this.store,
			currentNodeExecutionIndex: 0,
			executionId: 'execution-1',
			externalSecretsProxy: Container.get(ExternalSecretsProxy),
			hooks: new ExecutionLifecycleHooks(mode, 'execution-1', workflowData),
			webhookWaitingBaseUrl: `${INSTANCE_URL}webhook-waiting`,
			formWaitingBaseUrl: `${INSTANCE_URL}form-waiting`,
			variables: {},
			setExecutionStatus: () => undefined,
		};
		return additionalData as IWorkflowExecuteAdditionalData;
	}
}

/**
 * Starts an engine with the built package, or with the test's own types.
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
	const loaded = types ?? (await loadPackageTypes(packageDirectory, fresh));
	const store = new CredentialStore(loaded.credentials, credentialType, credentials);
	return new Engine(loaded, store, credentialType);
}
