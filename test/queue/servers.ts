import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, GuardedProcess, run } from '../e2e/processes';
import { until } from '../helpers/until';
import { SetupError } from '../e2e/workspace';

/** A server of its own on 127.0.0.1, with its data in a folder that goes when it stops. */
export interface DataServer {
	port: number;
	stop(): Promise<void>;
}

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const POSTGRES_USER = 'postgres';
const isRoot = process.getuid?.() === 0;

/** The database, and its superuser, who needs no password. */
export const DATABASE = 'n8n';

/** A PostgreSQL command as Debian installs it: outside the path. */
function postgresCommand(name: string): string {
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
	const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
	return newest === undefined ? name : join(DEBIAN_POSTGRES, newest, 'bin', name);
}

/** A command line that PostgreSQL accepts to be run with. */
function asPostgres(name: string, ...args: string[]): [string, string[]] {
	const command = postgresCommand(name);
	// It becomes the command, where runuser would stay in front of it and keep the signals to itself.
	const asUser = ['--reuid', POSTGRES_USER, '--regid', POSTGRES_USER, '--clear-groups', '--'];
	return isRoot ? ['setpriv', [...asUser, command, ...args]] : [command, args];
}

/** @throws SetupError when a server is not installed on this machine */
export async function checkServers(): Promise<void> {
	const missing: string[] = [];
	for (const [what, command] of [
		['redis-server', 'redis-server'],
		['postgresql', postgresCommand('postgres')],
	] as const) {
		const works = await run(command, ['--version'], { cwd: tmpdir(), env: process.env }).then(
			({ code }) => code === 0,
			() => false,
		);
		if (!works) missing.push(what);
	}
	if (missing.length === 0) return;
	throw new SetupError(
		`Queue mode needs Redis and PostgreSQL, and ${missing.join(' and ')} cannot be found here. ` +
			`Install what is missing (on Debian or Ubuntu: apt-get install ${missing.join(' ')}) and start again.`,
	);
}

async function startServer(
	dir: string,
	port: number,
	[command, args]: [string, string[]],
	[probe, probeArgs]: [string, string[]],
): Promise<DataServer> {
	const where = { cwd: dir, env: process.env };
	const server = new GuardedProcess(command, args, { ...where, log: `${dir}.log` });
	await server.pid;
	await until(`${command} answers; its log is ${dir}.log`, async () => {
		return (await run(probe, probeArgs, where)).code === 0;
	});
	return {
		port,
		async stop() {
			// To PostgreSQL: end the connections and stop, rather than wait for their end.
			await server.signal('SIGINT');
			await server.ended;
			rmSync(dir, { recursive: true, force: true });
			rmSync(`${dir}.log`, { force: true });
		},
	};
}

/** Starts a Redis that keeps nothing. */
export async function startRedis(): Promise<DataServer> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-redis-'));
	const port = await freePort();
	const at = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir];
	return await startServer(
		dir,
		port,
		['redis-server', [...at, '--save', '', '--appendonly', 'no']],
		['redis-cli', ['-h', '127.0.0.1', '-p', String(port), '-e', 'ping']],
	);
}

/** Starts a PostgreSQL with that one database. Its folder is where its user can get at it. */
export async function startPostgres(): Promise<DataServer> {
	const dir = mkdtempSync(join(tmpdir(), 'queue-postgres-'));
	const where = { cwd: dir, env: process.env };
	if (isRoot) {
		const id = async (flag: string) =>
			Number((await run('id', [flag, POSTGRES_USER], where)).stdout.trim());
		chownSync(dir, await id('-u'), await id('-g'));
	}
	const { code, output } = await run(
		...asPostgres('initdb', '-D', dir, '-U', DATABASE, '-E', 'UTF8', '--auth=trust'),
		where,
	);
	if (code !== 0) throw new Error(`PostgreSQL could not be set up.\n${output}`);
	const port = await freePort();
	const at = ['-h', '127.0.0.1', '-p', String(port)];
	const server = await startServer(
		dir,
		port,
		asPostgres('postgres', '-D', dir, ...at, '-c', 'unix_socket_directories='),
		[postgresCommand('pg_isready'), [...at, '-U', DATABASE]],
	);
	const created = await run(postgresCommand('createdb'), [...at, '-U', DATABASE, DATABASE], where);
	if (created.code === 0) return server;
	await server.stop();
	throw new Error(`PostgreSQL could not make a database.\n${created.output}`);
}
