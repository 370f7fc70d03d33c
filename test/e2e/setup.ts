import { dirname } from 'node:path';
import { pack } from '../gate/pack';
import { defined } from '../helpers/at';
import { installN8n, type N8nInstall } from './install';
import { run } from './processes';
import {
	exclusively,
	inWorkspace,
	packageManagerEnv,
	ROOT,
	type Say,
	SetupError,
} from './workspace';

/** What an n8n with the package in it is made from. */
export interface Setup {
	install: N8nInstall;
	tarball: string;
}

/**
 * Installs n8n, and builds and packs the package as it is in the checkout now.
 * @throws SetupError when the package does not build
 */
export async function prepareSetup(say: Say): Promise<Setup> {
	const install = await installN8n('2', say);
	const tarball = await exclusively('tarball', say, async () => {
		say('Building and packing the package.');
		const build = await run('npm', ['run', 'build'], { cwd: ROOT, env: packageManagerEnv() });
		if (build.code !== 0) throw new SetupError(`The package does not build.\n${build.output}`);
		return (await pack(dirname(inWorkspace('tarball', 'any')))).path;
	});
	return { install, tarball };
}

/** Jest passes nothing but the environment from its global setup to the tests. */
const VARIABLE = 'E2E_SETUP';

/** Jest's global setup: prepares once for all test files. */
export default async function shareSetup(): Promise<void> {
	const setup = await prepareSetup((line) => process.stderr.write(`${line}\n`));
	process.env[VARIABLE] = JSON.stringify(setup);
}

/** What the global setup has prepared. */
export function setup(): Setup {
	return JSON.parse(defined(process.env[VARIABLE])) as Setup;
}
