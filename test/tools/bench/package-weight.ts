import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { median } from '../helpers/numbers';
import { run } from '../n8n/processes';
import type { Platform } from './platform';

export interface PackageWeight {
	version: string;
	/** Bytes of what is published. */
	packed: number;
	/** Milliseconds to load both nodes and the credential after n8n-workflow; the median of several processes. */
	loading: number;
}

const PROCESSES = 11;

/** Loads n8n-workflow, then the files given as arguments, and prints how long the latter took. */
const LOAD = `
	require('n8n-workflow');
	const start = performance.now();
	for (const file of process.argv.slice(1)) require(file);
	console.log(performance.now() - start);
`;

export async function weighPackage({ setup, packageFolder }: Platform): Promise<PackageWeight> {
	const { version, n8n } = JSON.parse(
		readFileSync(join(packageFolder, 'package.json'), 'utf8'),
	) as { version: string; n8n: { nodes: string[]; credentials: string[] } };
	const files = [...n8n.credentials, ...n8n.nodes].map((file) => join(packageFolder, file));
	const n8nRequire = createRequire(realpathSync(setup.install.script));
	const modules = dirname(dirname(n8nRequire.resolve('n8n-workflow/package.json')));
	const times: number[] = [];
	while (times.length < PROCESSES) {
		const { code, stdout, output } = await run(setup.install.node, ['-e', LOAD, ...files], {
			cwd: packageFolder,
			env: { NODE_PATH: modules },
		});
		if (code !== 0) throw new Error(`The package could not be loaded.\n${output}`);
		times.push(Number(stdout));
	}
	return { version, packed: statSync(setup.tarball).size, loading: median(times) };
}
