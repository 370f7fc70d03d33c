import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../fake-service/service';
import { demoCredential, demoWorkflow } from './demo-workflow';
import { installN8n } from './install';
import { N8nInstance } from './n8n';
import { keepOpen, parsePort, runMain, say } from './open';
import { freePort, GuardedProcess } from './processes';
import { packTarball } from './tarball';
import { packageManagerEnv, ROOT } from './workspace';

const USAGE = `Starts an n8n with the package in it and a stand-in for the aquaculture service, for work on the package: each
change in credentials/, nodes/ or icons/ is built, and n8n loads it.

  npm run dev
  npm run dev -- --port 5679  on another port than 5678
`;

/**
 * Builds the package on each change and puts it into n8n, which loads it by itself (N8N_DEV_RELOAD). What does not
 * build is printed and goes no further: n8n keeps what it has.
 *
 * Copied, not linked: a linked package would find the checkout's n8n-workflow, and n8n has its own.
 */
function rebuildInto(n8n: N8nInstance): GuardedProcess {
	const target = join(n8n.userFolder, '.n8n/nodes/node_modules/n8n-nodes-aquaculture/dist');
	let copied = Promise.resolve();
	const copy = async () => {
		await rm(target, { recursive: true, force: true });
		await cp(join(ROOT, 'dist'), target, { recursive: true });
		say('Built. n8n loads it; an open editor shows it by itself.');
	};
	return new GuardedProcess('npm', ['exec', 'gulp', 'watch'], {
		cwd: ROOT,
		env: packageManagerEnv(),
		onLine: (line) => {
			if (/Starting 'rebuild'/.test(line)) say('Something has changed: building.');
			else if (/Finished 'rebuild'/.test(line)) {
				copied = copied.then(copy).catch((error: Error) => say(`Not copied: ${error.message}`));
			} else if (/'rebuild' errored/.test(line)) {
				say('It does not build (see above). n8n keeps the last build.');
			} else if (/error TS/.test(line)) console.log(line);
		},
	});
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '5678' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(USAGE);
	const port = await freePort(parsePort(values.port));

	const install = await installN8n('2', say);
	const tarball = await packTarball(say);
	const service = await startService();
	try {
		say(`n8n ${install.version} gets the package and a stand-in for the aquaculture service.`);
		const env = { N8N_DEV_RELOAD: 'true' };
		const n8n = await N8nInstance.create({ install, tarball, name: 'dev', port, env });
		try {
			const credential = demoCredential(service);
			await n8n.importCredential(credential);
			await n8n.importWorkflow(demoWorkflow(service, credential));
			const builder = rebuildInto(n8n);
			try {
				await keepOpen(n8n);
			} finally {
				await builder.kill();
			}
		} finally {
			await n8n.dispose();
		}
	} finally {
		await service.close();
	}
}

runMain(main);
