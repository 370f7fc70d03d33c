import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { until } from '../helpers/until';
import type { N8nInstall } from './install';
import { once } from './packages';
import { freePort, GuardedProcess, outputOf } from './processes';
import { RestClient } from './rest-client';
import { inWorkspace, packageManagerEnv } from './workspace';

export interface N8nOptions {
	install: N8nInstall;
	/** The packed community package to install; without it, a bare n8n. */
	tarball?: string;
	/** Names the user folder, `.n8n/users/<name>`, which is recreated each time. One process at a time can use a name. */
	name: string;
	/** The port of the editor; any free one if it is left out. */
	port?: number;
	/** Makes it a worker of queue mode, which has no REST interface. */
	worker?: { concurrency: number };
	/** More environment variables for n8n, for example N8N_LOG_LEVEL. They win over the usual ones. */
	env?: Record<string, string>;
}

/** How long a start, a stop or an execution may take on a slow and busy machine. */
export const TIMEOUT_MS = 180_000;

/** Quiet, on this machine only, and with no request to the outside. */
const ENVIRONMENT = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_LOG_LEVEL: 'info',
	// The installed packages are ours; n8n must not look up others in its directory.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	// Where the machine is so busy that a ping takes 5 seconds, n8n would refuse all requests until the next one: never
	DB_PING_INTERVAL_SECONDS: '1000000',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	// n8n's Python is not installed, and nothing here needs it.
	N8N_PYTHON_ENABLED: 'false',
};

/** As n8n's own Community Nodes settings install a package */
const NPM_FLAGS = '--ignore-scripts --legacy-peer-deps --omit=dev --no-audit --no-fund'.split(' ');

/** The process of a real n8n with a user folder of its own. */
export class N8nProcess {
	/** While n8n runs, the newest rows are in `…-wal` beside it. */
	readonly databaseFile: string;

	/** The file of everything that n8n printed. */
	readonly log: string;

	/** Where the editor, the REST interface and the webhooks are. */
	readonly baseUrl: string;

	readonly rest: RestClient;

	private server?: GuardedProcess;

	private readonly encryptionKey = randomBytes(24).toString('hex');

	/** @param release gives the name of this n8n back */
	protected constructor(
		readonly options: N8nOptions,
		readonly userFolder: string,
		private readonly port: number,
		private readonly release: () => Promise<void>,
	) {
		this.databaseFile = join(userFolder, '.n8n', 'database.sqlite');
		this.log = join(userFolder, 'n8n.log');
		this.baseUrl = `http://127.0.0.1:${port}`;
		this.rest = new RestClient(this.baseUrl);
		writeFileSync(this.log, '');
	}

	/** Resolves when the server that was started last has ended. */
	get ended(): Promise<unknown> {
		return Promise.resolve(this.server?.ended);
	}

	/** Starts the server, or restarts it on the same port and data, waits until it is ready and logs in as its owner. */
	async start(): Promise<void> {
		const { install, worker } = this.options;
		if (this.server?.running) throw new Error(`n8n '${this.options.name}' is already running`);
		const command = worker ? ['worker', `--concurrency=${worker.concurrency}`] : ['start'];
		const server = new GuardedProcess(install.node, [install.script, ...command], {
			cwd: this.userFolder,
			env: await this.environment(),
			log: this.log,
		});
		this.server = server;
		const isReady = async () => {
			if (!server.running) throw new Error('n8n has ended');
			return await this.rest.isReady({ worker: worker !== undefined });
		};
		try {
			await until('n8n is ready', isReady, { timeoutMs: TIMEOUT_MS, intervalMs: 100 });
		} catch (error) {
			await server.kill();
			const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-15);
			throw new Error(`n8n did not start. The end of ${this.log}:\n${lines.join('\n')}`, {
				cause: error,
			});
		}
		if (!worker) await this.rest.login();
	}

	/** Stops the server as an operator does (SIGTERM), and waits for its end. */
	async stop(): Promise<void> {
		await this.server?.signal('SIGTERM');
		await Promise.race([this.ended, setTimeout(TIMEOUT_MS, undefined, { ref: false })]);
		await this.kill();
	}

	/** Ends the server at once, as a power failure does (SIGKILL). */
	async kill(): Promise<void> {
		await this.server?.kill();
	}

	/** Stops the server and releases the name. The user folder stays, for a look into it. */
	async dispose(): Promise<void> {
		await this.stop();
		await this.release();
	}

	/**
	 * Installs a packed community package as a self-hoster does, once for each tarball: the folder that npm makes is
	 * kept, and copied.
	 */
	protected async installPackage(tarball: string): Promise<void> {
		const name = basename(tarball);
		const content = await readFile(tarball);
		const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
		const stamp = inWorkspace('packages', hash, 'installed');
		const installed = dirname(inWorkspace('packages', hash, 'nodes', name));
		const install = async () => {
			rmSync(join(installed, 'node_modules'), { recursive: true, force: true });
			const manifest = { name: 'installed-nodes', private: true, dependencies: {} };
			await writeFile(join(installed, 'package.json'), JSON.stringify(manifest));
			await writeFile(join(installed, name), content);
			const options = { cwd: installed, env: packageManagerEnv() };
			await outputOf('npm', ['install', ...NPM_FLAGS, `./${name}`], options);
		};
		await once(`package-${hash}`, stamp, '', () => undefined, install);
		await cp(installed, join(this.userFolder, '.n8n', 'nodes'), { recursive: true });
	}

	/** Only what is named here reaches n8n: no setting of the user's shell, and no home folder but its own. */
	private async environment(): Promise<NodeJS.ProcessEnv> {
		const { install, env, worker } = this.options;
		const port = String(this.port);
		return {
			PATH: [dirname(install.node), process.env['PATH']].join(delimiter),
			HOME: this.userFolder,
			...ENVIRONMENT,
			// Would call n8n's directory of MCP servers at every start; n8n 1 has no such module and rejects unknown names.
			...(install.major === '2' && { N8N_DISABLED_MODULES: 'mcp-registry' }),
			SQLITE3: install.sqlite,
			// A third of a start is compiling n8n's thousands of files: done once for all
			NODE_COMPILE_CACHE: dirname(inWorkspace('cache', 'compiled', 'any')),
			N8N_USER_FOLDER: this.userFolder,
			N8N_ENCRYPTION_KEY: this.encryptionKey,
			N8N_PORT: port,
			...(worker && { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: port }),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
		};
	}
}
