import { cpus } from 'node:os';
import { markdownTable } from 'markdown-table';
import { at } from '../helpers/at';
import { count, megabytes } from '../helpers/numbers';
import { BARE_HELPER, type Caller, HTTP_REQUEST } from './callers';
import { type Group, minimumTimeMs, VERY_LARGE } from './cases';
import type { CaseResult } from './measure';
import type { PackageWeight } from './package-weight';
import type { VeryLargeRun } from './very-large';

export interface Findings {
	command: string;
	n8nVersion: string;
	nodeVersion: string;
	/** The load average of the machine before the start. */
	loadBefore: number;
	groups: Array<{ group: Group; results: CaseResult[] }>;
	veryLarge: VeryLargeRun[];
	weight: PackageWeight;
}

/** How much of n8n's response a note shows. */
const REASON_LENGTH = 200;

const whole = (value: number) => Math.round(value).toLocaleString('en');
const time = (ms: number) => (ms < 1000 ? `${whole(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

/** The first columns are text, the others numbers. */
const table = (head: string[], rows: string[][], textColumns = 1) =>
	markdownTable([head, ...rows], {
		align: head.map((_, column) => (column < textColumns ? '' : 'right')),
	});

/** What was measured in one group, as Markdown. */
export function sectionOf({ group, results }: Findings['groups'][number]): string {
	const head = 'Case,Caller,Rounds,Time,Per item,Ratio,Requests,Logins,Failed items'.split(',');
	const rows = results.flatMap(({ case: { title, setting, rounds }, rows: measured }) =>
		measured.map((row) => [
			title,
			row.caller.title,
			whole(rounds),
			time(row.milliseconds),
			`${(row.milliseconds / setting.items).toFixed(2)} ms`,
			row.ratio.toFixed(2),
			...[row.requests, row.logins, row.failed].map(whole),
		]),
	);
	const notes = results.flatMap(({ case: { title }, unfinished }) =>
		[...unfinished].map(
			([caller, reason]) =>
				`${title}: ${caller.title} did not finish: ${reason.slice(0, REASON_LENGTH)}`,
		),
	);
	return [`## ${group.title}`, group.about, table(head, rows, 2), ...notes].join('\n\n');
}

function veryLargeSection(runs: VeryLargeRun[]): string {
	const head =
		'Time,Failed items,Slowest /healthz,Slowest REST call,Refused,Memory before,Peak memory';
	const rows = runs.map((run) => [
		run.caller.title,
		time(run.milliseconds),
		whole(run.failed),
		time(run.slowestHealthCheck),
		time(run.slowestRestCall),
		whole(run.refusals),
		megabytes(run.memoryBefore),
		megabytes(run.peakMemory),
	]);
	return `## A very large run

Each run uses an n8n process of its own. During the run, the health check and REST API of that n8n are called
continuously. Peak memory is that of the whole n8n process, including saving the execution.

${table([`${whole(VERY_LARGE)} items`, ...head.split(',')], rows)}`;
}

/** Not a number, and so no goal reached, where the caller did not finish. */
const ratioOf = ({ rows }: CaseResult, caller: Caller): number =>
	rows.find((row) => row.caller === caller)?.ratio ?? NaN;

type Goal = [goal: string, measured: string, reached: boolean];

/** What a case says about the goals of the package. */
function goalsOf(result: CaseResult): Goal[] {
	const { title, setting, fasterThanHttpRequest: least } = result.case;
	const goals: Goal[] = [];
	const { sites, milliseconds } = at(result.rows, 0);
	if (least !== undefined) {
		const where = `${title}, ${setting.latency ?? 0} ms`;
		const toBare = 1 / ratioOf(result, BARE_HELPER);
		const toHttp = ratioOf(result, HTTP_REQUEST);
		goals.push(
			[`${where}: at most 1.2 x the bare helper's time`, `${toBare.toFixed(2)} x`, toBare <= 1.2],
			[
				`${where}: at least ${least} x as fast as HTTP Request`,
				`${toHttp.toFixed(2)} x`,
				toHttp >= least,
			],
		);
	}
	if (setting.perSecond !== undefined) {
		const share = milliseconds / minimumTimeMs(setting.items);
		goals.push([
			'rate-limited service: all items, in at most 1.15 x the theoretical minimum time',
			`${whole(sites)} of ${whole(setting.items)}, ${share.toFixed(2)} x`,
			sites === setting.items && share <= 1.15,
		]);
	}
	return goals;
}

/** What the package must reach, beside what was measured. */
function goalsTable({ groups, weight }: Findings): string {
	const results = groups.flatMap((group) => group.results);
	const logins = (['valid', 'cold', 'expired', 'wrong password'] as const).map((token): Goal => {
		const own = results.filter(({ case: { setting } }) => (setting.token ?? 'valid') === token);
		const most = Math.max(...own.map(({ rows }) => at(rows, 0).logins));
		const goal = token === 'valid' ? 0 : 1;
		const name = token === 'wrong password' ? token : `${token} token`;
		return [`${name}: ${count(goal, 'login')} per run`, whole(most), most === goal];
	});
	const goals: Goal[] = [
		...results.flatMap(goalsOf),
		...logins,
		[
			'package size: at most 40 kB packed',
			`${(weight.size / 1000).toFixed(1)} kB`,
			weight.size <= 40_000,
		],
		[
			'both nodes and the credential load in at most 20 ms, not counting n8n-workflow',
			`${weight.loading.toFixed(1)} ms`,
			weight.loading <= 20,
		],
	];
	return table(
		['Goal', 'Measured', 'Reached'],
		goals.map(([goal, measured, reached]) => [goal, measured, reached ? 'yes' : 'no']),
	);
}

/** The whole report, as Markdown. */
export function reportOf(findings: Findings): string {
	const { command, n8nVersion, nodeVersion, loadBefore, groups, veryLarge, weight } = findings;
	const processors = cpus();
	return [
		`Generated by \`${command}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${n8nVersion} on Node.js ${nodeVersion}, package version ${weight.version}, on ${processors.length} cores
(${at(processors, 0).model.trim()}). Other programs kept ${loadBefore.toFixed(1)} of the cores busy when it started.`,
		'## Goals',
		goalsTable(findings),
		...groups.map(sectionOf),
		...(veryLarge.length > 0 ? [veryLargeSection(veryLarge)] : []),
	].join('\n\n');
}
