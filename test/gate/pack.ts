import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../e2e/workspace';

const execute = promisify(execFile);

/** What `npm publish` would upload. */
interface Tarball {
	/** The path of the tarball. */
	path: string;
	/** Its size in bytes. */
	size: number;
	/** The name of the package. */
	name: string;
	/** Every file in it, sorted. */
	files: string[];
}

/** Packs the built package into a folder. */
export async function pack(folder: string): Promise<Tarball> {
	const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: ROOT,
		shell: process.platform === 'win32',
	});
	const [{ name, filename, size, files }] = JSON.parse(stdout) as [
		{ name: string; filename: string; size: number; files: Array<{ path: string }> },
	];
	return { path: join(folder, filename), name, size, files: files.map(({ path }) => path).sort() };
}

/** A tarball, and what is in it. */
export interface Unpacked extends Tarball {
	/** The unpacked package. It can load n8n-workflow, as in an n8n. */
	directory: string;
	/** Deletes all of it. */
	remove(): void;
}

/** Packs the built package and unpacks it, in a temporary folder. */
export async function packAndUnpack(): Promise<Unpacked> {
	const temporary = mkdtempSync(join(tmpdir(), 'aquaculture-pack-'));
	const remove = () => rmSync(temporary, { recursive: true, force: true });
	try {
		const tarball = await pack(temporary);
		const modules = join(temporary, 'node_modules');
		const directory = join(modules, tarball.name);
		mkdirSync(directory, { recursive: true });
		const archive = join('..', '..', basename(tarball.path));
		await execute('tar', ['-xzf', archive, '--strip-components=1'], { cwd: directory });
		const n8nWorkflow = dirname(require.resolve('n8n-workflow/package.json'));
		symlinkSync(n8nWorkflow, join(modules, 'n8n-workflow'), 'junction');
		return { ...tarball, directory, remove };
	} catch (error) {
		remove();
		throw error;
	}
}
