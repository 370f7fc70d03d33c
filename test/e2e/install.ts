import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { type Ended, missingCommands, run } from './processes';
import { exclusively, inWorkspace, packageManagerEnv, type Say, SetupError } from './workspace';

/** Each has a folder `n8n-<major>` beside this file, which pins what is installed. */
export type N8nMajor = '1' | '2';

/** An n8n that is ready to run. */
export interface N8nInstall {
	major: N8nMajor;
	/** For example 2.41.1. */
	version: string;
	/** The `node` that runs it. */
	node: string;
	/** The script of its command line, for `node`. */
	script: string;
}

const MANIFESTS = ['package.json', 'pnpm-lock.yaml', '.npmrc'];
const SQLITE_BINARY = 'build/Release/node_sqlite3.node';

/** Occur in what npm and pnpm print when they cannot reach their registry. */
const NO_NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL/;

/** The version of n8n that a major stands for. */
export function pinnedVersion(major: N8nMajor): string {
	const manifest = readFileSync(join(__dirname, `n8n-${major}`, 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
}

/**
 * Installs n8n from the npm registry alone, in `.n8n/install-<major>`. Takes a few minutes and 2 GB the first time,
 * nothing afterwards. Concurrent callers wait for one another; an interrupted installation is done again.
 * @throws SetupError when something is missing on this machine
 */
export async function installN8n(major: N8nMajor, say: Say): Promise<N8nInstall> {
	const source = join(__dirname, `n8n-${major}`);
	const dir = dirname(inWorkspace(`install-${major}`, 'package.json'));
	const stamp = join(dir, 'installed');
	const hash = MANIFESTS.reduce(
		(sum, file) => sum.update(readFileSync(join(source, file))),
		createHash('sha256').update(`${process.platform} ${process.arch} `),
	).digest('hex');
	const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

	if (!isInstalled()) {
		await exclusively(`install-${major}`, say, async () => {
			if (isInstalled()) return;
			checkCompiler();
			rmSync(stamp, { force: true });
			rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
			for (const file of MANIFESTS) await copyFile(join(source, file), join(dir, file));
			await installPackages(dir, say);
			await buildSqlite(dir, say);
			writeFileSync(stamp, hash);
		});
	}
	const script = join(dir, 'node_modules', 'n8n', 'bin', 'n8n');
	return { major, version: pinnedVersion(major), node: nodeFor(dir), script };
}

/** Without a compiler the installation would fail only after minutes. */
function checkCompiler(): void {
	const missing = missingCommands('python3', 'make', 'g++');
	if (missing.length === 0) return;
	throw new SetupError(
		`n8n's database module must be compiled once, and this machine lacks ${missing.join(', ')}. ` +
			'Install a C++ compiler, make and Python 3 (on Debian or Ubuntu: apt-get install g++ make python3), and run the command again.',
	);
}

async function installPackages(dir: string, say: Say): Promise<void> {
	say('Installing n8n: more than a thousand packages and 2 GB, only this first time.');
	const options = [
		'--frozen-lockfile',
		'--ignore-workspace',
		'--reporter=append-only',
		// By default pnpm waits for over a minute when there is no network.
		'--fetch-retries=3',
		'--fetch-retry-mintimeout=1000',
		'--fetch-retry-maxtimeout=5000',
	];
	const pnpm = join(dirname(require.resolve('pnpm')), 'bin', 'pnpm.cjs');
	const ended = await run(process.execPath, [pnpm, 'install', ...options], {
		cwd: dir,
		env: { ...packageManagerEnv(), CI: 'true' },
		onLine: (line) => {
			if (line.startsWith('Progress:')) say(line);
		},
	});
	const offline = NO_NETWORK.test(ended.output);
	check(
		ended,
		'install.log',
		offline
			? 'n8n could not be downloaded because the npm registry did not respond. ' +
					'Check the network (and the proxy, if there is one), and run the command again.'
			: 'n8n could not be installed.',
	);
}

/** SQLite's module, which reads and writes n8n's database, is the only one that comes without a binary. */
async function buildSqlite(dir: string, say: Say): Promise<void> {
	say("Compiling n8n's database module. This takes about a minute, only this first time.");
	const node = nodeFor(dir);
	const n8n = realpathSync(join(dir, 'node_modules', 'n8n'));
	const sqlite = dirname(createRequire(join(n8n, 'package.json')).resolve('sqlite3/package.json'));
	const nodeGyp = join(dir, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
	const ended = await run(node, [nodeGyp, 'rebuild', '--release'], {
		cwd: sqlite,
		env: {
			...packageManagerEnv(),
			PATH: [dirname(node), process.env['PATH']].join(delimiter),
			// The headers of that Node; in the environment, where a user's npm setting would win over an argument.
			npm_config_nodedir: dirname(dirname(node)),
		},
	});
	const isBuilt = existsSync(join(sqlite, SQLITE_BINARY));
	const message = "n8n's database module could not be compiled.";
	check(isBuilt ? ended : { ...ended, code: null }, 'sqlite3.log', message);
}

/** Keeps what a command printed, and throws where it failed. */
function check({ code, output }: Ended, logName: string, message: string): void {
	const log = inWorkspace('logs', logName);
	writeFileSync(log, output);
	if (code !== 0) throw new SetupError(`${message} Details: ${log}`);
}

/** The Node that n8n's installation brought, so that everybody runs the same; otherwise this one, if n8n accepts it. */
function nodeFor(dir: string): string {
	const own = join(dir, 'node_modules', `node-${process.platform}-${process.arch}`);
	if (existsSync(own)) return join(realpathSync(own), 'bin', 'node');
	if (Number.parseInt(process.versions.node) >= 24) return process.execPath;
	throw new SetupError(
		`n8n needs Node 24 or newer on this machine, and this is Node ${process.versions.node}. ` +
			'Install Node 24 from https://nodejs.org and run the command again.',
	);
}
