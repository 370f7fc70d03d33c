import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './processes';
import { inWorkspace, ROOT } from './workspace';

/** Runs git in this checkout. */
async function git(...args: string[]): Promise<string> {
	const { code, stdout, output } = await run('git', args, { cwd: ROOT, env: process.env });
	if (code !== 0) throw new Error(`git ${args.join(' ')} failed.\n${output}`);
	return stdout.trim();
}

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
	const files = await git('ls-files', '-z', '--cached', '--others', '--exclude-standard');
	const deleted = new Set((await git('ls-files', '-z', '--deleted')).split('\0'));
	const folder = makeFolder(name);
	for (const file of files.split('\0').filter((each) => each !== '' && !deleted.has(each))) {
		cpSync(join(ROOT, file), join(folder, file));
	}
	return folder;
}

/**
 * Checks out a released version from the history: its tag, or else the commit that set it in package.json.
 * @returns its folder
 * @throws Error when the history of this clone does not go back that far
 */
export async function checkOutVersion(version: string): Promise<string> {
	const tag = await git('tag', '--list', `v${version}`);
	const line = `"version": "${version}"`;
	const commits = await git('log', '--format=%H', '--reverse', `-S${line}`, '--', 'package.json');
	const [commit] = [tag, ...commits.split('\n')].filter((each) => each !== '');
	if (commit === undefined) {
		const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
		throw new Error(
			isShallow
				? `This clone lacks the history that version ${version} is built from. Run "git fetch --unshallow --tags" first.`
				: `No commit of this repository's history sets version ${version} in package.json.`,
		);
	}
	const folder = makeFolder(`v${version}`);
	const archive = join(folder, 'source.tar');
	await git('archive', '--output', archive, commit);
	const env = process.env;
	const { code, output } = await run('tar', ['-xf', archive], { cwd: folder, env });
	if (code !== 0) throw new Error(`Version ${version} could not be unpacked.\n${output}`);
	rmSync(archive);
	return folder;
}
