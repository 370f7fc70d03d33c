import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../n8n/workspace';

const execute = promisify(execFile);

/** Packs the built package as `npm publish` does, with more arguments of `npm pack`; `size` is that of the tarball, in bytes. */
export async function pack(...args: string[]) {
	const { stdout } = await execute('npm', ['pack', '--json', ...args], {
		cwd: ROOT,
		shell: process.platform === 'win32',
	});
	const [{ filename, size, files }] = JSON.parse(stdout) as [
		{ filename: string; size: number; files: Array<{ path: string }> },
	];
	return { filename, size, files: files.map(({ path }) => path).sort() };
}
