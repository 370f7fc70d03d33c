import { randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { parse as parseFlatted } from 'flatted';
import type { IConnections, ICredentialDataDecryptedObject, INode, IRun } from 'n8n-workflow';
import { Execution } from './executions';
import type { N8nInstall } from './install';
import { freePort, GuardedProcess, run } from './processes';
import { claim, inWorkspace, packageManagerEnv, SetupError } from './workspace';

/** A credential as n8n imports it; `data` is encrypted on the way in. */
export interface CredentialFile {
	id: string;
	name: string;
	/** For example aquacultureApi. */
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** A credential as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** A workflow as n8n exports and imports it. */
export interface WorkflowFile {
	id: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: Record<string, unknown>;
	active?: boolean;
	pinData?: Record<string, unknown>;
}

export interface N8nOptions {
	install: N8nInstall;
	/** The packed community package to install; without it, a bare n8n. */
	tarball?: string;
	/** Names the user folder, `.n8n/users/<name>`, which is made anew. One process at a time can use a name. */
	name: string;
	/** The port of the editor; any free one if it is left out. */
	port?: number;
	/** A worker of queue mode instead of a server: it runs so many executions at once and has no REST interface. */
	worker?: { concurrency: number };
	/** More environment variables for n8n, for example N8N_LOG_LEVEL. They win over the usual ones. */
	env?: Record<string, string>;
}

/** How a run on the command line ended. */
export interface CommandExecution {
	exitCode: number | null;
	/** The record of the execution; undefined when n8n refused to start it, which `output` then explains. */
	execution?: Execution;
	/** Everything that was printed. */
	output: string;
}

/** An answer of n8n's REST interface that is not 2xx. */
export class RestError extends Error {
	override readonly name = 'RestError';

	constructor(
		request: string,
		readonly status: number,
		readonly body: unknown,
	) {
		super(`${request} was answered ${status}: ${JSON.stringify(body)}`);
	}
}

/** How long a start, a stop or an execution may take on a slow and busy machine, in milliseconds. */
const PATIENCE = 180_000;

/** What a start and a command line share: of its own, quiet, and without a call to anybody outside. */
const ENVIRONMENT = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_LOG_LEVEL: 'info',
	// The packages that are installed are ours; n8n is not to ask its directory about others.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	// No Python of n8n's kind is installed, and nothing here needs it.
	N8N_PYTHON_ENABLED: 'false',
};

/**
 * A real n8n with a user folder of its own. The command line (`import…`, `execute`) works without a server; the rest
 * needs `start()` and `login()`. Call `dispose()` at the end.
 */
export class N8nInstance {
	/** `<user folder>/.n8n/database.sqlite`. While n8n runs, the newest rows are in `…-wal` beside it. */
	readonly databaseFile: string;

	/** Everything that n8n and its command line printed, oldest first. */
	readonly log: string;

	/** Everything that n8n pushed to an editor, once `openEditor()` has opened one. */
	readonly pushed: string;

	/** The throw-away owner of this instance, the account to log in with once `login()` has set it up. */
	readonly owner = {
		email: 'owner@example.com',
		firstName: 'Throw-away',
		lastName: 'Owner',
		// n8n asks for a capital letter and a digit.
		password: `Demo-${randomBytes(6).toString('hex')}-1`,
	};

	private server?: GuardedProcess;

	private cookie = '';

	/** The editor that executions are started from. */
	private pushRef?: string;

	private readonly encryptionKey = randomBytes(24).toString('hex');

	private constructor(
		private readonly options: N8nOptions,
		/** Holds everything of this instance. */
		readonly userFolder: string,
		readonly port: number,
		private readonly release: () => Promise<void>,
	) {
		this.databaseFile = join(userFolder, '.n8n', 'database.sqlite');
		this.log = join(userFolder, 'n8n.log');
		this.pushed = join(userFolder, 'pushed.log');
	}

	/**
	 * Makes a new user folder with the package in it, as a self-hoster has it.
	 * @throws SetupError when the name or the port is in use
	 */
	static async create(options: N8nOptions): Promise<N8nInstance> {
		const release = await claim(`user-${options.name}`);
		if (!release) {
			throw new SetupError(
				`Another run is using '${options.name}' right now. Wait until it is done, or stop it.`,
			);
		}
		try {
			const port = await freePort(options.port);
			const userFolder = dirname(inWorkspace('users', options.name, '.n8n'));
			rmSync(userFolder, { recursive: true, force: true });
			await mkdir(userFolder, { recursive: true });
			const instance = new N8nInstance(options, userFolder, port, release);
			await writeFile(instance.log, '');
			if (options.tarball) await instance.installPackage(options.tarball);
			return instance;
		} catch (error) {
			await release();
			throw error;
		}
	}

	/** Where the editor, the REST interface and the webhooks are. */
	get baseUrl(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** The process id of the running server. */
	get pid(): Promise<number> {
		if (!this.server) throw new Error(`n8n '${this.options.name}' is not running.`);
		return this.server.pid;
	}

	/** Resolves when the server that was started last has ended, whoever ended it. */
	get ended(): Promise<void> {
		return Promise.resolve(this.server?.ended).then(() => undefined);
	}

	// --- without a server ---------------------------------------------------------------------------------------

	/** Imports a credential under the id it brings, for whoever will be the owner. */
	async importCredential(credential: CredentialFile): Promise<void> {
		await this.importFile('credentials', credential);
	}

	/** Imports a workflow under the id it brings, for whoever will be the owner. A running server does not see it activated. */
	async importWorkflow(workflow: WorkflowFile): Promise<void> {
		await this.importFile('workflow', { active: false, settings: {}, ...workflow });
	}

	/** Runs a workflow that has a Manual Trigger with `n8n execute`, and waits for its end. */
	async execute(workflowId: string): Promise<CommandExecution> {
		const { code, stdout, output } = await this.command(
			'execute',
			`--id=${workflowId}`,
			'--rawOutput',
		);
		const record = recordIn(stdout);
		return {
			exitCode: code,
			output,
			...(record ? { execution: new Execution(record) } : {}),
		};
	}

	// --- the server ---------------------------------------------------------------------------------------------

	/** Starts the server, or starts it again on the same port and data, and waits until it is ready to work. */
	async start(): Promise<void> {
		if (this.server?.running) throw new Error(`n8n '${this.options.name}' is running already.`);
		const { install, worker } = this.options;
		const command = worker ? ['worker', `--concurrency=${worker.concurrency}`] : ['start'];
		const server = new GuardedProcess(install.node, [install.script, ...command], {
			cwd: this.userFolder,
			env: await this.environment(),
			log: this.log,
		});
		this.server = server;
		await server.pid;
		const until = Date.now() + PATIENCE;
		while (!(await this.isReady())) {
			if (!server.running || Date.now() > until) {
				await server.kill();
				const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-15);
				throw new Error(`n8n did not start. The end of ${this.log}:\n${lines.join('\n')}`);
			}
			await setTimeout(100);
		}
	}

	/** Stops the server as an operator does (SIGTERM), and waits for its end. */
	async stop(): Promise<void> {
		await this.server?.signal('SIGTERM');
		const patience = new AbortController();
		await Promise.race([
			this.server?.ended,
			setTimeout(PATIENCE, undefined, { signal: patience.signal }).catch(() => undefined),
		]);
		patience.abort();
		await this.server?.kill();
	}

	/** Ends the server at once, as a power failure does (SIGKILL). */
	async kill(): Promise<void> {
		await this.server?.kill();
	}

	/** Stops the server if it runs and gives the name free. The user folder stays, to be looked into. */
	async dispose(): Promise<void> {
		await this.stop();
		await this.release();
	}

	/** Makes the owner's account, the first time, and logs in as the owner. */
	async login(): Promise<void> {
		const { email, password } = this.owner;
		const { data } = (await this.fetchRest('GET', '/settings')) as {
			data: { userManagement: { showSetupOnFirstLoad: boolean } };
		};
		if (data.userManagement.showSetupOnFirstLoad) {
			await this.fetchRest('POST', '/owner/setup', this.owner);
		}
		await this.fetchRest('POST', '/login', { emailOrLdapLoginId: email, password });
	}

	/**
	 * Opens an editor, as far as n8n can tell: until n8n stops, what it pushes to it about executions goes into the file
	 * `pushed`. Needs N8N_PUSH_BACKEND=sse.
	 */
	async openEditor(): Promise<void> {
		this.pushRef = randomUUID();
		const response = await fetch(`${this.baseUrl}/rest/push?pushRef=${this.pushRef}`, {
			headers: { accept: 'text/event-stream', cookie: this.cookie, origin: this.baseUrl },
		});
		if (!response.ok || !response.body) {
			throw new RestError('GET /push', response.status, await response.text());
		}
		void pipeline(response.body, createWriteStream(this.pushed)).catch(() => undefined);
	}

	/**
	 * Calls n8n's REST interface as the owner's browser does.
	 * @param path below /rest, for example /workflows
	 * @returns the answer's `data`
	 * @throws RestError when the answer is not 2xx
	 */
	async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		return ((await this.fetchRest(method, path, body)) as { data: T }).data;
	}

	/** Saves a credential of this package as the dialog does. */
	async createCredential(
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<CredentialReference> {
		const credential = { name, type: 'aquacultureApi', data };
		const { id } = await this.rest<{ id: string }>('POST', '/credentials', credential);
		return { id, name };
	}

	/** Saves a workflow as the editor does. n8n gives it an id and a version. */
	async createWorkflow(
		workflow: Omit<WorkflowFile, 'id'>,
	): Promise<{ id: string; versionId: string }> {
		return await this.rest('POST', '/workflows', { settings: {}, ...workflow, active: false });
	}

	/**
	 * Activates (publishes) a workflow; its triggers and webhooks work when this resolves. (After a restart n8n takes
	 * them up again a moment after `start()`.)
	 * @throws Error when a trigger could not be activated, with n8n's reason
	 */
	async activate(workflowId: string): Promise<void> {
		const { versionId } = await this.rest<{ versionId: string }>('GET', `/workflows/${workflowId}`);
		await this.rest('POST', `/workflows/${workflowId}/activate`, { versionId });
		await this.waitForPublication(workflowId);
	}

	/** Deactivates (unpublishes) a workflow; its triggers and webhooks are off when this resolves. */
	async deactivate(workflowId: string): Promise<void> {
		await this.rest('POST', `/workflows/${workflowId}/deactivate`, {});
		await this.waitForPublication(workflowId);
	}

	/**
	 * Tests a credential as the dialog does when it is saved.
	 * @returns what the dialog shows: status OK or Error, and the message
	 */
	async testCredential(
		credential: CredentialFile,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await this.rest('POST', '/credentials/test', { credentials: credential });
	}

	/**
	 * Executes a stored workflow as «Execute workflow» in the editor does, and waits for its end.
	 * @param trigger the name of the node to start from; the first trigger if it is left out
	 */
	async runViaEditor(workflowId: string, trigger?: string): Promise<Execution> {
		return await this.waitForExecution(await this.startViaEditor(workflowId, trigger));
	}

	/** Saves a new workflow and executes it as the editor does. */
	async createAndRun(workflow: Omit<WorkflowFile, 'id'>): Promise<Execution> {
		return await this.runViaEditor((await this.createWorkflow(workflow)).id);
	}

	/** The execution without waiting for its end: resolves to the id of the execution. */
	async startViaEditor(workflowId: string, trigger?: string): Promise<string> {
		const workflowData = await this.rest<WorkflowFile>('GET', `/workflows/${workflowId}`);
		const name = trigger ?? workflowData.nodes.find(({ type }) => /trigger$/i.test(type))?.name;
		const { executionId } = await this.rest<{ executionId: string }>(
			'POST',
			`/workflows/${workflowId}/run`,
			{ workflowData, triggerToStartFrom: { name } },
		);
		return executionId;
	}

	/** The ids of a workflow's executions of every kind, oldest first. */
	async executionIds(workflowId: string): Promise<string[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.rest<{ results: Array<{ id: string }> }>(
			'GET',
			`/executions?limit=100&filter=${filter}`,
		);
		return results.map(({ id }) => id).reverse();
	}

	/** Waits until an execution has ended, and reads it. */
	async waitForExecution(executionId: string): Promise<Execution> {
		const until = Date.now() + PATIENCE;
		for (;;) {
			const stored = await this.rest<Omit<IRun, 'data'> & { data: string }>(
				'GET',
				`/executions/${executionId}`,
			);
			const data = parseFlatted(stored.data) as IRun['data'] | undefined;
			if (data && stored.stoppedAt && isWritten(stored.status, data)) {
				return new Execution({ ...stored, data });
			}
			if (Date.now() > until) throw new Error(`Execution ${executionId} does not end.`);
			await setTimeout(50);
		}
	}

	// --- inside -------------------------------------------------------------------------------------------------

	private async installPackage(tarball: string): Promise<void> {
		const nodes = join(this.userFolder, '.n8n', 'nodes');
		await mkdir(nodes, { recursive: true });
		await writeFile(
			join(nodes, 'package.json'),
			JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} }),
		);
		const { code, output } = await run(
			'npm',
			[
				'install',
				'--ignore-scripts',
				'--legacy-peer-deps',
				'--omit=dev',
				'--no-audit',
				'--no-fund',
				tarball,
			],
			{ cwd: nodes, env: packageManagerEnv() },
		);
		if (code !== 0)
			throw new Error(`${basename(tarball)} could not be installed in n8n.\n${output}`);
	}

	private async importFile(
		kind: 'credentials' | 'workflow',
		content: { id: string },
	): Promise<void> {
		const file = join(this.userFolder, `import-${kind}.json`);
		writeFileSync(file, JSON.stringify([content]));
		const { code, output } = await this.command(`import:${kind}`, `--input=${file}`);
		rmSync(file);
		if (code !== 0) throw new Error(`n8n did not import ${kind} ${content.id}.\n${output}`);
	}

	private async command(...args: string[]) {
		const { node, script } = this.options.install;
		const ended = await run(node, [script, ...args], {
			cwd: this.userFolder,
			env: await this.environment(),
		});
		await appendFile(this.log, ended.output);
		return ended;
	}

	/** Only what is named here reaches n8n: no setting of the user's shell, and no home folder but its own. */
	private async environment(): Promise<NodeJS.ProcessEnv> {
		const { install, env } = this.options;
		return {
			PATH: [dirname(install.node), process.env['PATH']].join(delimiter),
			HOME: this.userFolder,
			...ENVIRONMENT,
			// Asks n8n's directory of MCP servers at every start; n8n 1 has no such module and refuses unknown names.
			...(install.major === '2' ? { N8N_DISABLED_MODULES: 'mcp-registry' } : {}),
			N8N_USER_FOLDER: this.userFolder,
			N8N_ENCRYPTION_KEY: this.encryptionKey,
			N8N_PORT: String(this.port),
			...(this.options.worker
				? { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(this.port) }
				: {}),
			// Each process has a broker; the command line's must not meet the server's.
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
		};
	}

	/** n8n 2.4x answers an activation before it is done; earlier ones have no such status and answer afterwards. */
	private async waitForPublication(workflowId: string): Promise<void> {
		const until = Date.now() + PATIENCE;
		for (;;) {
			const { status, triggers } = await this.rest<{
				status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
				triggers: Array<{ errorMessage?: string | null }>;
			}>('GET', `/workflows/${workflowId}/publication-status`).catch((error) => {
				if (error instanceof RestError && error.status === 404) {
					return { status: 'published' as const, triggers: [] };
				}
				throw error;
			});
			if (status === 'failed' || status === 'partial') {
				const reasons = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
				throw new Error(`Workflow ${workflowId} could not be activated: ${reasons.join('; ')}`);
			}
			if (status !== 'in_progress') return;
			if (Date.now() > until) throw new Error(`Workflow ${workflowId} does not get activated.`);
			await setTimeout(50);
		}
	}

	/** The health check says yes a little before the REST interface is there. */
	private async isReady(): Promise<boolean> {
		const paths = ['/healthz/readiness', ...(this.options.worker ? [] : ['/rest/settings'])];
		try {
			const answers = await Promise.all(
				paths.map(async (path) => {
					const response = await fetch(this.baseUrl + path);
					return response.ok && /json/.test(response.headers.get('content-type') ?? '');
				}),
			);
			return answers.every(Boolean);
		} catch {
			return false;
		}
	}

	private async fetchRest(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${this.baseUrl}/rest${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				cookie: this.cookie,
				...(this.pushRef === undefined ? {} : { 'push-ref': this.pushRef }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		for (const set of response.headers.getSetCookie()) {
			if (set.startsWith('n8n-auth=')) this.cookie = set.split(';')[0] ?? '';
		}
		const text = await response.text();
		const answer: unknown = /json/.test(response.headers.get('content-type') ?? '')
			? JSON.parse(text)
			: text;
		if (!response.ok) throw new RestError(`${method} ${path}`, response.status, answer);
		return answer;
	}
}

/** n8n 1 writes that an execution has ended a moment before it writes what came out. */
function isWritten(status: IRun['status'], { resultData }: IRun['data']): boolean {
	const { error, runData } = resultData;
	return status === 'canceled' || error !== undefined || Object.keys(runData).length > 0;
}

/** The record that `n8n execute --rawOutput` prints between its log lines. */
function recordIn(stdout: string): IRun | undefined {
	const [json] = /^\{$[\s\S]*?^\}$/m.exec(stdout) ?? [];
	return json === undefined ? undefined : (JSON.parse(json) as IRun);
}
