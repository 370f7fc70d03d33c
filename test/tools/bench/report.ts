import { cpus } from 'node:os';
import { at } from '../helpers/at';
import { groupBy } from '../helpers/group-by';
import { markdownTable } from '../helpers/markdown-table';
import { count, megabytes } from '../helpers/numbers';
import { AQUACULTURE_SITE, BARE_HELPER } from './callers';
import { leastRatio, VERY_LARGE } from './cases';
import type { AftermathRun, LimitedRun } from './limits';
import type { CaseResult, Row } from './measure';
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
	/** With other tokens, and with repeated sites. */
	others: CaseResult[];
	veryLarge: VeryLargeRun[];
	weight: PackageWeight;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const ratio = (value: number) => value.toFixed(2);
const time = (ms: number) => (ms < 1000 ? `${whole(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
/** Bold if a goal was not reached. */
const judge = (text: string, isReached: boolean) => (isReached ? text : `**${text}**`);

/** The first column is text, the others are numbers. */
const table = (head: string[], rows: string[][]) => markdownTable([head, ...rows], true);

type Cell = [row: string, column: string, text: string];

/** The rows and the columns in the order in which the cells name them. */
function pivot(corner: string, cells: Cell[]): string {
	const columns = [...groupBy(cells, ([, column]) => column).keys()];
	const rows = [...groupBy(cells, ([row]) => row)].map(([row, own]) => {
		const texts = new Map(own.map(([, column, text]) => [column, text]));
		return [row, ...columns.map((column) => texts.get(column) ?? '')];
	});
	return table([corner, ...columns], rows);
}

const toHttp = ({ rows }: CaseResult) => at(rows, 1).ratio;
const isFastEnough = (result: CaseResult) =>
	toHttp(result) >= leastRatio(result.case.setting) && at(result.rows, 0).failed === 0;

function matrixSection(matrix: CaseResult[]): string {
	const rounds = matrix.map((result) => result.case.rounds);
	const cells = matrix.map((result): Cell => {
		const { latency = 0, items } = result.case.setting;
		const speed = judge(ratio(toHttp(result)), isFastEnough(result));
		const text = `${speed} (${time(at(result.rows, 0).milliseconds)})`;
		return [`${latency} ms`, count(items, 'item'), text];
	});
	return `## Distance

HTTP Request's time divided by Aquaculture Site's in the same round, the median of ${Math.min(...rounds)} to ${Math.max(...rounds)} rounds: 2.00 is twice as fast. In parentheses, Aquaculture Site's time.

${pivot('Latency', cells)}`;
}

const isWithinBounds = ({ limit, sites, refused, time: times }: LimitedRun) =>
	sites === limit.items && refused <= limit.mostRefused && times <= limit.mostTime;

function limitsSection(limited: LimitedRun[]): string {
	const cells = limited.flatMap((run): Cell[] => {
		const { title, items, mostRefused, mostTime } = run.limit;
		const lost = run.sites < items ? `, ${items - run.sites} sites lost` : '';
		const seen = `${whole(run.refused)}, ${ratio(run.time)}${lost}`;
		return [
			[title, 'Sites', whole(items)],
			[title, 'At most', `${whole(mostRefused)}, ${ratio(mostTime)}`],
			[title, run.kind, judge(seen, isWithinBounds(run))],
		];
	});
	return `## Rate limits

How many requests were refused, and how many times as long as the limit itself the run took. The service refuses every request above the limit, with status 429 unless the row says otherwise. Each run finds the limit by itself; "again" is the same run in the same n8n, a few seconds later.

${pivot('Limit', cells)}`;
}

function callerCell({ milliseconds, requests, logins, failed }: Row): string {
	const counts = [count(requests, 'request'), count(logins, 'login')];
	return [time(milliseconds), ...counts, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ');
}

function othersSection(others: CaseResult[]): string {
	const cells = others.flatMap(({ case: { title }, rows }) =>
		rows.map((row): Cell => [title, row.caller.title, callerCell(row)]),
	);
	return `## Logins and repeated sites

n8n has no token (cold), or one that the service no longer accepts (expired). Too many rejected logins lock an account.

${pivot('Case', cells)}`;
}

const growth = ({ memoryBefore, peakMemory }: VeryLargeRun) => peakMemory - memoryBefore;

function veryLargeSection(runs: VeryLargeRun[]): string {
	const head = 'Time,Slowest /healthz,Slowest REST call,Memory before,Peak memory';
	const rows = runs.map((run) => [
		run.caller.title,
		`${time(run.milliseconds)}${run.failed > 0 ? `, ${whole(run.failed)} failed` : ''}`,
		time(run.slowestHealthCheck),
		`${time(run.slowestRestCall)}${run.refusals > 0 ? `, ${whole(run.refusals)} refused` : ''}`,
		megabytes(run.memoryBefore),
		megabytes(run.peakMemory),
	]);
	return `## A very large run

Each run uses an n8n process of its own, whose health check and REST API are called continuously. Peak memory is that of the whole process, including saving the execution.

${table([`${whole(VERY_LARGE)} items`, ...head.split(',')], rows)}`;
}

type Goal = [goal: string, measured: string, reached: boolean];

const atMost = (goal: string, most: number, value: number, unit = ''): Goal => [
	`${goal}: at most ${most}${unit}`,
	`${Number.isInteger(value) ? whole(value) : ratio(value)}${unit}`,
	value <= most,
];

function allOf<T>(goal: string, results: T[], isReached: (result: T) => boolean): Goal {
	const reached = results.filter(isReached).length;
	return [goal, `${reached} of ${results.length}`, reached === results.length];
}

function loadGoals(results: CaseResult[]): Goal[] {
	const own = results.map(({ case: { setting }, rows }) => ({ ...setting, ...at(rows, 0) }));
	// At less than 30 ms, n8n itself is too slow to have all of them in flight
	const distant = own.filter(({ latency = 0 }) => latency >= 30);
	const burst = Math.max(...distant.map(({ firstBurst }) => firstBurst));
	const inFlight = Math.max(...distant.map(({ mostInFlight }) => mostInFlight));
	const goals = [
		atMost('requests before the first response', 64, burst),
		atMost('requests in flight', 128, inFlight),
	];
	const judged = own.find(({ items, latency }) => items === 1000 && latency === 200);
	if (!judged) return goals;
	const share = judged.meanInFlight / 128;
	const goal = '1,000 items, 200 ms: mean in flight, of the most allowed: at least 0.90';
	return [...goals, [goal, ratio(share), share >= 0.9]];
}

function veryLargeGoals(runs: VeryLargeRun[]): Goal[] {
	const of = (caller: object) => runs.find((run) => run.caller === caller);
	const [own, bare] = [of(AQUACULTURE_SITE), of(BARE_HELPER)];
	if (!own || !bare) return [];
	const name = `${whole(VERY_LARGE)} items`;
	const memory = growth(own) / growth(bare);
	return [
		atMost(`${name}: /healthz`, 500, Math.round(own.slowestHealthCheck), ' ms'),
		atMost(`${name}: memory that n8n needs more, of the bare helper's`, 1.15, memory),
	];
}

