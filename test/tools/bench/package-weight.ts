import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../helpers/numbers';
import type { N8nInstance } from '../n8n/n8n';
import { outputOf } from '../n8n/processes';
import type { Setup } from '../n8n/setup';

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

export async function weighPackage(
	{ userFolder }: N8nInstance,
	{ install, tarball }: Setup,
): Promise<PackageWeight> {
	const packageFolder = join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-aquaculture');
	const { version, n8n } = JSON.parse(
		readFileSync(join(packageFolder, 'package.json'), 'utf8'),
	) as { version: string; n8n: { nodes: string[]; credentials: string[] } };
	const files = [...n8n.credentials, ...n8n.nodes].map((file) => join(packageFolder, file));
	// n8n is installed beside its dependencies
	const options = {
		cwd: packageFolder,
		env: { NODE_PATH: join(realpathSync(install.script), '../../..') },
	};
	const times: number[] = [];
	while (times.length < PROCESSES) {
		times.push(Number(await outputOf(install.node, ['-e', LOAD, ...files], options)));
	}
	return { version, packed: statSync(tarball).size, loading: median(times) };
}
