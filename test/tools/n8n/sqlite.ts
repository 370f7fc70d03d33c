import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { check, installPackages, once } from './packages';
import { missingCommands, run } from './processes';
import { packageManagerEnv, type Say, SetupError } from './workspace';

/** The SQLite of an n8n: one that comes with binaries, or the one that n8n asks for, compiled here. */
export type Sqlite = 'prebuilt' | 'compiled';

const SOURCE = {
	folder: join(__dirname, 'sqlite3'),
	files: ['package.json', 'pnpm-lock.yaml', '.npmrc', 'index.js'],
	// n8n's lock files link to it.
	target: 'sqlite3',
	name: "n8n's database module",
	announcement: "Installing n8n's database module.",
};

const BINARY = 'build/Release/node_sqlite3.node';

/**
 * Installs what takes the place of n8n's package `sqlite3`; see overrides.md. Compiles where no binary runs on this
 * machine, and where the environment says SQLITE3=compiled.
 * @param node the `node` that runs n8n
 * @throws SetupError when something is missing on this machine
 */
export async function installSqlite(node: string, say: Say): Promise<Sqlite> {
	const dir = await installPackages(SOURCE, say);
	const { code } = await run(node, ['-e', 'require(process.argv[1])', dir], {
		cwd: dir,
		env: { SQLITE3: 'prebuilt' },
	});
	if (code === 0 && process.env['SQLITE3'] !== 'compiled') return 'prebuilt';
	const stamp = join(dir, 'node_modules', 'compiled.made');
	await once('sqlite3-compiled', stamp, '', say, () => compile(dir, node, say));
	return 'compiled';
}

async function compile(dir: string, node: string, say: Say): Promise<void> {
	const missing = missingCommands('python3', 'make', 'g++');
	if (missing.length > 0) {
		throw new SetupError(
			`n8n's database module must be compiled once, and this machine lacks ${missing.join(', ')}. ` +
				'Install a C++ compiler, make and Python 3 (on Debian or Ubuntu: apt-get install g++ make python3), and run the command again.',
		);
	}
	say("Compiling n8n's database module. This takes about a minute, only this first time.");
	const sqlite = join(dir, 'node_modules', 'compiled');
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
	const isBuilt = existsSync(join(sqlite, BINARY));
	const message = "n8n's database module could not be compiled.";
	check(isBuilt ? ended : { ...ended, code: null }, 'sqlite3-compiled.log', message);
}
