import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from 'jest';
import { BLOCKS, writeBlock } from '../helpers/document';
import { count } from '../helpers/numbers';
import { readResult, reportOf, scoreOf, scoreTable, survivorTable, timeouts } from './scores';
import { findTargets, QUICK, type Target } from './targets';

const require = createRequire(__filename);
const jestConfig = require('../../../jest.config.js') as Config;
const { version } = require('../../../package.json') as { version: string };

/** Of the mutants, in percent. */
const KILLED_AT_LEAST = 95;

function optionsOf(target: Target): object {
	return {
		mutate: [target.file],
		packageManager: 'npm',
		testRunner: 'jest',
		coverageAnalysis: 'perTest',
		concurrency: Math.min(4, availableParallelism()),
		// Longer than a test may take, so that only a loop that never yields gets here
		timeoutMS: 30_000,
		plugins: ['@stryker-mutator/jest-runner', resolve(__dirname, 'panelTexts.mjs')],
		ignorers: ['panelTexts'],
		ignorePatterns: ['/examples', '/reports', '/coverage', '/.n8n', '/test/n8n', '/test/tools/n8n'],
		// Many tests take the package from dist/
		buildCommand: 'gulp build',
		jest: {
			projectType: 'custom',
			config: {
				...jestConfig,
				// Of tests that run no n8n, which take milliseconds
				testTimeout: 8000,
				// Stryker cannot load the one that is written in TypeScript
				testEnvironment: 'node',
				testRunner: '<rootDir>/test/tools/mutation/jest-circus-bail.js',
				testSequencer: '<rootDir>/test/tools/mutation/cheapest-first.js',
				testMatch: target.tests.map((path) => `<rootDir>/${path}`),
				setupFilesAfterEnv: [
					...(jestConfig.setupFilesAfterEnv ?? []),
					'<rootDir>/test/tools/mutation/fewCases.ts',
				],
			},
			enableFindRelatedTests: false,
		},
		reporters: ['html', 'progress-append-only'],
		htmlReporter: { fileName: `${reportOf(target)}.html` },
		// Of what has not changed since, the last result stands
		incremental: true,
		incrementalFile: `${reportOf(target)}.json`,
		warnings: { slow: false },
		allowConsoleColors: false,
	};
}

async function run(targets: Target[]): Promise<void> {
	// Stryker is an ES module
	const { Stryker } = await import('@stryker-mutator/core');
	execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
	for (const target of targets) {
		console.log(`${target.file}, judged by ${target.tests.join(', ')}`);
		try {
			await new Stryker(optionsOf(target)).runMutationTest();
		} catch (error) {
			// Its tests fail without a mutant; the other files can still be measured
			console.error(String(error));
			process.exitCode = 1;
		}
	}
}

const resultsOf = (targets: Target[]) => targets.flatMap((target) => readResult(target) ?? []);

/** What is in the document. */
function report(): string {
	const targets = findTargets();
	const results = resultsOf(targets);
	const unmeasured = targets.length - results.length;
	const changed = results.filter(({ current }) => !current).length;
	const notes = [
		`Version ${version}, ${new Date().toISOString().slice(0, 10)}. ${timeouts(results)} of the changes were noticed only because a test ran into its time limit.`,
		...(unmeasured > 0 ? [`${count(unmeasured, 'file')} not measured yet.`] : []),
		...(changed > 0 ? [`${count(changed, 'file')} changed since, or their tests.`] : []),
	];
	return `${scoreTable(results, KILLED_AT_LEAST)}\n\n${notes.join(' ')}`;
}

/**
 * Mutation testing: changes the shipped code in one place at a time and reports where no test notices.
 * `npm run test:mutation -- siteIds retry` for some files, `-- --quick` for those that take a few minutes. What has not
 * changed since the last run is not run again; `--last` runs nothing. `--write` writes the scores of all files to
 * docs/reliability.md. Fails where too many survive.
 */
async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: {
			quick: { type: 'boolean', default: false },
			last: { type: 'boolean', default: false },
			write: { type: 'boolean', default: false },
		},
		allowPositionals: true,
	});
	const targets = findTargets(values.quick ? QUICK : positionals);
	if (!values.last) await run(targets.filter((target) => !readResult(target)?.current));

	const results = resultsOf(targets);
	console.log(`\n${survivorTable(results)}\n\n${scoreTable(results)}`);
	console.log(`\n${timeouts(results)} killed by a time limit`);
	if (values.write) writeBlock(BLOCKS.mutation, report());
	if (!(scoreOf(results) >= KILLED_AT_LEAST)) {
		throw new Error(`Less than ${KILLED_AT_LEAST} % of the mutants were killed`);
	}
}

main().catch((error: unknown) => {
	console.error(String(error));
	process.exitCode = 1;
});
