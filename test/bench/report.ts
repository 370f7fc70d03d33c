import { cpus } from 'node:os';
import { BARE_HELPER, type Caller, DEFAULT_CONCURRENCY, HTTP_REQUEST } from './callers';
import { demandedTime, PER_SECOND, VERY_LARGE } from './cases';
import type { CaseResult, GroupResult, Row } from './measure';
import type { PackageWeight } from './package-weight';
import type { TokenState } from './platform';
import type { VeryLargeRun } from './very-large';

export interface Findings {
	command: string;
	n8nVersion: string;
	nodeVersion: string;
	/** The machine's load average before the start. */
	loadBefore: number;
	groups: GroupResult[];
	veryLarge: VeryLargeRun[];
	weight: PackageWeight;
}

const INTRODUCTION = `How long a run takes in a real n8n, beside n8n's own ways to the same data. The service is the stand-in of
\`test/fake-service/\`, on the same machine; sites and logins are invented.

- **Aquaculture Site**: this package's node, operation «Get», with its defaults.
- **HTTP Request**: n8n's own node with this package's credential.
- **Declarative**: a node in n8n's declarative style with this package's credential.
- **Bare helper**: a node that sends n8n's plain requests, ${DEFAULT_CONCURRENCY} at once, with a token given to it, and does nothing else: the floor.

Time is n8n's own execution time of the node; time and requests are the median of the rounds, logins and failed items
those of the worst round. All callers take turns in one n8n, so that they meet the same noise. The ratio is a caller's
time divided by Aquaculture Site's in the same round, the median of that: 2.00 takes twice as long. Seconds depend on
the machine, ratios much less.`;

/** As much of n8n's answer as a table's note needs. */
const REASON_LENGTH = 200;

