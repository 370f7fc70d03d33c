import { Container } from '@n8n/di';
import {
	CredentialTestContext,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	WorkflowExecute,
} from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
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
import { defined } from '../helpers/at';
import { CredentialStore } from './credential-store';
import { logLines, type LogLine } from './instance';
import { asNodeTypes, loadPackageTypes, type LoadedTypes } from './package-types';
import { PollingTrigger } from './polling-trigger';
import { standInNodes } from './stand-in-nodes';

/** The address of this n8n in expressions; nothing listens there. */
const INSTANCE_URL = 'http://localhost:5678/';

const CREDENTIAL_TYPE = 'aquacultureApi';
const NODE = 'Node';

/** A node as a test writes it; n8n adds the defaults of its parameters. */
export interface TestNode extends Partial<Omit<INode, 'id' | 'position' | 'credentials'>> {
	type: string;
	/** The credential's name; by default the first one of the engine, none when null. */
	credential?: string | null;
}

export interface RunOptions {
	node: TestNode;
	items?: Array<Partial<INodeExecutionData>>;
	/** Stops the execution when it aborts, like n8n's Stop button. */
	signal?: AbortSignal;
}

/** The run of a node, as n8n records it, with a shorter way to what tests need. */
export interface NodeResult {
	run: IRun;
	status: IRun['status'];
	error: (ExecutionError & { httpCode?: string | null }) | undefined;
	items: INodeExecutionData[];
	/** All outputs; with "Continue (using error output)" the last one is the error output. */
	outputs: INodeExecutionData[][];
	hints: NodeExecutionHint[];
}

/** n8n-core's execution engine with the nodes and the credential of the built package, and a database in memory. */
export class Engine {
	private readonly firstLogLine = logLines.length;

	constructor(
		readonly types: LoadedTypes,
		private readonly store: CredentialStore,
	) {}

	/** What n8n's database holds for each credential now, decrypted. */
	get database(): Record<string, ICredentialDataDecryptedObject> {
		return this.store.database;
	}

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

	/** "Test" in the credential's dialog, which shows the result: a method of the first node. */
	async testCredential(name: string): Promise<INodeCredentialTestResult> {
		const [node] = Object.values(this.types.nodes);
		const { testCredential } = defined(node?.methods?.credentialTest);
		const data = this.store.withDefaults(CREDENTIAL_TYPE, this.database[name] ?? {});
		const context = new CredentialTestContext(this.additionalData('internal'));
		return await defined(testCredential).call(context, {
			id: '',
			name: '',
			type: CREDENTIAL_TYPE,
			data,
		});
	}

	/**
	 * Runs one node on the given items.
	 *
	 * @throws n8n's WorkflowHasIssuesError when a required parameter is empty
	 */
	async run({ node, items = [{}], signal }: RunOptions): Promise<NodeResult> {
		const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', credential: null };
		const pinData = { Start: items.map((item) => ({ json: {}, ...item })) };
		return await this.execute('trigger', [start, node], { pinData, signal });
	}

	/** "Fetch Test Event": runs a trigger by hand in the editor. */
	async testTrigger(node: TestNode): Promise<NodeResult> {
		return await this.execute('manual', [node]);
	}

	/**
	 * A polling trigger of an active workflow.
	 *
	 * @param saved the static data to start with: `saved` of another one, for a restarted n8n
	 */
	pollingTrigger(node: TestNode, saved: IDataObject = {}): PollingTrigger {
		const workflow = this.workflow([node], saved);
		return new PollingTrigger(workflow, this.additionalData('trigger'));
	}

	private async execute(
		mode: WorkflowExecuteMode,
		nodes: TestNode[],
		{ pinData, signal }: { pinData?: IPinData; signal?: AbortSignal } = {},
	): Promise<NodeResult> {
		const workflow = this.workflow(nodes);
		const [startNode] = Object.values(workflow.nodes);
		const executor = new WorkflowExecute(this.additionalData(mode), mode);
		const execution = executor.run({ workflow, startNode, pinData });
		signal?.addEventListener('abort', () => execution.cancel());
		const run = await execution;

		const { error, runData } = run.data.resultData;
		const { data, hints = [] } = runData[NODE]?.at(-1) ?? {};
		const outputs = (data?.main ?? []).map((items) => items ?? []);
		return { run, status: run.status, error, items: outputs[0] ?? [], outputs, hints };
	}

	/** A start node, if there is one, leads to the node under test. */
	private workflow(nodes: TestNode[], staticData: IDataObject = {}) {
		const main = [[{ node: NODE, type: 'main' as const, index: 0 }]];
		return new Workflow({
			id: 'workflow-1',
			name: 'Test',
			active: false,
			nodes: nodes.map(({ credential, ...node }, index) => ({
				name: NODE,
				typeVersion: 1,
				parameters: {},
				...structuredClone(node),
				id: `node-${index + 1}`,
				position: [index * 200, 0],
				credentials: credential === null ? undefined : this.store.reference(credential),
			})),
			connections: nodes.length > 1 ? { Start: { main } } : {},
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
 * Starts an engine with the built package.
 *
 * @param credentials what a user entered in each credential, by its name
 * @param fresh false shares the package's modules, and what they remember, with other such engines
 */
export async function createEngine({
	credentials,
	fresh = true,
}: {
	credentials: Record<string, ICredentialDataDecryptedObject>;
	fresh?: boolean;
}): Promise<Engine> {
	const types = await loadPackageTypes(fresh);
	return new Engine(types, new CredentialStore(types.credentials, CREDENTIAL_TYPE, credentials));
}
