import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Ended, run } from './processes';
import { exclusively, inWorkspace, packageManagerEnv, type Say, SetupError } from './workspace';

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
		check(ended, `${target}.log`, `${name} could not be installed.`);
	});
	return dir;
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

/** Keeps what a command printed and how it ended, and throws where it failed: that there is no network, or no space. */
export function check({ code, output }: Ended, logName: string, message: string): void {
	const log = inWorkspace('logs', logName);
	const lines = [...output.trimEnd().split('\n'), `Exit code: ${code ?? 'none'}`];
	writeFileSync(log, lines.join('\n'));
	if (code === 0) return;
	throw new SetupError(`${message}\n${lines.slice(-10).join('\n')}\nAll of it: ${log}`);
}
