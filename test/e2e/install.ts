import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { run } from './processes';
import {
	exclusively,
	inWorkspace,
	packageManagerEnv,
	ROOT,
	type Say,
	SetupError,
} from './workspace';

/** Each has a folder `n8n-<major>` beside this file, with what exactly is installed. */
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

/** In what npm and pnpm print when they cannot reach their registry. */
const NO_NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL/;

/**
 * Installs n8n with the help of the npm registry alone, in `.n8n/install-<major>`; a few minutes and 2 GB the first
 * time, nothing afterwards. Callers that come at the same time wait for one another; what was interrupted is done anew.
 * @throws SetupError what is missing on this machine
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
			await checkCompiler();
			rmSync(stamp, { force: true });
			rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
			for (const file of MANIFESTS) copyFileSync(join(source, file), join(dir, file));
			await installPackages(dir, say);
			await buildSqlite(dir, say);
			writeFileSync(stamp, hash);
		});
	}
	const n8n = join(dir, 'node_modules', 'n8n');
	const { version } = JSON.parse(readFileSync(join(n8n, 'package.json'), 'utf8')) as {
		version: string;
	};
	return { major, version, node: nodeFor(dir).binary, script: join(n8n, 'bin', 'n8n') };
}

/** Without a compiler the installation would end after minutes; so it ends before it begins. */
async function checkCompiler(): Promise<void> {
	const missing: string[] = [];
	for (const tool of ['python3', 'make', 'g++']) {
		const { code } = await run(tool, ['--version'], { cwd: ROOT, env: process.env }).catch(() => ({
			code: 1,
		}));
		if (code !== 0) missing.push(tool);
	}
	if (missing.length === 0) return;
	throw new SetupError(
		`n8n's database module has to be compiled once, and ${missing.join(', ')} cannot be found here. ` +
			'Install a C++ compiler, make and Python 3 (on Debian or Ubuntu: apt-get install g++ make python3) and start again.',
	);
}

async function installPackages(dir: string, say: Say): Promise<void> {
	say('Installing n8n: far over a thousand packages and 2 GB, only this first time.');
	const log = inWorkspace('logs', 'install.log');
	const progress = throttled(say);
	const { code, output } = await run(
		process.execPath,
		[
			join(dirname(require.resolve('pnpm')), 'bin', 'pnpm.cjs'),
			'install',
			'--frozen-lockfile',
			'--ignore-workspace',
			'--reporter=append-only',
			// pnpm's own patience with a network that is not there is over a minute.
			'--fetch-retries=3',
			'--fetch-retry-mintimeout=1000',
			'--fetch-retry-maxtimeout=5000',
		],
		{
			cwd: dir,
			env: { ...packageManagerEnv(), CI: 'true' },
			onLine: (line) => {
				const counts = /resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)/.exec(line);
				if (!counts) return;
				const [resolved = 0, reused = 0, downloaded = 0, added = 0] = counts.slice(1).map(Number);
				const fetched = reused + downloaded;
				if (fetched > 0) {
					progress(
						`Installing n8n: ${fetched} of ${resolved} packages fetched, ${added} in place.`,
					);
				}
			},
		},
	);
	writeFileSync(log, output);
	if (code === 0) return;
	throw new SetupError(
		NO_NETWORK.test(output)
			? 'n8n could not be downloaded, because the npm registry did not answer. ' +
					`Check the network (and the proxy, if there is one) and start again. What happened in detail: ${log}`
			: `n8n could not be installed. What happened is in ${log}`,
	);
}

/** SQLite's module, which reads and writes n8n's database, is the one module that comes without a binary. */
async function buildSqlite(dir: string, say: Say): Promise<void> {
	say("Compiling n8n's database module, about a minute, only this first time.");
	const { binary, home } = nodeFor(dir);
	const fromN8n = createRequire(
		join(realpathSync(join(dir, 'node_modules', 'n8n')), 'package.json'),
	);
	const sqlite = dirname(fromN8n.resolve('sqlite3/package.json'));
	const log = inWorkspace('logs', 'sqlite3.log');
	const { code, output } = await run(
		binary,
		[join(dir, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'), 'rebuild', '--release'],
		{
			cwd: sqlite,
			env: {
				...packageManagerEnv(),
				PATH: [dirname(binary), process.env['PATH']].join(delimiter),
				// The headers beside that Node; in the environment, where an npm setting of the user would win over an argument.
				npm_config_nodedir: home,
			},
		},
	);
	writeFileSync(log, output);
	if (code === 0 && existsSync(join(sqlite, SQLITE_BINARY))) return;
	throw new SetupError(`n8n's database module could not be compiled. What happened is in ${log}`);
}

/**
 * The Node that came with the installation, so that everybody runs the same; where there is none for the machine, the
 * machine's own, if n8n accepts it.
 */
function nodeFor(dir: string): { binary: string; home: string } {
	const brought = join(dir, 'node_modules', `node-${process.platform}-${process.arch}`);
	if (existsSync(brought)) {
		const home = realpathSync(brought);
		return { binary: join(home, 'bin', 'node'), home };
	}
	if (Number(process.versions.node.split('.')[0]) >= 24) {
		return { binary: process.execPath, home: dirname(dirname(process.execPath)) };
	}
	throw new SetupError(
		`n8n needs Node 24 or newer on this machine, and this is Node ${process.versions.node}. ` +
			'Install Node 24 from https://nodejs.org and start again.',
	);
}

/** Says at most one line in three seconds. */
function throttled(say: Say): Say {
	let last = 0;
	return (line) => {
		if (Date.now() - last < 3000) return;
		last = Date.now();
		say(line);
	};
}
