import { join } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { portNumbers } from 'get-port';
import type { Service } from '../fake-service/service';
import { Cleanup } from '../helpers/cleanup';
import type { CredentialReference, N8nInstance } from './n8n';
import type { N8nOptions } from './n8n-process';
import { freePort } from './processes';
import { prepareSetup } from './setup';
import { saveCredential, startFake, startN8n } from './use-n8n';
import { chain, manualTrigger, siteNode } from './workflows';
import { ROOT, SetupError } from './workspace';

const startedAt = Date.now();

/** Prints a line with the seconds since the start. */
export function say(line: string): void {
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
}

const MORE_PORTS = 100;

/**
 * The port that was asked for, or the next one that is free: 5678 is often that of the person's own n8n.
 * @throws SetupError when it is not the number of a port
 */
export async function choosePort(wanted: string): Promise<number> {
	const port = Number(wanted);
	if (!(Number.isInteger(port) && port >= 1024 && port <= 65535 - MORE_PORTS)) {
		throw new SetupError(`--port takes a number from 1024 to ${65535 - MORE_PORTS}.`);
	}
	const found = await freePort(portNumbers(port, port + MORE_PORTS));
	if (found !== port) say(`Port ${port} is in use. Taking port ${found}.`);
	return found;
}

export const DEMO_NODE = 'Aquaculture Site';

/** A running n8n with the package, and in it a workflow that reads all sites of a fake service. */
export interface Demo {
	n8n: N8nInstance;
	service: Service;
	credential: CredentialReference;
	workflowId: string;
}

/** Starts a demo, which the cleanup ends. */
export async function startDemo(
	options: Pick<N8nOptions, 'name' | 'port' | 'env'>,
	cleanup: Cleanup,
): Promise<Demo> {
	const setup = await prepareSetup(say);
	const service = await startFake(cleanup, { control: true });
	say(`Starting n8n ${setup.install.version} with the package, and a fake aquaculture service.`);
	const n8n = await startN8n(cleanup, { ...setup, ...options });
	// As n8n proposes it
	const credential = await saveCredential(n8n, service, { name: 'Aquaculture account' });
	const siteIds = service.sites.map(({ siteId }) => siteId).join(', ');
	const read = { operation: 'getAll', siteIds, simplify: true };
	const workflow = chain(
		'Aquaculture Demo',
		manualTrigger(),
		siteNode(DEMO_NODE, credential, read),
	);
	const workflowId = await n8n.createWorkflow(workflow);
	return { n8n, service, credential, workflowId };
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
	const cleanup = new Cleanup();
	const run = async () => await main(parseArgs<{ options: T }>({ options }).values, cleanup);
	const ended = run().finally(async () => await cleanup.run());
	ended.catch((error: unknown) => {
		// However it was noticed: here, or in what a package manager printed
		if (String(error).includes('ENOSPC')) {
			console.error(
				`\nThe disk is full. n8n needs 3 GB in ${join(ROOT, '.n8n')}: free that, and run the command again.`,
			);
		} else console.error(error instanceof SetupError ? `\n${error.message}` : error);
		process.exitCode = 1;
	});
}
