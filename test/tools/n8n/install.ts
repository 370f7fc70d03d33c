import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { check, installPackages, once } from './packages';
import { missingCommands, run } from './processes';
import { installSqlite, type Sqlite } from './sqlite';
import { type Say, SetupError } from './workspace';

/** Each has a folder `n8n-<major>` beside this file, which pins what is installed; see overrides.md. */
export type N8nMajor = '1' | '2';

/** An n8n that is ready to run. */
export interface N8nInstall {
	major: N8nMajor;
	version: string;
	/** The `node` that runs it. */
	node: string;
	/** The script of its command line, for `node`. */
	script: string;
	/** Which one it must be told to use, in SQLITE3. */
	sqlite: Sqlite;
	/** The folder of a database without content, for a new user folder: so not every new n8n has to make one. */
	database: string;
}

/** The version of n8n that a major stands for. */
export function pinnedVersion(major: N8nMajor): string {
	const manifest = readFileSync(join(__dirname, `n8n-${major}`, 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
}

/**
 * Installs n8n from the npm registry alone, in `.n8n/install-<major>`. Takes a few minutes and 3 GB the first time,
 * nothing afterwards.
 * @throws SetupError when something is missing on this machine
 */
export async function installN8n(major: N8nMajor, say: Say): Promise<N8nInstall> {
	const source = {
		folder: join(__dirname, `n8n-${major}`),
		files: ['package.json', 'pnpm-lock.yaml', '.npmrc'],
		target: `install-${major}`,
		name: 'n8n',
		announcement:
			'Installing n8n: more than a thousand packages. This takes minutes and 3 GB, only this first time.',
	};
	const dir = await installPackages(source, say);
	const node = nodeFor(dir);
	const sqlite = await installSqlite(node, say);
	const script = join(dir, 'node_modules', 'n8n', 'bin', 'n8n');
	const database = join(dir, 'node_modules', `database-${sqlite}`);
	await once(`database-${major}`, `${database}.made`, '', say, () =>
		makeDatabase(database, [node, script], sqlite, say),
	);
	return { major, version: pinnedVersion(major), node, script, sqlite, database };
}

/** n8n makes its database whenever there is none; here by a command that does nothing else. */
async function makeDatabase(
	folder: string,
	[node, script]: [string, string],
	sqlite: Sqlite,
	say: Say,
): Promise<void> {
	say("Making an empty database with n8n's hundreds of migrations, only this first time.");
	rmSync(folder, { recursive: true, force: true });
	const user = join(folder, 'user');
	mkdirSync(user, { recursive: true });
	const ended = await run(node, [script, 'list:workflow'], {
		cwd: user,
		env: {
			PATH: process.env['PATH'],
			HOME: user,
			N8N_USER_FOLDER: user,
			N8N_DIAGNOSTICS_ENABLED: 'false',
			SQLITE3: sqlite,
		},
	});
	check(ended, 'database.log', "n8n's database could not be made.");
	for (const file of readdirSync(join(user, '.n8n'))) {
		if (file.startsWith('database.sqlite'))
			renameSync(join(user, '.n8n', file), join(folder, file));
	}
	rmSync(user, { recursive: true });
}

/** The Node that n8n's installation brought, so that everybody runs the same; otherwise this one, if n8n accepts it. */
function nodeFor(dir: string): string {
	const brought = join(dir, 'node_modules', `node-${process.platform}-${process.arch}`);
	if (existsSync(brought)) {
		const node = join(realpathSync(brought), 'bin', 'node');
		// It runs on glibc only
		if (missingCommands(node).length === 0) return node;
	}
	if (Number.parseInt(process.versions.node) >= 24) return process.execPath;
	throw new SetupError(
		`n8n needs Node 24 or newer on this machine, and this is Node ${process.versions.node}. ` +
			'Install Node 24 from https://nodejs.org and run the command again.',
	);
}
