import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../n8n/workspace';

const execute = promisify(execFile);

/** Packs the built package into a folder as `npm publish` does; `size` is that of the tarball, in bytes. */
export async function pack(folder: string) {
	const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: ROOT,
		shell: process.platform === 'win32',
	});
	const [{ filename, size, files }] = JSON.parse(stdout) as [
		{ filename: string; size: number; files: Array<{ path: string }> },
	];
	return { path: join(folder, filename), size, files: files.map(({ path }) => path).sort() };
}

/** Packs the built package and unpacks it in a temporary folder, from which it can load n8n-workflow, as in an n8n. */
export async function packAndUnpack() {
	const parent = join(ROOT, 'node_modules', '.cache', 'unpacked');
	mkdirSync(parent, { recursive: true });
	const directory = mkdtempSync(join(parent, 'package-'));
	const remove = () => rmSync(directory, { recursive: true, force: true });
	try {
		const tarball = await pack(directory);
		await execute('tar', ['-xzf', basename(tarball.path), '--strip-components=1'], {
			cwd: directory,
		});
		rmSync(tarball.path);
		return { ...tarball, directory, remove };
	} catch (error) {
		remove();
		throw error;
	}
}
