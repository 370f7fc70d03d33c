import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import Table from 'cli-table3';

const jestConfig = require('../../jest.config.js') as Record<string, unknown>;

/** Source files with the tests that judge them: those of their own name, not whatever passes through them. */
interface Room {
	mutate: string[];
	/** Paths of test files. */
	tests: string[];
	/** Whether the tests take the package from dist/. */
	built?: boolean;
}

const pure = (name: string): Room => ({
	mutate: [`nodes/AquacultureSite/${name}.ts`],
	tests: [`test/nodes/${name}.test.ts`],
});

const ROOMS: Record<string, Room> = {
	siteIds: pure('siteIds'),
	baseUrl: pure('baseUrl'),
	site: pure('site'),
	geoJson: pure('geoJson'),
	siteChanges: pure('siteChanges'),
	pace: pure('pace'),
	parameters: pure('parameters'),
	failures: pure('failures'),
	trigger: {
		mutate: [
			'nodes/AquacultureSite/AquacultureSiteTrigger.node.ts',
			'nodes/AquacultureSite/baseline.ts',
		],
		tests: ['test/nodes/AquacultureSiteTrigger.test.ts', 'test/nodes/descriptions.test.ts'],
		built: true,
	},
	node: {
		mutate: ['nodes/AquacultureSite/AquacultureSite.node.ts'],
		tests: [
			'test/nodes/AquacultureSite.test.ts',
			'test/nodes/AquacultureSite.rows-and-maps.test.ts',
			'test/nodes/AquacultureSite.failures.test.ts',
			'test/nodes/descriptions.test.ts',
		],
		built: true,
	},
	service: {
		mutate: ['nodes/AquacultureSite/service.ts'],
		tests: [
			'test/nodes/AquacultureSite.failures.test.ts',
			'test/nodes/AquacultureSite.pace.test.ts',
			'test/nodes/AquacultureSite.test.ts',
			'test/nodes/AquacultureSiteTrigger.test.ts',
			'test/nodes/service.test.ts',
			'test/credentials/AquacultureApi.access.test.ts',
		],
		built: true,
	},
	credentials: {
		mutate: ['credentials/AquacultureApi.credentials.ts'],
		tests: [
			'test/nodes/descriptions.test.ts',
			'test/credentials/*.test.ts',
			'test/isolation.test.ts',
		],
		built: true,
	},
};

/** Done in a few minutes. */
const QUICK = ['siteIds', 'baseUrl', 'site', 'geoJson', 'parameters'];

/** Of the mutants, in percent. */
const KILLED_AT_LEAST = 90;

function optionsOf(name: string, { mutate, tests, built }: Room): PartialStrykerOptions {
	return {
		mutate,
		packageManager: 'npm',
		testRunner: 'jest',
		coverageAnalysis: 'perTest',
		concurrency: Math.min(4, availableParallelism()),
		// Longer than jest lets a test wait, so that a slow machine kills no mutant
		timeoutMS: 45_000,
		plugins: ['@stryker-mutator/jest-runner', resolve(__dirname, 'panelTexts.mjs')],
		ignorers: ['panelTexts'],
		ignorePatterns: ['/docs', '/examples', '/reports', '/coverage', '/.n8n', '/test/e2e'],
		...(built && { buildCommand: 'npm run build' }),
		jest: {
			projectType: 'custom',
			config: {
				...jestConfig,
				testMatch: tests.map((path) => `<rootDir>/${path}`),
				setupFilesAfterEnv: ['<rootDir>/test/mutation/fewCases.ts'],
			},
			enableFindRelatedTests: false,
		},
		reporters: ['html', 'progress-append-only'],
		htmlReporter: { fileName: `reports/mutation/${name}.html` },
		incremental: true,
		incrementalFile: `reports/mutation/${name}.json`,
		allowConsoleColors: false,
	};
}

/** `path:line:column kind: what stands there instead`. */
function survivor({ fileName, location, mutatorName, replacement, status }: MutantResult): string {
	const { line, column } = location.start;
	const text = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 80);
	return `${relative('.', fileName)}:${line}:${column} ${mutatorName}: ${text} (${status})`;
}

const countOf = (results: MutantResult[], ...status: Array<MutantResult['status']>) =>
	results.filter((result) => status.includes(result.status)).length;

function tally(results: MutantResult[]) {
	const killed = countOf(results, 'Killed', 'Timeout');
	const survived = countOf(results, 'Survived', 'NoCoverage');
	return { killed, survived, score: (100 * killed) / (killed + survived) };
}

function rowOf(name: string, results: MutantResult[]): string[] {
	const { killed, survived, score } = tally(results);
	return [name, `${killed + survived}`, `${killed}`, `${survived}`, `${score.toFixed(1)} %`];
}

/**
 * Mutation testing: changes the shipped code in one place after the other, and tells where no test notices.
 * `npm run test:mutation -- siteIds pace` for some rooms alone, `-- --quick` for those that take a few minutes;
 * what has not changed since the last run is not run again. Fails where too many survive.
 */
async function main(names: string[]): Promise<void> {
	// Stryker is an ES module
	const { Stryker } = await import('@stryker-mutator/core');
	const all: MutantResult[] = [];
	for (const name of names) {
		const room = ROOMS[name];
		if (!room) throw new Error(`No room ${name}; there are ${Object.keys(ROOMS).join(', ')}`);
		all.push(...(await new Stryker(optionsOf(name, room)).runMutationTest()));
	}

	const table = new Table({
		head: ['File', 'Mutants', 'Killed', 'Survived', 'Score'],
		style: { head: [], border: [] },
	});
	for (const file of new Set(all.map(({ fileName }) => fileName))) {
		const own = all.filter(({ fileName }) => fileName === file);
		table.push(rowOf(relative('.', file), own));
	}
	table.push(rowOf('All', all));
	const alive = all.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
	console.log([...alive.map(survivor), table.toString()].join('\n'));
	if (!(tally(all).score >= KILLED_AT_LEAST)) {
		throw new Error(`Less than ${KILLED_AT_LEAST} % of the mutants were killed.`);
	}
}

const { values, positionals } = parseArgs({
	options: { quick: { type: 'boolean', default: false } },
	allowPositionals: true,
});
const chosen = values.quick ? QUICK : positionals;
main(chosen.length > 0 ? chosen : Object.keys(ROOMS)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
