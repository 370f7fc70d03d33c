import type { N8nInstall } from './install';

/** What a test run installs and packs once for all its files. */
export interface Prepared {
	install: N8nInstall;
	/** The path of the packed package. */
	tarball: string;
}

/** Jest hands the environment on from its global setup to the tests, and nothing else. */
const VARIABLE = 'E2E_PREPARED';

/** Keeps for the test files what the global setup has made. */
export function keep(prepared: Prepared): void {
	process.env[VARIABLE] = JSON.stringify(prepared);
}

/** What the global setup has made, to be given to `N8nInstance.create()`. */
export function prepared(): Prepared {
	const kept = process.env[VARIABLE];
	if (kept === undefined) throw new Error('The global setup of the end-to-end tests did not run.');
	return JSON.parse(kept) as Prepared;
}
