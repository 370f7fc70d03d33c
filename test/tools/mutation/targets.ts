import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../n8n/workspace';

/** A shipped file, and the tests that judge it. */
export interface Target {
	file: string;
	tests: string[];
}

/** What can be tested in a few minutes. */
export const QUICK = ['siteIds', 'site', 'baseUrl', 'position'];

const LOGIN_TESTS = ['test/engine/credential/', 'test/engine/isolation.test.ts'];
const RUN_TEST = 'test/engine/run/SiteService.test.ts';
const SESSION_TEST = 'test/engine/run/session.test.ts';
const POLL_TEST = 'test/engine/AquacultureSiteTrigger.test.ts';
const CONDITIONS = 'test/unit/run/conditions.test.ts';
const WIRE_TESTS = 'test/engine/wire/';

/** Their files are judged by all tests of the folder; these take milliseconds. */
const PURE_FOLDERS = ['operations', 'site', 'trigger'];

/** The starts of paths: where else a file shows what it does, besides the tests of its own name. All that happen to run it would take hours. */
const OTHER_TESTS: Record<string, string[]> = {
	'credentials/AquacultureApi': ['test/engine/descriptions.test.ts', ...LOGIN_TESTS, WIRE_TESTS],
	AquacultureSite: ['test/engine/advice.test.ts', 'test/engine/descriptions.test.ts', RUN_TEST],
	AquacultureSiteTrigger: ['test/engine/descriptions.test.ts'],
	nodeErrors: ['test/engine/advice.test.ts', 'test/engine/AquacultureSite.failures.test.ts'],
	'operations/index': ['test/engine/descriptions.test.ts'],
	'operations/operation': ['test/engine/AquacultureSite.test.ts'],
	'run/session': ['test/engine/credential/memory.test.ts'],
	'run/SiteService': [
		CONDITIONS,
		'test/engine/AquacultureSite.',
		'test/engine/AquacultureSiteTrigger.',
		'test/engine/credential/memory.test.ts',
		WIRE_TESTS,
	],
	'service/messages/advice': [
		'test/unit/service/messages/response.test.ts',
		'test/unit/trigger/reports.test.ts',
	],
	'service/http/authorization': [...LOGIN_TESTS, WIRE_TESTS],
	'service/http/credentialTest': ['test/engine/credential/'],
	'service/messages/failures': [
		'test/unit/service/messages/response.test.ts',
		'test/engine/credential/',
	],
	'service/login/login': [...LOGIN_TESTS, WIRE_TESTS, SESSION_TEST],
	'service/messages/networkFailures': ['test/engine/proxy.test.ts', WIRE_TESTS],
	'service/login/pastedText': ['test/unit/service/login/tokens.test.ts', ...LOGIN_TESTS],
	'service/http/request': [...LOGIN_TESTS, WIRE_TESTS, RUN_TEST, 'test/engine/proxy.test.ts'],
	'service/messages/response': ['test/engine/credential/'],
	'service/messages/rules': [
		'test/unit/service/messages/networkFailures.test.ts',
		'test/unit/service/messages/response.test.ts',
		'test/engine/credential/',
		'test/engine/proxy.test.ts',
	],
	'utils/url': ['test/unit/service/'],
	'utils/timer': ['test/unit/run/cancellation.test.ts'],
	'service/login/tokens': [...LOGIN_TESTS, SESSION_TEST],
	'trigger/reading': [POLL_TEST],
	'trigger/state': [POLL_TEST],
};

const filesIn = (folder: string) =>
	readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).map((file) =>
		join(folder, file).replaceAll('\\', '/'),
	);

/** Where the tests mirror a file, for example site/siteIds; its last part is its name. */
const pathOf = (file: string) =>
	file.replace('nodes/AquacultureSite/', '').replace(/(\.\w+)?\.ts$/, '');

function targetOf(file: string, testFiles: string[]): Target {
	const path = pathOf(file);
	const folder = PURE_FOLDERS.find((name) => path.startsWith(`${name}/`));
	const own = folder ? [`test/unit/${folder}/`] : [`test/unit/${path}.`, `test/engine/${path}.`];
	const others = OTHER_TESTS[path] ?? [];
	const missing = others.filter((start) => !testFiles.some((test) => test.startsWith(start)));
	if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}`);
	const tests = testFiles.filter((test) =>
		[...own, ...others].some((start) => test.startsWith(start)),
	);
	if (tests.length === 0) throw new Error(`No tests are listed for ${file}`);
	return { file, tests };
}

/**
 * The shipped files of some names, by default all.
 * @throws Error where there is no file of a name, or of one in the table above, or where no tests judge a file
 */
export function findTargets(names: readonly string[] = []): Target[] {
	const testFiles = filesIn('test').filter((file) => file.endsWith('.test.ts'));
	const all = ['nodes', 'credentials']
		.flatMap(filesIn)
		.filter((file) => file.endsWith('.ts'))
		.map((file) => targetOf(file, testFiles));
	const isNamed = (name: string) => {
		return ({ file }: Target) => `/${pathOf(file)}`.endsWith(`/${name}`);
	};
	const unknown = [...names, ...Object.keys(OTHER_TESTS)].filter(
		(name) => !all.some(isNamed(name)),
	);
	if (unknown.length > 0) {
		const known = all.map(({ file }) => pathOf(file));
		throw new Error(`There is no ${unknown.join(', ')}. Names: ${known.join(', ')}`);
	}
	return all.filter((target) => names.length === 0 || names.some((name) => isNamed(name)(target)));
}
