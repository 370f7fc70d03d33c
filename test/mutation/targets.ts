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
const QUICK = ['siteIds', 'site', 'baseUrl', 'position'];

const LOGIN_TESTS = ['test/credentials/', 'test/security/isolation.test.ts'];
const RUN_TEST = 'test/nodes/run/SiteService.test.ts';
const POLL_TEST = 'test/nodes/AquacultureSiteTrigger.test.ts';
const CONDITIONS = 'test/conditions/';
const WIRE_TESTS = 'test/wire/';

/** Their files are judged by all tests of the folder; these take milliseconds. */
const PURE_FOLDERS = ['operations', 'site', 'trigger'];

/** The starts of paths: where else a file shows what it does, besides the tests of its own name. All that happen to run it would take hours. */
const OTHER_TESTS: Record<string, string[]> = {
	'credentials/AquacultureApi': ['test/nodes/descriptions.test.ts', ...LOGIN_TESTS, WIRE_TESTS],
	'nodes/AquacultureSite': [
		'test/nodes/advice.test.ts',
		'test/nodes/descriptions.test.ts',
		RUN_TEST,
	],
	'nodes/AquacultureSiteTrigger': ['test/nodes/descriptions.test.ts'],
	'nodes/nodeErrors': ['test/nodes/advice.test.ts'],
	'nodes/operations/index': ['test/nodes/descriptions.test.ts'],
	'nodes/operations/operation': ['test/nodes/AquacultureSite.test.ts'],
	'nodes/run/session': ['test/credentials/AquacultureApi.memory.test.ts'],
	'nodes/run/SiteService': [
		CONDITIONS,
		'test/nodes/AquacultureSite',
		'test/credentials/AquacultureApi.memory.test.ts',
		WIRE_TESTS,
	],
	'nodes/service/advice': [
		'test/nodes/service/response.test.ts',
		'test/nodes/trigger/reports.test.ts',
	],
	'nodes/service/authorization': [...LOGIN_TESTS, WIRE_TESTS],
	'nodes/service/credentialTest': ['test/credentials/'],
	'nodes/service/networkErrors': ['test/proxy/', WIRE_TESTS],
	'nodes/service/pastedText': ['test/nodes/service/tokens.test.ts', ...LOGIN_TESTS],
	'nodes/service/request': [...LOGIN_TESTS, WIRE_TESTS, RUN_TEST],
	'nodes/service/responseRules': ['test/nodes/service/response.test.ts'],
	'nodes/service/steps': ['test/nodes/service/response.test.ts'],
	'nodes/service/timer': ['test/nodes/run/cancellation.test.ts'],
	'nodes/service/tokens': LOGIN_TESTS,
	'nodes/trigger/activation': [POLL_TEST],
	'nodes/trigger/reading': [POLL_TEST],
	'nodes/trigger/state': [POLL_TEST],
};

const filesIn = (folder: string) =>
	readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).map((file) =>
		join(folder, file).replaceAll('\\', '/'),
	);

/** For example siteIds of nodes/AquacultureSite/site/siteIds.ts. */
const nameOf = (file: string) => file.replace(/.*\/|(\.(node|credentials))?\.ts$/g, '');

function targetOf(file: string, testFiles: string[]): Target {
	// Where the tests mirror it, for example nodes/site/siteIds
	const path = file.replace('nodes/AquacultureSite/', 'nodes/').replace(/(\.\w+)?\.ts$/, '');
	const folder = PURE_FOLDERS.find((name) => path.startsWith(`nodes/${name}/`));
	const own = folder ? `test/nodes/${folder}/` : `test/${path}.`;
	const starts = [own, ...(OTHER_TESTS[path] ?? [])];
	const tests = testFiles.filter((test) => starts.some((start) => test.startsWith(start)));
	if (tests.length === 0) throw new Error(`No tests are listed for ${file}`);
	return { file, tests };
}

/**
 * All shipped files, or those of some names.
 * @throws Error where there is no file of a name, or where no tests judge a file
 */
export function findTargets(names: string[], quick: boolean): Target[] {
	const testFiles = filesIn('test').filter((file) => file.endsWith('.test.ts'));
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
