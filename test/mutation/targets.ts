import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../e2e/workspace';

/** A shipped file, and the tests that judge it. */
export interface Target {
	/** For example nodes/AquacultureSite/site/siteIds.ts. */
	file: string;
	tests: string[];
}

/** What can be tested in a few minutes. */
const QUICK = ['siteIds', 'site', 'baseUrl', 'distance'];

const LOGIN_TESTS = ['test/credentials/*.test.ts', 'test/security/isolation.test.ts'];

/** Where a file shows what it does, besides the tests of its own name. All that happen to run it would take hours. */
const OTHER_TESTS: Record<string, string[]> = {
	AquacultureApi: [...LOGIN_TESTS, 'test/wire/*.test.ts'],
	AquacultureSite: ['advice', 'descriptions', 'service/SiteService'].map(
		(name) => `test/nodes/${name}.test.ts`,
	),
	AquacultureSiteTrigger: ['test/nodes/descriptions.test.ts'],
	authorization: [...LOGIN_TESTS, 'test/wire/*.test.ts'],
	credentialTest: ['test/credentials/*.test.ts'],
	networkErrors: ['test/proxy/*.test.ts', 'test/wire/*.test.ts'],
	nodeErrors: ['test/nodes/advice.test.ts'],
	request: [...LOGIN_TESTS, 'test/wire/*.test.ts', 'test/nodes/service/SiteService.test.ts'],
	responseRules: ['test/nodes/service/response.test.ts'],
	session: [
		'test/nodes/service/SiteService.test.ts',
		'test/credentials/AquacultureApi.memory.test.ts',
	],
	SiteService: [
		'test/nodes/AquacultureSite*.test.ts',
		'test/credentials/AquacultureApi.memory.test.ts',
	],
	stopping: ['test/nodes/service/SiteService.test.ts'],
	tokens: LOGIN_TESTS,
	siteOutput: ['test/nodes/operations/sites.test.ts'],
	units: ['test/nodes/operations/index.test.ts'],
};

const filesIn = (folder: string) =>
	readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).map((file) =>
		join(folder, file).replaceAll('\\', '/'),
	);

/** For example siteIds of nodes/AquacultureSite/site/siteIds.ts. */
const nameOf = (file: string) => file.replace(/.*\/|(\.(node|credentials))?\.ts$/g, '');

function targetOf(file: string, testFiles: string[]): Target {
	const path = file.replace('nodes/AquacultureSite/', 'nodes/').replace(/(\.\w+)?\.ts$/, '');
	const own = testFiles.filter(
		(test) => test.startsWith(`test/${path}.`) && test.endsWith('.test.ts'),
	);
	return { file, tests: [...own, ...(OTHER_TESTS[nameOf(file)] ?? [])] };
}

/**
 * All shipped files, or those of some names.
 * @throws Error where there is no file of a name
 */
export function findTargets(names: string[], quick: boolean): Target[] {
	const testFiles = filesIn('test');
	const all = ['nodes', 'credentials']
		.flatMap(filesIn)
		.filter((file) => file.endsWith('.ts'))
		.map((file) => targetOf(file, testFiles));
	const wanted = quick ? QUICK : names;
	const unknown = wanted.filter((name) => !all.some((target) => nameOf(target.file) === name));
	if (unknown.length > 0) {
		throw new Error(
			`There is no ${unknown.join(', ')}. Names: ${all.map(({ file }) => nameOf(file)).join(', ')}`,
		);
	}
	return wanted.length === 0 ? all : all.filter((target) => wanted.includes(nameOf(target.file)));
}