function loginGoals(others: CaseResult[]): Goal[] {
	return (['valid', 'cold', 'expired', 'wrong password'] as const).map((token): Goal => {
		const own = others.filter(({ case: { setting } }) => (setting.token ?? 'valid') === token);
		const most = Math.max(...own.map(({ rows }) => at(rows, 0).logins));
		const goal = token === 'valid' ? 0 : 1;
		const name = token === 'wrong password' ? token : `${token} token`;
		return [`${name}: ${count(goal, 'login')} per run`, whole(most), most === goal];
	});
}

/** What the package must reach, beside what was measured. */
function goalsTable(findings: Findings): string {
	const { matrix, lowerLimit, limited, after, others, veryLarge, weight } = findings;
	const goals: Goal[] = [
		allOf('distance: all cells reach their goals', matrix, isFastEnough),
		...lowerLimit.map(({ case: { title }, rows }) =>
			atMost(`${title}: the bare helper's time x`, 1.05, 1 / at(rows, 1).ratio),
		),
		...loadGoals([...matrix, ...lowerLimit]),
		allOf('rate limits: all runs keep their bounds and read all sites', limited, isWithinBounds),
		...after.map(({ title, ratio: times }) => atMost(`${title}: a fresh run's time x`, 2, times)),
		...loginGoals(others),
		// Its last case
		atMost('500 items over 12 sites: requests', 12, at(at(others, -1).rows, 0).requests),
		...veryLargeGoals(veryLarge),
		atMost('packed', 60, weight.packed / 1000, ' kB'),
		atMost('both nodes and the credential load after n8n-workflow in', 30, weight.loading, ' ms'),
	];
	return table(
		['Goal', 'Measured'],
		goals.map(([goal, measured, isReached]) => [goal, judge(measured, isReached)]),
	);
}

export function reportOf(findings: Findings): string {
	const { source, loadBefore, matrix, limited, others, veryLarge, weight } = findings;
	const processors = cpus();
	return [
		`Generated by ${source}, package version ${weight.version}, on ${processors.length} cores
(${at(processors, 0).model.trim()}). Other programs kept ${loadBefore.toFixed(1)} of the cores busy when it started.`,
		matrixSection(matrix),
		`## Goals\n\n${goalsTable(findings)}`,
		limitsSection(limited),
		othersSection(others),
		...(veryLarge.length > 0 ? [veryLargeSection(veryLarge)] : []),
	].join('\n\n');
}
