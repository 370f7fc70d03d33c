import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The repository's root, where the package.json to publish is. */
export const root = resolve(__dirname, '../..');

/** What `npm publish` would upload, unpacked. */
export interface Packed {
	/** The unpacked package, with n8n-workflow within its reach as it has it in an n8n. */
	directory: string;
	/** Every file in the tarball, relative to `directory`, sorted. */
	files: string[];
	/** Size of the tarball in bytes. */
	size: number;
	/** Deletes it all. */
	remove(): void;
}

/**
 * Packs the built package and unpacks it into a temporary folder.
 *
 * @param source the folder of the package.json
 * @throws when npm or tar does
 */
export function packPackage(source = root): Packed {
	const temporary = mkdtempSync(join(tmpdir(), 'aquaculture-pack-'));
	const remove = () => rmSync(temporary, { recursive: true, force: true });
	try {
		const report = execFileSync('npm', ['pack', '--json', '--pack-destination', temporary], {
			cwd: source,
			encoding: 'utf8',
			shell: process.platform === 'win32',
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const [{ name, filename, size, files }] = JSON.parse(report) as [
			{ name: string; filename: string; size: number; files: Array<{ path: string }> },
		];

		const modules = join(temporary, 'node_modules');
		const directory = join(modules, name);
		mkdirSync(directory, { recursive: true });
		execFileSync('tar', ['-xzf', join('..', '..', filename), '--strip-components=1'], {
			cwd: directory,
		});
		const n8nWorkflow = dirname(require.resolve('n8n-workflow/package.json', { paths: [root] }));
		symlinkSync(n8nWorkflow, join(modules, 'n8n-workflow'), 'junction');

		return { directory, files: files.map(({ path }) => path).sort(), size, remove };
	} catch (error) {
		remove();
		throw error;
	}
}
