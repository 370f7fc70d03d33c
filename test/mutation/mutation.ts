import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from 'jest';
import { markdownTable } from 'markdown-table';
import type { MutantResult } from '@stryker-mutator/core';
import { findTargets, type Target } from './targets';

const jestConfig = createRequire(__filename)('../../jest.config.js') as Config;

/** Of the mutants, in percent. */
const KILLED_AT_LEAST = 95;

function optionsOf({ file, tests }: Target): object {
	const report = `reports/mutation/${file.replace(/\.ts$/, '')}`;
	return {
		mutate: [file],
		packageManager: 'npm',
		testRunner: 'jest',
		coverageAnalysis: 'perTest',
		concurrency: Math.min(4, availableParallelism()),
		// Longer than jest lets a test wait, so that a slow machine kills no mutant
		timeoutMS: 45_000,
		plugins: ['@stryker-mutator/jest-runner', resolve(__dirname, 'panelTexts.mjs')],
		ignorers: ['panelTexts'],
		ignorePatterns: ['/docs', '/examples', '/reports', '/coverage', '/.n8n', '/test/e2e'],
		// Many tests take the package from dist/
		buildCommand: 'npm run build',
		jest: {
			projectType: 'custom',
			config: {
				...jestConfig,
				testTimeout: 5000,
				// Stryker cannot load the one that is written in TypeScript
				testEnvironment: 'node',
				testMatch: tests.map((path) => `<rootDir>/${path}`),
				setupFilesAfterEnv: [
					...(jestConfig.setupFilesAfterEnv ?? []),
					'<rootDir>/test/mutation/fewCases.ts',
				],
			},
			enableFindRelatedTests: false,
		},
		reporters: ['html', 'progress-append-only'],
		htmlReporter: { fileName: `${report}.html` },
		incremental: true,
		incrementalFile: `${report}.json`,
		allowConsoleColors: false,
	};
}

const isKilled = ({ status }: MutantResult) => status === 'Killed' || status === 'Timeout';
const isAlive = ({ status }: MutantResult) => status === 'Survived' || status === 'NoCoverage';

function tally(results: MutantResult[]) {
	const [killed, alive] = [results.filter(isKilled).length, results.filter(isAlive).length];
	return { killed, alive, score: (100 * killed) / (killed + alive) };
}

function scoreRow(name: string, results: MutantResult[]): string[] {
	const { killed, alive, score } = tally(results);
	return [name, ...[killed + alive, killed, alive].map(String), `${score.toFixed(1)} %`];
}

function survivorRow({ fileName, location, mutatorName, replacement, status }: MutantResult) {
	const { line, column } = location.start;
	const text = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 80).replaceAll('|', '\\|');
	return [`${relative('.', fileName)}:${line}:${column}`, mutatorName, text, status];
}

/**
 * Mutation testing: changes the shipped code in one place at a time and reports where no test notices.
 * `npm run test:mutation -- siteIds pace` for some files, `-- --quick` for those that take a few minutes. What has not
 * changed since the last run is not run again. Fails where too many survive.
 */
async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { quick: { type: 'boolean', default: false } },
		allowPositionals: true,
	});
	// Stryker is an ES module
	const { Stryker } = await import('@stryker-mutator/core');
	const byFile = new Map<string, MutantResult[]>();
	for (const target of findTargets(positionals, values.quick)) {
		console.log(`${target.file}, judged by ${target.tests.join(', ')}`);
		const results = await new Stryker(optionsOf(target)).runMutationTest();
		// A file of types has no mutants
		if (results.length > 0) byFile.set(target.file, results);
	}
	const all = [...byFile.values()].flat();
	const survivors = markdownTable([
		['Survivor', 'Change', 'To', ''],
		...all.filter(isAlive).map(survivorRow),
	]);
	const scores = markdownTable(
		[
			['File', 'Mutants', 'Killed', 'Survived', 'Score'],
			...[...byFile].map(([file, results]) => scoreRow(file, results)),
			scoreRow('All', all),
		],
		{ align: ['l', 'r', 'r', 'r', 'r'] },
	);
	console.log(`\n${survivors}\n\n${scores}`);
	if (!(tally(all).score >= KILLED_AT_LEAST)) {
		throw new Error(`Less than ${KILLED_AT_LEAST} % of the mutants were killed`);
	}
}

main().catch((error: unknown) => {
	console.error(String(error));
	process.exitCode = 1;
});
