import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../helpers/at';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';
import { type ComposeServices, probeOf } from './compose';
import { freePort, GuardedProcess, missingCommands, outputOf, run } from './processes';
import { SetupError } from './workspace';

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

/** A PostgreSQL command; Debian installs it outside of the search path. */
function postgresCommand(name: string): string {
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

/** Starts a Redis, which here stores nothing. */
async function startRedis(cleanup: Cleanup, service: ComposeServices['redis']): Promise<number> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-redis-'));
	const port = await freePort();
	const at = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir];
	await startServer(
		cleanup,
		dir,
		['redis-server', [...at, '--save', '', '--appendonly', 'no']],
		probeOf(service, ['-h', '127.0.0.1', '-p', String(port)]),
	);
	return port;
}

/**
 * Starts a PostgreSQL as its official image does: with the superuser, the password and the database of the environment,
 * and no connection without that password. Its folder is one that its user may access.
 */
async function startPostgres(
	cleanup: Cleanup,
	service: ComposeServices['postgres'],
): Promise<number> {
	const { environment } = service;
	const user = defined(environment['POSTGRES_USER']);
	const password = defined(environment['POSTGRES_PASSWORD']);
	const dir = mkdtempSync(join(tmpdir(), 'queue-postgres-'));
	const options = { cwd: dir, env: { ...process.env, PGPASSWORD: password } };
	const execute = async (...command: Command) => await outputOf(...command, options);
	const passwordFile = `${dir}.password`;
	writeFileSync(passwordFile, password);
	cleanup.defer(() => rmSync(passwordFile));
	if (isRoot) {
		const id = async (flag: string) => Number(await execute('id', [flag, POSTGRES_USER]));
		const owner = [await id('-u'), await id('-g')] as const;
		for (const path of [dir, passwordFile]) chownSync(path, ...owner);
	}
	const login = ['-U', user, '--pwfile', passwordFile, '--auth=scram-sha-256'];
	await execute(...asPostgres('initdb', '-D', dir, '-E', 'UTF8', ...login));
	const port = await freePort();
	const at = ['-h', '127.0.0.1', '-p', String(port)];
	const [probe, probeArgs] = probeOf(service, at);
	await startServer(
		cleanup,
		dir,
		asPostgres('postgres', '-D', dir, ...at, '-c', 'unix_socket_directories='),
		[postgresCommand(probe), probeArgs],
	);
	const database = defined(environment['POSTGRES_DB']);
	await execute(postgresCommand('createdb'), [...at, '-U', user, database]);
	return port;
}

/** @throws SetupError when a server is not installed on this machine */
export async function startServers(
	cleanup: Cleanup,
	{ postgres, redis }: ComposeServices,
): Promise<Servers> {
	const missing = missingCommands('redis-server', postgresCommand('postgres'));
	if (missing.length > 0) {
		throw new SetupError(
			`Queue mode needs Redis and PostgreSQL, and this machine lacks ${missing.join(' and ')}. ` +
				'Install them (on Debian or Ubuntu: apt-get install redis-server postgresql), and run the command again.',
		);
	}
	return {
		redisPort: await startRedis(cleanup, redis),
		postgresPort: await startPostgres(cleanup, postgres),
	};
}
