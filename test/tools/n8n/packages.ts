import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Ended, run } from './processes';
import { exclusively, inWorkspace, packageManagerEnv, type Say, SetupError } from './workspace';

/** Occur in what npm and pnpm print when they cannot reach their registry. */
const NO_NETWORK =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL/;

/** In what a command prints when the disk is full. */
const DISK_FULL = /ENOSPC|no space left on device/i;

const PNPM = [
	process.execPath,
	join(dirname(require.resolve('pnpm')), 'bin', 'pnpm.cjs'),
	'install',
	'--frozen-lockfile',
	'--ignore-workspace',
	'--reporter=append-only',
	// By default pnpm waits for over a minute when there is no network.
	'--fetch-retries=3',
	'--fetch-retry-mintimeout=1000',
	'--fetch-retry-maxtimeout=5000',
];

/** What is copied to where it is installed, and installed. */
interface Source {
	folder: string;
	/** Its files. */
	files: string[];
	/** The folder in `.n8n/`. */
	target: string;
	/** For messages, for example n8n. */
	name: string;
	/** Is said before. */
	announcement: string;
	/** What installs it; pnpm by default. */
	command?: string[];
}

/**
 * Installs the packages that a lock file names from the npm registry alone; nothing if that has been done. Concurrent
 * callers wait for one another; an interrupted installation is done again.
 * @returns the folder
 * @throws SetupError when something is missing on this machine
 */
export async function installPackages(source: Source, say: Say): Promise<string> {
	const { folder, files, target, name, announcement, command = PNPM } = source;
	const dir = dirname(inWorkspace(target, 'package.json'));
	const hash = files.reduce(
		(sum, file) => sum.update(readFileSync(join(folder, file))),
		createHash('sha256').update(`${process.platform} ${process.arch} `),
	);
	await once(target, join(dir, 'installed'), hash.digest('hex'), say, async () => {
		rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
		say(announcement);
		for (const file of files) await copyFile(join(folder, file), join(dir, file));
		const [program = '', ...args] = command;
		const ended = await run(program, args, {
			cwd: dir,
			env: { ...packageManagerEnv(), CI: 'true' },
			onLine: (line) => {
				if (line.startsWith('Progress:')) say(line);
			},
		});
		check(ended, `${target}.log`, `${name} could not be installed${reasonIn(ended.output, dir)}.`);
	});
	return dir;
}

/** Why an installation failed and what to do, as far as its output tells. */
function reasonIn(output: string, dir: string): string {
	if (DISK_FULL.test(output)) {
		return ` because the disk is full. Free 3 GB on the disk of ${dir}, and run the command again`;
	}
	if (!NO_NETWORK.test(output)) return '';
	return (
		' because the npm registry did not respond. ' +
		'Check the network (and the proxy, if there is one), and run the command again'
	);
}

/**
 * Does some work unless its stamp, a file, says that it has been done. Concurrent callers wait for one another.
 * @param name what "Another run is busy with" is completed by
 * @param state what the work depends on
 */
export async function once(
	name: string,
	stamp: string,
	state: string,
	say: Say,
	work: () => Promise<void>,
): Promise<void> {
	const isDone = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === state;
	if (isDone()) return;
	await exclusively(name, say, async () => {
		if (isDone()) return;
		rmSync(stamp, { force: true });
		await work();
		writeFileSync(stamp, state);
	});
}

/** Keeps what a command printed, and throws where it failed. */
export function check({ code, output }: Ended, logName: string, message: string): void {
	const log = inWorkspace('logs', logName);
	writeFileSync(log, output);
	if (code !== 0) throw new SetupError(`${message} Details: ${log}`);
}
