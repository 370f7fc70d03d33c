import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf } from './processes';
import { inWorkspace, ROOT } from './workspace';

/**
 * Copies this checkout as it is now, uncommitted changes and new files included, with a link to its dependencies.
 * @returns the folder
 */
export async function copyCheckout(name: string): Promise<string> {
	const files = await outputOf(
		'git',
		['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
		{ cwd: ROOT, env: process.env },
	);
	const folder = dirname(inWorkspace('checkouts', name, 'any'));
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
	for (const file of files.split('\0')) {
		const path = join(ROOT, file);
		// One that is deleted is still listed
		if (file !== '' && existsSync(path)) cpSync(path, join(folder, file));
	}
	return folder;
}
