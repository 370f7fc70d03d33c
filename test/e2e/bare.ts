import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { inWorkspace } from './workspace';

/** What npm, its scripts and these tests call. No Python, no make, no compiler. */
const COMMANDS = [
	...['node', 'npm', 'npx', 'sh', 'env', 'tar', 'gzip', 'ps', 'sed', 'grep', 'id', 'uname'],
	...['cat', 'cp', 'mv', 'rm', 'mkdir', 'ln', 'ls', 'chmod', 'dirname', 'basename', 'which'],
];

/** The search path of a machine that has Node, npm and the basics, and nothing else: a folder with links. */
export function barePath(): string {
	const folder = dirname(inWorkspace('bare', 'bin', 'any'));
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	const path = [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(delimiter)];
	for (const command of COMMANDS) {
		const found = path.map((each) => join(each, command)).find((file) => existsSync(file));
		if (found !== undefined) symlinkSync(realpathSync(found), join(folder, command));
	}
	return folder;
}
