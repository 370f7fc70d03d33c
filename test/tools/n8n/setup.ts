import { defined } from '../helpers/at';
import { installN8n, type N8nInstall } from './install';
import { makeTarball } from './tarball';
import type { Say } from './workspace';

/** What an n8n with the package in it is made from. */
export interface Setup {
	install: N8nInstall;
	tarball: string;
}

/**
 * Installs n8n, and builds and packs the package as it is in the checkout now; nothing that has been done before.
 * @throws SetupError when the package does not build, or when something is missing on this machine
 */
export async function prepareSetup(say: Say): Promise<Setup> {
	return { install: await installN8n('2', say), tarball: await makeTarball(say) };
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
