import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../helpers/at';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';
import type { ComposeService, ComposeServices } from './compose';
import { freePort, GuardedProcess, missingCommands, outputOf, run } from './processes';
import { SetupError } from './workspace';

type Command = [name: string, args: string[]];

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const SYSTEM_USER = 'postgres';
const isRoot = process.getuid?.() === 0;

/** A command of PostgreSQL, which Debian installs outside of the search path; any other one as it is. */
function postgresCommand(name: string): string {
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
	const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
	const path = join(DEBIAN_POSTGRES, newest ?? '', 'bin', name);
	return existsSync(path) ? path : name;
}

function asPostgres(name: string, ...args: string[]): Command {
	const command = postgresCommand(name);
	// setpriv becomes the command; runuser would stay in front of it and keep the signals to itself.
	const asUser = ['--reuid', SYSTEM_USER, '--regid', SYSTEM_USER, '--clear-groups', '--'];
	return isRoot ? ['setpriv', [...asUser, command, ...args]] : [command, args];
}

/**
 * Starts a server in its folder, and waits until it is healthy as compose.yaml has it. The cleanup ends it and removes the
 * folder.
 * @param where host and port, as the command of the health check takes them
 */
async function startServer(
	cleanup: Cleanup,
	dir: string,
	[command, args]: Command,
	{ healthcheck }: ComposeService,
	where: string[],
): Promise<void> {
	const options = { cwd: dir, env: process.env };
	const log = `${dir}.log`;
	const server = new GuardedProcess(command, args, { ...options, log });
	cleanup.defer(async () => {
		// PostgreSQL then closes the connections instead of waiting for their end.
		await server.signal('SIGINT');
		await server.ended;
		for (const path of [dir, log]) rmSync(path, { recursive: true, force: true });
	});
	const [, probe = '', ...more] = defined(healthcheck).test;
	const probing = [...where, ...more];
	await until(`${command} is healthy (log: ${log})`, async () => {
		return (await run(postgresCommand(probe), probing, options)).code === 0;
	});
}

/** Starts a Redis, which here stores nothing; returns its port. */
async function startRedis(cleanup: Cleanup, service: ComposeService): Promise<string> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-redis-'));
	const port = String(await freePort());
	const args = ['--bind', '127.0.0.1', '--port', port, '--dir', dir];
	const command: Command = ['redis-server', [...args, '--save', '', '--appendonly', 'no']];
	await startServer(cleanup, dir, command, service, ['-h', '127.0.0.1', '-p', port]);
	return port;
}

/**
 * Starts a PostgreSQL as its official image does: with the superuser, the password and the database of the environment,
 * and no connection without that password. Its folder is one that its user may access.
 * @returns its port
 */
async function startPostgres(cleanup: Cleanup, service: ComposeService): Promise<string> {
	const { POSTGRES_USER: user, POSTGRES_PASSWORD, POSTGRES_DB } = service.environment;
	const password = defined(POSTGRES_PASSWORD);
	const dir = mkdtempSync(join(tmpdir(), 'queue-postgres-'));
	const options = { cwd: dir, env: { ...process.env, PGPASSWORD: password } };
	const execute = async (...command: Command) => await outputOf(...command, options);
	const passwordFile = `${dir}.password`;
	writeFileSync(passwordFile, password);
	cleanup.defer(() => rmSync(passwordFile));
	if (isRoot) {
		const id = async (flag: string) => Number(await execute('id', [flag, SYSTEM_USER]));
		const owner = [await id('-u'), await id('-g')] as const;
		for (const path of [dir, passwordFile]) chownSync(path, ...owner);
	}
	const login = ['-U', defined(user), '--pwfile', passwordFile, '--auth=scram-sha-256'];
	await execute(...asPostgres('initdb', '-D', dir, '-E', 'UTF8', ...login));
	const port = String(await freePort());
	const where = ['-h', '127.0.0.1', '-p', port];
	const command = asPostgres('postgres', '-D', dir, ...where, '-c', 'unix_socket_directories=');
	await startServer(cleanup, dir, command, service, where);
	await execute(postgresCommand('createdb'), [...where, '-U', defined(user), defined(POSTGRES_DB)]);
	return port;
}

/**
 * Starts a Redis and a PostgreSQL on 127.0.0.1, which the cleanup ends.
 * @returns environment variables with which n8n finds them there
 * @throws SetupError when a server is not installed on this machine
 */
export async function startServers(
	cleanup: Cleanup,
	{ postgres, redis }: ComposeServices,
): Promise<Record<string, string>> {
	const missing = missingCommands('redis-server', postgresCommand('postgres'));
	if (missing.length > 0) {
		throw new SetupError(
			`Queue mode needs Redis and PostgreSQL, and this machine lacks ${missing.join(' and ')}. ` +
				'Install them (on Debian or Ubuntu: apt-get install redis-server postgresql), and run the command again.',
		);
	}
	return {
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: await startRedis(cleanup, redis),
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: await startPostgres(cleanup, postgres),
	};
}
