import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { markdownTable } from 'markdown-table';
import { groupBy } from '../helpers/group-by';
import type { Target } from './targets';

/** One change, as Stryker's report has it. */
interface Mutant {
	location: { start: { line: number; column: number } };
	mutatorName: string;
	replacement?: string;
	status: string;
	statusReason?: string;
}

interface Report {
	files: Record<string, { source: string; mutants: Mutant[] }>;
	testFiles?: Record<string, { source?: string }>;
}

/** What is known of a shipped file. */
export interface Result {
	file: string;
	mutants: Mutant[];
	/** Neither the file nor any of the tests that judge it has changed since. */
	current: boolean;
}

/** Without its ending: Stryker writes the results as JSON and as HTML. */
export const reportOf = ({ file }: Target) => `reports/mutation/${file.replace(/\.ts$/, '')}`;

/** The result of the last run; undefined where there was none. */
export function readResult(target: Target): Result | undefined {
	const path = `${reportOf(target)}.json`;
	if (!existsSync(path)) return undefined;
	const { files, testFiles = {} } = JSON.parse(readFileSync(path, 'utf8')) as Report;
	const { source, mutants = [] } = files[target.file] ?? {};
	const sources = [
		[target.file, source],
		...Object.entries(testFiles).map(([name, test]) => [name, test.source]),
	];
	const isSame = ([name = '', text]: Array<string | undefined>) =>
		existsSync(name) && readFileSync(name, 'utf8') === text;
	const current = target.tests.every((test) => test in testFiles) && sources.every(isSame);
	return { file: target.file, mutants, current };
}

const isKilled = ({ status }: Mutant) => status === 'Killed' || status === 'Timeout';
const isAlive = ({ status }: Mutant) => status === 'Survived' || status === 'NoCoverage';

const isTimeout = ({ status, statusReason = '' }: Mutant) =>
	status === 'Timeout' || (status === 'Killed' && statusReason.includes('Exceeded timeout of'));

function tally(mutants: Mutant[]) {
	const [killed, alive] = [mutants.filter(isKilled).length, mutants.filter(isAlive).length];
	return { killed, alive, score: (100 * killed) / (killed + alive) };
}

function scoreRow(name: string, mutants: Mutant[]): string[] {
	const { killed, alive, score } = tally(mutants);
	return [name, ...[killed + alive, killed].map(String), `${score.toFixed(1)} %`];
}

const mutantsOf = (results: Result[]) => results.flatMap(({ mutants }) => mutants);

/** In percent. */
export const scoreOf = (results: Result[]): number => tally(mutantsOf(results)).score;

const toTable = (rows: string[][]) =>
	markdownTable([['Files', 'Changes', 'Noticed', 'Score'], ...rows], {
		align: ['l', 'r', 'r', 'r'],
	});

// A file of types has no mutants
const withMutants = (results: Result[]) =>
	results.filter(({ mutants }) => mutants.some((m) => isKilled(m) || isAlive(m)));

/** The files and their scores, as Markdown. */
export function scoreTable(results: Result[]): string {
	const rows = withMutants(results).map(({ file, mutants }) => scoreRow(file, mutants));
	return toTable([...rows, scoreRow('All', mutantsOf(results))]);
}

/** The folders and their scores, and the files with a score below the required one, as Markdown. */
export function folderTable(results: Result[], required: number): string {
	const folders = groupBy(withMutants(results), ({ file }) => dirname(file));
	const rows = [...folders].flatMap(([folder, own]) => [
		scoreRow(`${folder}/`, mutantsOf(own)),
		...own
			.filter((result) => scoreOf([result]) < required)
			.map(({ file, mutants }) => scoreRow(basename(file), mutants)),
	]);
	return toTable([...rows, scoreRow('All', mutantsOf(results))]);
}

/** How many changes were noticed by a test that did not end in time. */
export const timeouts = (results: Result[]): number => mutantsOf(results).filter(isTimeout).length;

const inCell = (text = '') => text.replace(/\s+/g, ' ').slice(0, 80).replaceAll('|', '\\|');

/** The changes that no test notices, and those that a test noticed by not ending, as Markdown. */
export function survivorTable(results: Result[]): string {
	const rows = results.flatMap(({ file, mutants }) =>
		mutants
			.filter((mutant) => isAlive(mutant) || isTimeout(mutant))
			.map(({ location: { start }, mutatorName, replacement, status }) => [
				`${file}:${start.line}:${start.column}`,
				mutatorName,
				inCell(replacement),
				isAlive({ status } as Mutant) ? status : 'Killed by a time limit',
			]),
	);
	return markdownTable([['Survivor', 'Change', 'To', ''], ...rows]);
}
