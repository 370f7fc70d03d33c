import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse as parseFlatted } from 'flatted';
import type {
	ExecutionSummary,
	ICredentialDataDecryptedObject,
	IRun,
	IWorkflowBase,
} from 'n8n-workflow';
import { until } from '../helpers/until';
import { Execution } from './executions';
import { type N8nOptions, N8nProcess, TIMEOUT_MS } from './n8n-process';
import { freePort } from './processes';
import { claim, inWorkspace, SetupError } from './workspace';

/** A credential as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** A workflow as n8n exports and imports it. */
export type NewWorkflow = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

/** An execution in n8n's list. */
type ExecutionEntry = Pick<ExecutionSummary, 'id' | 'status'>;

/** The credentials, workflows and executions of a real n8n, after `start()`. Call `dispose()` at the end. */
export class N8nInstance extends N8nProcess {
	/**
	 * Creates an empty user folder and installs the package in it.
	 * @throws SetupError when the name is in use
	 */
	static async create(options: N8nOptions): Promise<N8nInstance> {
		const { name, tarball } = options;
		const release = await claim(`user-${name}`);
		if (!release) {
			throw new SetupError(`Another run is using '${name}'. Wait for its end, or stop it.`);
		}
		try {
			const userFolder = dirname(inWorkspace('users', name, '.n8n'));
			rmSync(userFolder, { recursive: true, force: true });
			cpSync(options.install.database, join(userFolder, '.n8n'), { recursive: true });
			const port = options.port ?? (await freePort());
			const instance = new N8nInstance(options, userFolder, port, release);
			if (tarball !== undefined) await instance.installPackage(tarball);
			return instance;
		} catch (error) {
			await release();
			throw error;
		}
	}

	/** Saves a credential, by default one of this package, as the dialog does. */
	async createCredential(
		name: string,
		data: ICredentialDataDecryptedObject,
		type = 'aquacultureApi',
	): Promise<CredentialReference> {
		const credential = { name, type, data };
		const { id } = await this.rest.post<{ id: string }>('/credentials', credential);
		return { id, name };
	}

	/** Tests a credential as the dialog does when it is saved; returns what that shows. */
	async testCredential(
		credential: CredentialReference,
		data: ICredentialDataDecryptedObject,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const credentials = { ...credential, type: 'aquacultureApi', data };
		return await this.rest.post('/credentials/test', { credentials });
	}

	/** Saves a workflow as the editor does; returns its ID. */
	async createWorkflow(workflow: NewWorkflow): Promise<string> {
		const body = { settings: {}, ...workflow, active: false };
		return (await this.rest.post<{ id: string }>('/workflows', body)).id;
	}

	/**
	 * Activates (publishes) a workflow. Its triggers and webhooks work when this resolves. (After a restart n8n takes
	 * them up a moment after `start()`.)
	 * @throws Error when a trigger could not be activated, with n8n's reason
	 */
	async activate(workflowId: string): Promise<void> {
		const path = `/workflows/${workflowId}`;
		const { versionId } = await this.rest.get<{ versionId: string }>(path);
		await this.rest.post(`${path}/activate`, { versionId });
		await this.waitForPublication(path);
	}

	/** Deactivates (unpublishes) a workflow. Its triggers and webhooks are off when this resolves. */
	async deactivate(workflowId: string): Promise<void> {
		const path = `/workflows/${workflowId}`;
		await this.rest.post(`${path}/deactivate`);
		await this.waitForPublication(path);
	}

	/** Executes a workflow from its first trigger as the editor does; returns the ID of the execution at once. */
	async startExecution(workflowId: string): Promise<string> {
		const path = `/workflows/${workflowId}`;
		const workflowData = await this.rest.get<NewWorkflow>(path);
		const name = workflowData.nodes.find(({ type }) => /trigger$/i.test(type))?.name;
		const body = { workflowData, triggerToStartFrom: { name } };
		return (await this.rest.post<{ executionId: string }>(`${path}/run`, body)).executionId;
	}

	/** Saves a new workflow, executes it as the editor does and waits for its end. */
	async createAndRun(workflow: NewWorkflow): Promise<Execution> {
		return await this.runWorkflow(await this.createWorkflow(workflow));
	}

	async runWorkflow(workflowId: string): Promise<Execution> {
		return await this.waitForExecution(await this.startExecution(workflowId));
	}

	/** The executions of a workflow, newest first: the last hundred. */
	async executions(workflowId: string): Promise<ExecutionEntry[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/executions?limit=100&filter=${filter}`;
		return (await this.rest.get<{ results: ExecutionEntry[] }>(path)).results;
	}

	/** Waits until an execution has ended, and reads it. */
	async waitForExecution(executionId: string, timeoutMs = TIMEOUT_MS): Promise<Execution> {
		let pauseMs = 40;
		const readEnded = async () => {
			const { data, status, stoppedAt } = await this.rest.get<
				Omit<IRun, 'data'> & { data: string }
			>(`/executions/${executionId}`);
			const record = parseFlatted(data) as IRun['data'] | undefined;
			if (record && stoppedAt && isWritten(status, record)) {
				return new Execution({ status, data: record });
			}
			// n8n reads all of it each time: seldom for one that takes long
			await setTimeout(pauseMs);
			pauseMs = Math.min(1.2 * pauseMs, 1000);
			return undefined;
		};
		return await until(`execution ${executionId} has ended`, readEnded, { timeoutMs });
	}

	/** The response to activating a workflow comes before it is done. */
	private async waitForPublication(path: string): Promise<void> {
		// n8n 1 responds when it is done, and has no such status
		if (this.options.install.major === '1') return;
		const isDone = async () => {
			const { status, triggers } = await this.rest.get<{
				status: string;
				triggers: Array<{ errorMessage?: string | null }>;
			}>(`${path}/publication-status`);
			if (status === 'failed' || status === 'partial') {
				const reasons = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
				throw new Error(`The workflow could not be activated: ${reasons.join('; ')}`);
			}
			return status !== 'in_progress';
		};
		await until('the workflow is published', isDone, { timeoutMs: TIMEOUT_MS, intervalMs: 50 });
	}
}

/** n8n 1 writes that an execution has ended a moment before it writes its results. */
function isWritten(status: IRun['status'], { resultData }: IRun['data']): boolean {
	const { error, runData } = resultData;
	return status === 'canceled' || error !== undefined || Object.keys(runData).length > 0;
}
