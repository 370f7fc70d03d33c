import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, GuardedProcess, missingCommands, run } from '../e2e/processes';
import { SetupError } from '../e2e/workspace';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';

/** A Redis and a PostgreSQL on 127.0.0.1. */
export interface Servers {
	redisPort: number;
	postgresPort: number;
}

type Command = [name: string, args: string[]];

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const POSTGRES_USER = 'postgres';
const isRoot = process.getuid?.() === 0;

/** The database, and its superuser, who needs no password. */
const DATABASE = 'n8n';

/** A PostgreSQL command; Debian installs it outside of the search path. */
export function postgresCommand(name: string): string {
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
	const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
	return newest === undefined ? name : join(DEBIAN_POSTGRES, newest, 'bin', name);
}

function asPostgres(name: string, ...args: string[]): Command {
	const command = postgresCommand(name);
	// setpriv becomes the command; runuser would stay in front of it and keep the signals to itself.
	const asUser = ['--reuid', POSTGRES_USER, '--regid', POSTGRES_USER, '--clear-groups', '--'];
	return isRoot ? ['setpriv', [...asUser, command, ...args]] : [command, args];
}

/** Starts a server in its folder and waits until the probe succeeds. The cleanup ends it and removes the folder. */
async function startServer(
	cleanup: Cleanup,
	dir: string,
	[command, args]: Command,
	probe: Command,
): Promise<void> {
	const where = { cwd: dir, env: process.env };
	const log = `${dir}.log`;
	const server = new GuardedProcess(command, args, { ...where, log });
	cleanup.defer(async () => {
		// PostgreSQL then closes the connections instead of waiting for their end.
		await server.signal('SIGINT');
		await server.ended;
		for (const path of [dir, log]) rmSync(path, { recursive: true, force: true });
	});
	await until(`${command} responds (log: ${log})`, async () => {
		return (await run(...probe, where)).code === 0;
	});
}

/** Starts a Redis that stores nothing. */
async function startRedis(cleanup: Cleanup): Promise<number> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-redis-'));
	const port = await freePort();
	const at = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir];
	await startServer(
		cleanup,
		dir,
		['redis-server', [...at, '--save', '', '--appendonly', 'no']],
		['redis-cli', ['-h', '127.0.0.1', '-p', String(port), '-e', 'ping']],
	);
	return port;
}

/** Starts a PostgreSQL with the database, in a folder that its user may access. */
async function startPostgres(cleanup: Cleanup): Promise<number> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-postgres-'));
	const execute = async (...command: Command) => {
		const { code, stdout, output } = await run(...command, { cwd: dir, env: process.env });
		if (code !== 0) throw new Error(`PostgreSQL could not be set up.\n${output}`);
		return stdout.trim();
	};
	if (isRoot) {
		const id = async (flag: string) => Number(await execute('id', [flag, POSTGRES_USER]));
		chownSync(dir, await id('-u'), await id('-g'));
	}
	await execute(...asPostgres('initdb', '-D', dir, '-U', DATABASE, '-E', 'UTF8', '--auth=trust'));
	const port = await freePort();
	const at = ['-h', '127.0.0.1', '-p', String(port)];
	await startServer(
		cleanup,
		dir,
		asPostgres('postgres', '-D', dir, ...at, '-c', 'unix_socket_directories='),
		[postgresCommand('pg_isready'), [...at, '-U', DATABASE]],
	);
	await execute(postgresCommand('createdb'), [...at, '-U', DATABASE, DATABASE]);
	return port;
}

/** @throws SetupError when a server is not installed on this machine */
export async function startServers(cleanup: Cleanup): Promise<Servers> {
	const missing = missingCommands('redis-server', postgresCommand('postgres'));
	if (missing.length > 0) {
		throw new SetupError(
			`Queue mode needs Redis and PostgreSQL, and this machine lacks ${missing.join(' and ')}. ` +
				'Install them (on Debian or Ubuntu: apt-get install redis-server postgresql), and run the command again.',
		);
	}
	return { redisPort: await startRedis(cleanup), postgresPort: await startPostgres(cleanup) };
}
