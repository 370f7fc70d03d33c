import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { run } from '../e2e/processes';
import { setup } from '../e2e/setup';
import { inWorkspace, packageManagerEnv, ROOT } from '../e2e/workspace';
import { defined } from '../helpers/at';
import type { Servers } from './servers';

// The tests run no Docker: they do what the files in docker/ say with folders and processes of this machine.

const readDockerFile = (file: string) => readFileSync(join(ROOT, 'docker', file), 'utf8');

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
	const { code, output } = await run('sh', ['-ec', command], { cwd: ROOT, env });
	if (code !== 0) throw new Error(`The image could not be built.\n${output}`);
	return home;
}

/** What compose.yaml gives each n8n, for servers on this machine, and how many executions a worker runs at once. */
export function readCompose(servers: Servers): {
	env: Record<string, string>;
	concurrency: number;
} {
	const compose = parse(readDockerFile('compose.yaml')) as {
		'x-n8n': { environment: Record<string, string> };
		services: { worker: { command: string } };
	};
	const here: Record<string, string> = { redis: '127.0.0.1', postgres: '127.0.0.1' };
	const entries = Object.entries(compose['x-n8n'].environment).map(([name, value]) => [
		name,
		here[value] ?? value.replace(/^\$\{.*\}$/, 'secret'),
	]);
	return {
		env: {
			...(Object.fromEntries(entries) as Record<string, string>),
			QUEUE_BULL_REDIS_PORT: String(servers.redisPort),
			DB_POSTGRESDB_PORT: String(servers.postgresPort),
		},
		concurrency: Number(/^worker --concurrency=(\d+)$/.exec(compose.services.worker.command)?.[1]),
	};
}
