import { parseArgs, type ParseArgsConfig } from 'node:util';
import { type Cleanup, withCleanup } from '../helpers/cleanup';
import { startService } from '../fake-service/service';
import { demoCredential, demoWorkflow, WORKFLOW_ID } from './demo-workflow';
import { N8nInstance } from './n8n';
import type { N8nOptions } from './n8n-process';
import { prepareSetup } from './setup';
import { SetupError } from './workspace';

const startedAt = Date.now();

/** Prints a line with the seconds since the start. */
export function say(line: string): void {
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
}

/**
 * Reads the value of --port.
 * @throws SetupError when it is not a port
 */
export function parsePort(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 1 && port <= 65535) return port;
	throw new SetupError(`--port takes a number from 1 to 65535, not '${text}'.`);
}

/** An n8n that has the package, and a credential and a workflow for a fake service. */
export async function createDemo(
	options: Pick<N8nOptions, 'name' | 'port' | 'env'>,
	cleanup: Cleanup,
): Promise<N8nInstance> {
	const setup = await prepareSetup(say);
	const service = await startService();
	cleanup.defer(() => service.close());
	say(`Installing the package in n8n ${setup.install.version}, with a fake aquaculture service.`);
	const n8n = await N8nInstance.create({ ...setup, ...options });
	cleanup.defer(() => n8n.dispose());
	say('Importing a credential and a workflow.');
	const credential = demoCredential(service);
	await n8n.importCredential(credential);
	await n8n.importWorkflow(demoWorkflow(service, credential));
	return n8n;
}

/** Starts n8n, prints how to log in, and leaves it running until the person stops it. */
export async function keepOpen(n8n: N8nInstance): Promise<void> {
	say('Starting n8n.');
	await n8n.start();
	console.log(`
n8n is running, with the credential and the workflow in it. The account is created for this run and works
on this machine only. The next run deletes it.

  Address   ${n8n.baseUrl}/workflow/${WORKFLOW_ID}
  Email     ${n8n.rest.owner.email}
  Password  ${n8n.rest.owner.password}

Press Ctrl-C to stop it.`);
	const stopped = new Promise<boolean>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(true));
	});
	if (!(await Promise.race([stopped, n8n.ended.then(() => false)]))) {
		throw new Error(`n8n has stopped by itself. Its log: ${n8n.log}`);
	}
	say('Stopping n8n.');
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** Runs a command to its end, or prints its usage (--help). Says in a sentence what is missing on this machine. */
export function runCommand<const T extends Options>(
	usage: string,
	options: T,
	main: (values: Values<T>, cleanup: Cleanup) => Promise<void>,
): void {
	if (process.argv.includes('--help')) {
		console.log(usage);
		return;
	}
	withCleanup(async (cleanup) => {
		const { values } = parseArgs<{ options: T }>({ options });
		await main(values, cleanup);
	}).catch((error: unknown) => {
		console.error(error instanceof SetupError ? `\n${error.message}` : error);
		process.exitCode = 1;
	});
}
