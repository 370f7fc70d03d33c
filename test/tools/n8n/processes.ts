import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import getPort, { portNumbers } from 'get-port';

export interface ProcessOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** Append what it prints to this file, instead of keeping it. */
	log?: string;
	/** Called with each line it prints, of either stream; not together with `log`. */
	onLine?: (line: string) => void;
}

export interface Ended {
	/** The exit code; null when a signal ended it, 127 when there is no such command. */
	code: number | null;
	/** What it printed to its standard output; empty with `log`. */
	stdout: string;
	/** Both streams in the order in which they arrived; empty with `log`. */
	output: string;
}

type GuardMessage = { pid: number } | { code: number | null };

/**
 * A command in a process group of its own. The group ends with the command, and also when this process ends, however
 * that happens, so nothing is left running.
 */
export class GuardedProcess {
	/** Resolves when the command has ended and all it printed has been read. */
	readonly ended: Promise<Ended>;

	/** The process id of the command itself; rejects when it could not be started. */
	readonly pid: Promise<number>;

	private readonly guard: ChildProcess;

	private over = false;

	constructor(command: string, args: string[], { cwd, env, log, onLine }: ProcessOptions) {
		const file = log === undefined ? undefined : openSync(log, 'a');
		this.guard = fork(join(__dirname, 'guard.mjs'), [command, ...args], {
			cwd,
			env,
			execArgv: [],
			detached: true,
			stdio: ['ignore', file ?? 'pipe', file ?? 'pipe', 'ipc'],
		});
		if (file !== undefined) closeSync(file);

		const printed = { stdout: '', output: '' };
		for (const stream of [this.guard.stdout, this.guard.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				if (stream === this.guard.stdout) printed.stdout += text;
				printed.output += text;
			});
			if (stream && onLine) createInterface({ input: stream }).on('line', onLine);
		}

		let code: number | null = null;
		const closed = once(this.guard, 'close');
		this.pid = new Promise((resolve, reject) => {
			this.guard.on('message', (message: GuardMessage) => {
				if ('pid' in message) resolve(message.pid);
				else ({ code } = message);
			});
			void closed.then(() => reject(new Error(`${command} has already ended`)));
		});
		// Whoever awaits it gets the error; where nobody does, it must not end this process
		this.pid.catch(() => undefined);
		this.ended = closed.then(() => {
			this.over = true;
			return { code, ...printed };
		});
	}

	get running(): boolean {
		return !this.over;
	}

	/** Sends the command itself, and no other process of its group, a signal. */
	async signal(signal: NodeJS.Signals): Promise<void> {
		if (this.running) sendSignal(await this.pid, signal);
	}

	/** Interrupts the command and every process of its group, as Ctrl-C does in a terminal. */
	interrupt(): void {
		if (this.running && this.guard.pid !== undefined) sendSignal(-this.guard.pid, 'SIGINT');
	}

	/** Ends the command and everything that it started at once, as a power failure does. */
	async kill(): Promise<void> {
		if (this.running && this.guard.pid !== undefined) sendSignal(-this.guard.pid, 'SIGKILL');
		await this.ended;
	}
}

/** Sends a signal to a process, or with a negative ID to its group, that may have just ended by itself. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Runs a command to its end, whatever its exit code will be. */
export async function run(
	command: string,
	args: string[],
	options: ProcessOptions,
): Promise<Ended> {
	return await new GuardedProcess(command, args, options).ended;
}

/**
 * Runs a command that must succeed.
 * @returns what it printed to its standard output
 * @throws Error with all that it printed
 */
export async function outputOf(
	command: string,
	args: string[],
	options: ProcessOptions,
): Promise<string> {
	const { code, stdout, output } = await run(command, args, options);
	if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed.\n${output}`);
	return stdout.trim();
}

/** Those of some commands that this machine does not have. */
export const missingCommands = (...commands: string[]) =>
	commands.filter((command) => spawnSync(command, ['--version']).status !== 0);

/**
 * From here on, systems give ports to outgoing connections (Linux: `ip_local_port_range`). A server that starts seconds
 * after its port was chosen could find it taken by one.
 */
const FIRST_EPHEMERAL_PORT = 32_768;
const FIRST_PORT = 10_000;

/** The first free one of these ports of 127.0.0.1; by default one at random, which no outgoing connection takes. */
export const freePort = async (
	ports: Iterable<number> = portNumbers(
		randomInt(FIRST_PORT, FIRST_EPHEMERAL_PORT),
		FIRST_EPHEMERAL_PORT - 1,
	),
) => await getPort({ host: '127.0.0.1', port: ports });
