import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';
import { choosePort, runCommand, say, startDemo } from '../n8n/cli';
import type { N8nInstance } from '../n8n/n8n';
import { GuardedProcess } from '../n8n/processes';
import { packageManagerEnv, ROOT } from '../n8n/workspace';
import { ExampleServices } from './example-services';
import { openPlayground } from './playground';

const USAGE = `Starts an n8n with the package in it and a fake aquaculture service, for work on the package: each change in
credentials/, nodes/ or icons/ is built, and n8n loads it.

  npm run dev
  npm run dev -- --port 5679  on another port than 5678
`;

/**
 * Builds the package on each change and copies it into n8n, which loads it by itself (N8N_DEV_RELOAD). Where the build
 * fails, n8n keeps the last one.
 *
 * Copied, not linked: a linked package would find the checkout's n8n-workflow, and n8n has its own.
 */
async function rebuildInto(n8n: N8nInstance, cleanup: Cleanup): Promise<void> {
	const target = join(n8n.userFolder, '.n8n/nodes/node_modules/n8n-nodes-aquaculture/dist');
	let copied = Promise.resolve();
	let isWatching = false;
	const copy = async () => {
		await rm(target, { recursive: true, force: true });
		await cp(join(ROOT, 'dist'), target, { recursive: true });
		say('Built. n8n loads it, and an open editor shows it.');
	};
	const builder = new GuardedProcess('npm', ['exec', 'gulp', 'watch'], {
		cwd: ROOT,
		env: packageManagerEnv(),
		onLine: (line) => {
			if (line === 'Watching') isWatching = true;
			else if (line.includes("Finished 'rebuild'")) {
				copied = copied.then(copy).catch((error: unknown) => say(`Not copied: ${String(error)}`));
			} else if (line.includes('error TS')) {
				console.log(line);
			} else if (line.includes("'rebuild' errored")) {
				say('Not built. n8n keeps the last build; fix the lines above and save.');
			}
		},
	});
	cleanup.defer(() => builder.kill());
	await until('the sources are watched', () => {
		if (!builder.running) throw new Error('gulp has ended');
		return isWatching;
	});
}

const OPTIONS = { port: { type: 'string', default: '5678' } } as const;

runCommand(USAGE, OPTIONS, async (values, cleanup) => {
	const port = await choosePort(values.port);
	const services = new ExampleServices();
	const env = { N8N_DEV_RELOAD: 'true', ...(await services.start(cleanup, 'dev')) };
	const options = { name: 'dev', port, env };
	const demo = await startDemo(options, cleanup);
	await rebuildInto(demo.n8n, cleanup);
	await openPlayground(demo, services, cleanup);
});
