import { cpus } from 'node:os';
import { markdownTable } from 'markdown-table';
import { at, defined } from '../helpers/at';
import { count, megabytes } from '../helpers/numbers';
import { AQUACULTURE_SITE, BARE_HELPER } from './callers';
import { type Group, leastRatio, VERY_LARGE } from './cases';
import type { AftermathRun, LimitedRun } from './limits';
import type { CaseResult } from './measure';
import type { PackageWeight } from './package-weight';
import type { VeryLargeRun } from './very-large';

export interface Findings {
	/** What was run, and with what. */
	source: string;
	/** The load average of the machine before the start. */
	loadBefore: number;
	matrix: CaseResult[];
	lowerLimit: CaseResult[];
	limited: LimitedRun[];
	after: AftermathRun[];
	groups: Array<{ group: Group; results: CaseResult[] }>;
	veryLarge: VeryLargeRun[];
	weight: PackageWeight;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const ratio = (value: number) => value.toFixed(2);
const time = (ms: number) => (ms < 1000 ? `${whole(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
const yesOrNo = (reached: boolean) => (reached ? 'yes' : '**no**');

/** The first columns are text, the others numbers. */
const table = (head: string[], rows: string[][], textColumns = 1) =>
	markdownTable([head, ...rows], {
		align: head.map((_, column) => (column < textColumns ? '' : 'right')),
	});

const toHttp = ({ rows }: CaseResult) => at(rows, 1).ratio;
const isFastEnough = (result: CaseResult) =>
	toHttp(result) >= leastRatio(result.case.setting) && at(result.rows, 0).failed === 0;

/** A row for each distance, a column for each number of items. */
function matrixTable(matrix: CaseResult[], cellOf: (result: CaseResult) => string): string {
	const values = (field: 'items' | 'latency') => [
		...new Set(matrix.map(({ case: { setting } }) => setting[field] ?? 0)),
	];
	const head = ['Latency', ...values('items').map((items) => count(items, 'item'))];
	const rows = values('latency').map((latency) => {
		const own = matrix.filter(({ case: { setting } }) => setting.latency === latency);
		return [`${latency} ms`, ...own.map(cellOf)];
	});
	return table(head, rows);
}

function matrixSection(matrix: CaseResult[]): string {
	const rounds = matrix.map((result) => result.case.rounds);
	return `## Distance

HTTP Request's time divided by Aquaculture Site's, the median of ${Math.min(...rounds)} to ${Math.max(...rounds)} rounds: 2.00 is twice as fast. Bold: below the goal.

${matrixTable(matrix, (result) => (isFastEnough(result) ? ratio(toHttp(result)) : `**${ratio(toHttp(result))}**`))}

Aquaculture Site's time:

${matrixTable(matrix, ({ rows }) => time(at(rows, 0).milliseconds))}`;
}

function limitsSection(limited: LimitedRun[]): string {
	const head = 'Limit,Retry-After,Run,Sites,Refused,Time / the limit’s own'.split(',');
	const rows = limited.map(({ limit, hasRetryAfter, isAgain, ...run }) => [
		limit.title,
		hasRetryAfter ? 'yes' : 'no',
		isAgain ? 'again' : 'first',
		`${run.sites} of ${limit.items}`,
		whole(run.refused),
		ratio(run.time),
	]);
	return `## Rate limits

The service refuses whatever is beyond its limit, with status 429 unless the row says otherwise. Each run finds the limit by itself; "again" is the same run in the same n8n, a few seconds later.

${table(head, rows, 4)}`;
}

function aftermathSection(after: AftermathRun[]): string {
	const rows = after.map(({ title, milliseconds, ratio: times }) => [
		title,
		time(milliseconds),
		ratio(times),
	]);
	return `## The next run

A run in which nothing is refused, right after one in which something was. Each is the median of three.

${table(['Run', 'Time', 'Time / that of a run with nothing before it'], rows)}`;
}

function sectionOf({ group, results }: Findings['groups'][number]): string {
	const head = 'Case,Caller,Rounds,Time,Per item,Ratio,Requests,Logins,Failed items'.split(',');
	const rows = results.flatMap(({ case: { title, setting, rounds }, rows: measured }) =>
		measured.map((row) => [
			title,
			row.caller.title,
			whole(rounds),
			time(row.milliseconds),
			`${(row.milliseconds / setting.items).toFixed(2)} ms`,
			ratio(row.ratio),
			...[row.requests, row.logins, row.failed].map(whole),
		]),
	);
	return [`## ${group.title}`, group.about, table(head, rows, 2)].join('\n\n');
}

const growth = ({ memoryBefore, peakMemory }: VeryLargeRun) => peakMemory - memoryBefore;

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

type Goal = [goal: string, measured: string, reached: boolean];

const atMost = (goal: string, most: number, value: number, unit = ''): Goal => [
	`${goal}: at most ${most}${unit}`,
	`${Number.isInteger(value) ? whole(value) : ratio(value)}${unit}`,
	value <= most,
];

function loadGoals(results: CaseResult[]): Goal[] {
	const own = results.map(({ case: one, rows }) => ({ ...one, row: at(rows, 0) }));
	// At less than 30 ms, n8n itself is too slow to have all of them in flight
	const distant = own.filter(({ setting }) => (setting.latency ?? 0) >= 30);
	const judged = own.filter(({ setting }) => setting.items === 1000 && setting.latency === 200);
	return [
		atMost(
			'requests before the first response',
			64,
			Math.max(...distant.map(({ row }) => row.firstBurst)),
		),
		atMost('requests in flight', 128, Math.max(...distant.map(({ row }) => row.mostInFlight))),
		...judged.slice(0, 1).map(({ row }): Goal => {
			const share = row.meanInFlight / 128;
			const goal = '1,000 items, 200 ms: mean in flight, of the most allowed: at least 0.90';
			return [goal, ratio(share), share >= 0.9];
		}),
	];
}

function veryLargeGoals(runs: VeryLargeRun[]): Goal[] {
	const of = (caller: object) => runs.find((run) => run.caller === caller);
	const [own, bare] = [of(AQUACULTURE_SITE), of(BARE_HELPER)];
	if (!own || !bare) return [];
	const name = `${whole(VERY_LARGE)} items`;
	return [
		atMost(`${name}: /healthz`, 500, Math.round(own.slowestHealthCheck), ' ms'),
		atMost(
			`${name}: memory that n8n needs more, of the bare helper's`,
			1.15,
			growth(own) / growth(bare),
		),
	];
}

function loginGoals(groups: Findings['groups']): Goal[] {
	const results = groups.flatMap((group) => group.results);
	return (['valid', 'cold', 'expired', 'wrong password'] as const).map((token): Goal => {
		const own = results.filter(({ case: { setting } }) => (setting.token ?? 'valid') === token);
		const most = Math.max(...own.map(({ rows }) => at(rows, 0).logins));
		const goal = token === 'valid' ? 0 : 1;
		const name = token === 'wrong password' ? token : `${token} token`;
		return [`${name}: ${count(goal, 'login')} per run`, whole(most), most === goal];
	});
}

function repeatGoal(groups: Findings['groups']): Goal[] {
	const results = groups.flatMap((group) => group.results);
	const own = defined(results.find(({ case: { setting } }) => setting.sites !== undefined));
	return [atMost('500 items over 12 sites: requests', 12, at(own.rows, 0).requests)];
}

/** What the package must reach, beside what was measured. */
function goalsTable(findings: Findings): string {
	const { matrix, lowerLimit, limited, after, groups, veryLarge, weight } = findings;
	const reached = matrix.filter(isFastEnough).length;
	const goals: Goal[] = [
		[
			'as fast as HTTP Request, or faster, at any distance: all cells',
			`${reached} of ${matrix.length}`,
			reached === matrix.length,
		],
		...lowerLimit.map(({ case: { title }, rows }) =>
			atMost(`${title}: the bare helper's time x`, 1.05, 1 / at(rows, 1).ratio),
		),
		...loadGoals([...matrix, ...lowerLimit]),
		...limited.map(({ limit, hasRetryAfter, isAgain, sites, refused, time: share }): Goal => {
			const name = `${limit.title}${hasRetryAfter ? '' : ', no Retry-After'}${isAgain ? ', again' : ''}`;
			const { mostRefused: most, mostTime } = limit;
			const isKept = sites === limit.items && refused <= most && share <= mostTime;
			return [
				`${name}: all sites, at most ${most} refused, time x ${mostTime}`,
				`${sites}, ${refused}, ${ratio(share)}`,
				isKept,
			];
		}),
		...after.map(({ title, ratio: times }) => atMost(`${title}: a fresh run's time x`, 2, times)),
		...loginGoals(groups),
		...repeatGoal(groups),
		...veryLargeGoals(veryLarge),
		atMost('packed', 60, weight.packed / 1000, ' kB'),
		atMost('both nodes and the credential load after n8n-workflow in', 30, weight.loading, ' ms'),
	];
	return table(
		['Goal', 'Measured', 'Reached'],
		goals.map(([goal, measured, isReached]) => [goal, measured, yesOrNo(isReached)]),
	);
}

export function reportOf(findings: Findings): string {
	const { source, loadBefore, matrix, limited, after, groups, veryLarge, weight } = findings;
	const processors = cpus();
	return [
		`Generated by ${source}, package version ${weight.version}, on ${processors.length} cores
(${at(processors, 0).model.trim()}). Other programs kept ${loadBefore.toFixed(1)} of the cores busy when it started.`,
		matrixSection(matrix),
		'## Goals',
		goalsTable(findings),
		limitsSection(limited),
		aftermathSection(after),
		...groups.map(sectionOf),
		...(veryLarge.length > 0 ? [veryLargeSection(veryLarge)] : []),
	].join('\n\n');
}
