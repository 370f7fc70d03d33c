import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run } from '../e2e/processes';
import { median } from './measure';
import type { Platform } from './platform';

export interface PackageWeight {
	version: string;
	/** Bytes of the tarball. */
	size: number;
	/** Milliseconds to load both nodes and the credential when n8n-workflow is there already; the median of several processes. */
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

export async function weighPackage({
	install,
	packageFolder,
	tarball,
}: Platform): Promise<PackageWeight> {
	const { version, n8n } = JSON.parse(
		readFileSync(join(packageFolder, 'package.json'), 'utf8'),
	) as { version: string; n8n: { nodes: string[]; credentials: string[] } };
	const files = [...n8n.credentials, ...n8n.nodes].map((file) => join(packageFolder, file));
	const ofN8n = createRequire(realpathSync(install.script));
	const modules = dirname(dirname(ofN8n.resolve('n8n-workflow/package.json')));
	const times: number[] = [];
	for (let process = 0; process < PROCESSES; process++) {
		const { code, stdout, output } = await run(install.node, ['-e', LOAD, ...files], {
			cwd: packageFolder,
			env: { NODE_PATH: modules },
		});
		if (code !== 0) throw new Error(`The package could not be loaded.\n${output}`);
		times.push(Number(stdout));
	}
	return { version, size: statSync(tarball).size, loading: median(times) };
}
