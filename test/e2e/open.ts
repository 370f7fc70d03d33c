import { WORKFLOW_ID } from './demo-workflow';
import type { N8nInstance } from './n8n';
import { SetupError } from './workspace';

const startedAt = Date.now();

/** Prints a line with the seconds since the start. */
export function say(line: string): void {
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
}

/**
 * The port of the editor that somebody asked for.
 * @throws SetupError when that is none
 */
export function parsePort(text: string): number {
	const port = Number(text);
	if (!Number.isInteger(port) || port < 1 || port > 65535) {
		throw new SetupError(`--port takes a number from 1 to 65535, not '${text}'.`);
	}
	return port;
}

/** Starts n8n, tells how to log in, and leaves it running until the person stops it. */
export async function keepOpen(n8n: N8nInstance): Promise<void> {
	say('Starting n8n.');
	await n8n.start();
	await n8n.login();
	console.log(`
n8n is running, with the credential and the workflow in it. The account is a throw-away: made for this
run, good on this machine only, and gone with the next one.

  Address   ${n8n.baseUrl}/workflow/${WORKFLOW_ID}
  E-mail    ${n8n.owner.email}
  Password  ${n8n.owner.password}

Ctrl-C stops it.`);
	const asked = new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
	});
	const over = await Promise.race([asked, n8n.ended.then(() => 'n8n')]);
	if (over) throw new Error(`n8n has stopped by itself. Its log: ${n8n.log}`);
	say('Stopping n8n.');
}

/** Runs a command of these to its end, and tells what it lacks in a sentence. */
export function runMain(main: () => Promise<void>): void {
	main().catch((error: Error) => {
		console.error(error instanceof SetupError ? `\n${error.message}` : error);
		process.exitCode = 1;
	});
}
