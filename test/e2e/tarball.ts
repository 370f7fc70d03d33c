import { dirname, join } from 'node:path';
import { run } from './processes';
import {
	exclusively,
	inWorkspace,
	packageManagerEnv,
	ROOT,
	type Say,
	SetupError,
} from './workspace';

/**
 * Builds and packs the package as it is in the checkout now.
 * @returns the path of the tarball
 * @throws SetupError when it does not build
 */
export async function packTarball(say: Say): Promise<string> {
	return await exclusively('tarball', say, async () => {
		const npm = async (...args: string[]) => {
			const ended = await run('npm', args, { cwd: ROOT, env: packageManagerEnv() });
			if (ended.code === 0) return ended.stdout;
			throw new SetupError(`The package could not be built and packed.\n${ended.output}`);
		};
		say('Building and packing the package.');
		await npm('run', 'build');
		const target = dirname(inWorkspace('tarball', 'any'));
		const packed = JSON.parse(await npm('pack', '--json', '--pack-destination', target)) as Array<{
			filename: string;
		}>;
		const [tarball] = packed;
		if (!tarball) throw new SetupError('npm packed nothing.');
		return join(target, tarball.filename);
	});
}
