import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pack } from '../gate/pack';
import { once } from './packages';
import { run } from './processes';
import { inWorkspace, packageManagerEnv, ROOT, type Say, SetupError } from './workspace';

const FOLDERS = ['credentials', 'nodes', 'icons'];
const FILES = [
	...['LICENSE.md', 'README.md', 'index.js', 'package.json'],
	// Decide what is made of the folders
	...['gulpfile.js', 'package-lock.json', 'tsconfig.json'],
];

/** Of the names and the contents of all that the package is made of. */
function hashOfPackage(): string {
	const inFolders = FOLDERS.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => relative(ROOT, join(parentPath, name))),
	);
	const hash = createHash('sha256');
	for (const file of [...inFolders, ...FILES].sort()) {
		hash
			.update(`${file}\0`)
			.update(readFileSync(join(ROOT, file)))
			.update('\0');
	}
	return hash.digest('hex').slice(0, 16);
}

/**
 * Builds and packs the package as it is in the checkout now, unless that has been done.
 * @returns the tarball
 * @throws SetupError when the package does not build
 */
export async function makeTarball(say: Say): Promise<string> {
	const tarball = inWorkspace('tarball', hashOfPackage(), 'n8n-nodes-aquaculture.tgz');
	await once('tarball', `${tarball}.made`, '', say, async () => {
		say('Building and packing the package.');
		const build = await run('npm', ['run', 'build'], { cwd: ROOT, env: packageManagerEnv() });
		if (build.code !== 0) throw new SetupError(`The package does not build.\n${build.output}`);
		const folder = dirname(tarball);
		const { filename } = await pack('--pack-destination', folder);
		renameSync(join(folder, filename), tarball);
	});
	return tarball;
}