const whole = (value: number) => Math.round(value).toLocaleString('en');
const time = (ms: number) => (ms < 1000 ? `${whole(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);
const megabytes = (kilobytes: number) => `${whole(kilobytes / 1000)} MB`;

/** A table in Markdown that reads well in a terminal too; the first columns are text, the others numbers. */
function table(head: string[], rows: string[][], textColumns = 1): string {
	const widths = head.map((_, column) =>
		Math.max(...[head, ...rows].map((row) => row[column]!.length), 3),
	);
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	const padded = (row: string[]) =>
		line(
			row.map((cell, column) =>
				cell[column < textColumns ? 'padEnd' : 'padStart'](widths[column]!),
			),
		);
	const rule = line(
		widths.map((width, column) =>
			column < textColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
		),
	);
	return [padded(head), rule, ...rows.map(padded)].join('\n');
}

function groupTable(results: CaseResult[]): string {
	const head = [
		'case',
		'caller',
		'rounds',
		'time',
		'per item',
		'ratio',
		'requests',
		'logins',
		'failed items',
	];
	const cells = results.flatMap(({ case: { title, setting, rounds }, rows }) =>
		rows.map(({ caller, milliseconds, ratio, requests, logins, failed }) => [
			title,
			caller.title,
			whole(rounds),
			time(milliseconds),
			`${(milliseconds / setting.items).toFixed(2)} ms`,
			ratio.toFixed(2),
			whole(requests),
			whole(logins),
			whole(failed),
		]),
	);
	const notes = results.flatMap(({ case: { title }, unfinished }) =>
		unfinished.map(
			({ caller, reason }) =>
				`${title}: ${caller.title} did not finish: ${reason.slice(0, REASON_LENGTH)}`,
		),
	);
	return [table(head, cells, 2), ...notes].join('\n\n');
}

function veryLargeTable(runs: VeryLargeRun[]): string {
	return table(
		[
			`${whole(VERY_LARGE)} items`,
			'time',
			'failed items',
			'slowest /healthz',
			'slowest REST call',
			'refused',
			'memory before',
			'peak memory',
		],
		runs.map((run) => [
			run.caller.title,
			time(run.milliseconds),
			whole(run.failed),
			time(run.slowestHealthCheck),
			time(run.slowestRestCall),
			whole(run.refusals),
			megabytes(run.memoryBefore),
			megabytes(run.memoryAfter),
		]),
	);
}

/** The first caller of every case is the node. */
const own = ({ rows }: CaseResult): Row => rows[0]!;

/** Not a number, and so no goal reached, where the caller did not finish. */
const ratioOf = ({ rows }: CaseResult, caller: Caller): number =>
	rows.find((row) => row.caller === caller)?.ratio ?? NaN;

/** What the package sets out to reach, beside what was measured. */
function goals({ groups, weight }: Findings): string {
	const results = groups.flatMap((group) => group.results);
	const rows: string[][] = [];
	const add = (goal: string, measured: string, reached: boolean) =>
		rows.push([goal, measured, reached ? 'yes' : 'no']);
	for (const result of results) {
		const { title, setting, fasterThanHttpRequest: least } = result.case;
		if (least === undefined) continue;
		const where = `${title}, ${setting.latency} ms`;
		const toBare = 1 / ratioOf(result, BARE_HELPER);
		add(`${where}: at most 1.2 x the bare helper's time`, `${toBare.toFixed(2)} x`, toBare <= 1.2);
		const toHttp = ratioOf(result, HTTP_REQUEST);
		add(
			`${where}: at least ${least} x as fast as HTTP Request`,
			`${toHttp.toFixed(2)} x`,
			toHttp >= least,
		);
	}
	const logins: Array<[string, TokenState | undefined, number]> = [
		['token good', undefined, 0],
		['token cold', 'cold', 1],
		['token expired', 'expired', 1],
		['password wrong', 'wrong password', 1],
	];
	for (const [title, token, goal] of logins) {
		const most = Math.max(
			...results
				.filter(({ case: { setting } }) => setting.token === token)
				.map((result) => own(result).logins),
		);
		add(`${title}: logins in a run: ${goal}`, whole(most), most === goal);
	}
	const limited = results.find(({ case: { setting } }) => setting.perSecond === PER_SECOND)!;
	const { items } = limited.case.setting;
	const { sites, milliseconds } = own(limited);
	const share = milliseconds / demandedTime(items);
	add(
		'limited service: all items, at most 1.15 x the time the limit demands',
		`${whole(sites)} of ${whole(items)}, ${share.toFixed(2)} x`,
		sites === items && share <= 1.15,
	);
	add('packed at most 40 kB', `${(weight.size / 1000).toFixed(1)} kB`, weight.size <= 40_000);
	add(
		'both nodes and the credential load in at most 20 ms beyond n8n-workflow',
		`${weight.loading.toFixed(1)} ms`,
		weight.loading <= 20,
	);
	return table(['goal', 'measured', 'reached'], rows);
}

/** What was measured in one group, as Markdown. */
export function sectionOf({ group: { title, about }, results }: GroupResult): string {
	return `## ${title}\n\n${about}\n\n${groupTable(results)}`;
}

/** The whole report, as Markdown. */
export function reportOf(findings: Findings): string {
	const { command, n8nVersion, nodeVersion, loadBefore, groups, veryLarge, weight } = findings;
	const sections = groups.map(sectionOf);
	if (veryLarge.length > 0) {
		sections.push(
			`## A very large run\n\nEach in an n8n process of its own, whose health check and REST interface were asked all the while. Peak memory\nis of the whole n8n process, the saving of the execution included.\n\n${veryLargeTable(veryLarge)}`,
		);
	}
	return `# Benchmarks

${INTRODUCTION}

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${n8nVersion} on Node ${nodeVersion}, package version ${weight.version}, on ${cpus().length} cores
(${cpus()[0]!.model.trim()}); other programs kept ${loadBefore.toFixed(1)} of them busy when it began.

## Goals

${goals(findings)}

${sections.join('\n\n')}
`;
}
