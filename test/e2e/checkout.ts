import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf } from './processes';
import { inWorkspace, ROOT } from './workspace';

const git = async (checkout: string, ...args: string[]) =>
	await outputOf('git', args, { cwd: checkout, env: process.env });

/** An empty folder `.n8n/checkouts/<name>` with this checkout's dependencies. */
function makeFolder(name: string): string {
	const folder = dirname(inWorkspace('checkouts', name, 'any'));
	rmSync(folder, { recursive: true, force: true });
	inWorkspace('checkouts', name, 'any');
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}

/** Copies this checkout as it is now, uncommitted changes and new files included; returns its folder. */
export async function copyCheckout(name: string): Promise<string> {
	const files = await git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
	const folder = makeFolder(name);
	for (const file of files.split('\0')) {
		const path = join(ROOT, file);
		// One that is deleted is still listed
		if (file !== '' && existsSync(path)) cpSync(path, join(folder, file));
	}
	return folder;
}

/**
 * Checks out a released version from the history: its tag, or else the commit that set it in package.json.
 * @param from a clone that has this history
 * @returns its folder
 * @throws Error when the clone does not have it
 */
export async function checkOutVersion(version: string, from = ROOT): Promise<string> {
	const commit = await commitOf(version, from);
	const folder = makeFolder(`v${version}`);
	const archive = join(folder, 'source.tar');
	await git(from, 'archive', '--output', archive, commit);
	await outputOf('tar', ['-xf', archive], { cwd: folder, env: process.env });
	rmSync(archive);
	return folder;
}

async function commitOf(version: string, from: string): Promise<string> {
	const tag = await git(from, 'tag', '--list', `v${version}`);
	if (tag !== '') return tag;
	if ((await git(from, 'rev-parse', '--is-shallow-repository')) === 'true') {
		throw new Error(
			`This clone lacks the history that version ${version} is built from. ` +
				'Run "git fetch --unshallow --tags" first.',
		);
	}
	const line = `-S"version": "${version}"`;
	const log = await git(from, 'log', '--format=%H', '--reverse', line, '--', 'package.json');
	const [commit] = log.split('\n');
	if (commit) return commit;
	throw new Error(`No commit of this repository sets version ${version} in package.json.`);
}
