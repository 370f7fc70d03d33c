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

/** Files that run without n8n: the tests of their own name judge them, not all that happen to run them. */
const PURE =
	/\/(site\/|trigger\/|service\/(apiVersion|baseUrl|failures|pace|quote|response|retries))/;

/** All other files show only in the whole node or credential what they do. */
const ENGINE_TESTS = [
	'test/nodes/AquacultureSite*.test.ts',
	'test/nodes/descriptions.test.ts',
	'test/nodes/service/SiteService*.test.ts',
	'test/credentials/*.test.ts',
	'test/security/isolation.test.ts',
	'test/wire/*.test.ts',
];

const filesIn = (folder: string) =>
	readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).map((file) =>
		join(folder, file).replaceAll('\\', '/'),
	);

/** For example siteIds of nodes/AquacultureSite/site/siteIds.ts. */
const nameOf = ({ file }: Target) => file.replace(/.*\/|(\.(node|credentials))?\.ts$/g, '');

function targetOf(file: string, testFiles: string[]): Target {
	const path = file.replace('nodes/AquacultureSite/', 'nodes/').replace(/(\.\w+)?\.ts$/, '');
	const own = testFiles.filter(
		(test) => test.startsWith(`test/${path}.`) && test.endsWith('.test.ts'),
	);
	return { file, tests: PURE.test(file) && own.length > 0 ? own : [...own, ...ENGINE_TESTS] };
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
	const unknown = wanted.filter((name) => !all.some((target) => nameOf(target) === name));
	if (unknown.length > 0) {
		throw new Error(`There is no ${unknown.join(', ')}. Names: ${all.map(nameOf).join(', ')}`);
	}
	return wanted.length === 0 ? all : all.filter((target) => wanted.includes(nameOf(target)));
}
