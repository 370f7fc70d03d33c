import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../helpers/at';
import { type ComposeService, readDockerFile } from './compose';
import { outputOf } from './processes';
import type { Servers } from './servers';
import { setup } from './setup';
import { inWorkspace, packageManagerEnv, ROOT } from './workspace';

/**
 * Runs the RUN instruction of the Dockerfile, with the tarball instead of the published package.
 * @returns the folder that stands for the image's /home/node
 */
export async function buildImage(): Promise<string> {
	const home = dirname(inWorkspace('docker', 'home', 'any'));
	const [, instruction] = /^RUN ((?:.*\\\n)*.*)/m.exec(readDockerFile('Dockerfile')) ?? [];
	const command = defined(instruction)
		.replaceAll('/home/node', home)
		.replace('n8n-nodes-aquaculture@${PACKAGE_VERSION}', setup().tarball);
	if (!command.includes(setup().tarball)) throw new Error('The Dockerfile installs no package');
	rmSync(home, { recursive: true, force: true });
	const env = { ...packageManagerEnv(), HOME: home };
	await outputOf('sh', ['-ec', command], { cwd: ROOT, env });
	return home;
}

/** The environment of a service, on this machine: the hosts that are other services are ports of it. */
export function environmentHere(
	{ environment }: ComposeService,
	{ redisPort, postgresPort }: Servers,
): Record<string, string> {
	const ports: Record<string, number> = { redis: redisPort, postgres: postgresPort };
	const entries = Object.entries(environment).flatMap(([name, value]) => {
		const port = ports[value];
		if (port === undefined || !name.endsWith('_HOST')) return [[name, value]];
		return [
			[name, '127.0.0.1'],
			[name.replace(/HOST$/, 'PORT'), String(port)],
		];
	});
	return Object.fromEntries(entries) as Record<string, string>;
}
