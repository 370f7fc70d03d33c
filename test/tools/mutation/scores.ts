import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { schema } from '@stryker-mutator/api/core';
import { groupBy } from '../helpers/group-by';
import { markdownTable } from '../helpers/markdown-table';
import type { Target } from './targets';

/** What is known of a shipped file. */
interface Result {
	file: string;
	mutants: schema.MutantResult[];
	/** Neither the file nor any of the tests that judge it has changed since. */
	current: boolean;
}

/** Without its ending: Stryker writes the results as JSON and as HTML. */
export const reportOf = ({ file }: Target) => `reports/mutation/${file.replace(/\.ts$/, '')}`;

/** The result of the last run; undefined where there was none. */
export function readResult(target: Target): Result | undefined {
	const path = `${reportOf(target)}.json`;
	if (!existsSync(path)) return undefined;
	const report = JSON.parse(readFileSync(path, 'utf8')) as schema.MutationTestResult;
	const { files, testFiles = {} } = report;
	const { mutants = [] } = files[target.file] ?? {};
	const current =
		target.tests.every((test) => test in testFiles) &&
		Object.entries({ ...files, ...testFiles }).every(
			([name, { source }]) => existsSync(name) && readFileSync(name, 'utf8') === source,
		);
	return { file: target.file, mutants, current };
}

const isKilled = ({ status }: schema.MutantResult) => status === 'Killed' || status === 'Timeout';
const isAlive = ({ status }: schema.MutantResult) =>
	status === 'Survived' || status === 'NoCoverage';

/** Whether a test noticed it only by not ending. */
const isTimeout = ({ status, statusReason = '' }: schema.MutantResult) =>
	status === 'Timeout' || (status === 'Killed' && statusReason.includes('Exceeded timeout of'));

const mutantsOf = (results: Result[]) => results.flatMap(({ mutants }) => mutants);

export const timeouts = (results: Result[]): number => mutantsOf(results).filter(isTimeout).length;

function tally(results: Result[]) {
	const killed = mutantsOf(results).filter(isKilled).length;
	const all = killed + mutantsOf(results).filter(isAlive).length;
	return { all, killed, score: (100 * killed) / all };
}

/** In percent. */
export const scoreOf = (results: Result[]): number => tally(results).score;

/** The folders and their scores, and the files with a score below the given one, as Markdown. */
export function scoreTable(results: Result[], below = Infinity): string {
	const rowOf = (name: string, of: Result[]) => {
		const { all, killed, score } = tally(of);
		return [name, String(all), String(killed), `${score.toFixed(1)} %`];
	};
	// A file of types has no mutants
	const measured = results.filter((result) => scoreOf([result]) >= 0);
	const rows = [...groupBy(measured, ({ file }) => dirname(file))].flatMap(([folder, own]) => [
		rowOf(`${folder}/`, own),
		...own
			.filter((result) => scoreOf([result]) < below)
			.map((result) => rowOf(basename(result.file), [result])),
	]);
	return markdownTable(
		[['Files', 'Changes', 'Noticed', 'Score'], ...rows, rowOf('All', results)],
		true,
	);
}

const inCell = (text = '') => text.replace(/\s+/g, ' ').slice(0, 80).replaceAll('|', '\\|');

/** The changes that no test notices, and those that a test noticed by not ending, as Markdown. */
export function survivorTable(results: Result[]): string {
	const rows = results.flatMap(({ file, mutants }) =>
		mutants
			.filter((mutant) => isAlive(mutant) || isTimeout(mutant))
			.map((mutant) => [
				`${file}:${mutant.location.start.line}:${mutant.location.start.column}`,
				mutant.mutatorName,
				inCell(mutant.replacement),
				isTimeout(mutant) ? 'Killed by a time limit' : mutant.status,
			]),
	);
	return markdownTable([['Survivor', 'Change', 'To', ''], ...rows]);
}
