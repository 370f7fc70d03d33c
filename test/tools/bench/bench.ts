import { loadavg } from 'node:os';
import { at } from '../helpers/at';
import { BLOCKS, writeBlock } from '../helpers/document';
import { runCommand, say } from '../n8n/cli';
import { run } from '../n8n/processes';
import { prepareSetup } from '../n8n/setup';
import { ROOT } from '../n8n/workspace';
import { AQUACULTURE_SITE, BARE_HELPER, DECLARATIVE, HTTP_REQUEST } from './callers';
import { aftermaths, type Case, limits, lowerLimit, matrix, others, VERY_LARGE } from './cases';
import { writeChart } from './chart';
import { type AftermathRun, type LimitedRun, measureAftermath, measureLimit } from './limits';
import { type CaseResult, measureCase } from './measure';
import { weighPackage } from './package-weight';
import { Platform } from './platform';
import { reportOf } from './report';
import { measureVeryLarge, type VeryLargeRun } from './very-large';

const USAGE = `Measures the node in a real n8n, side by side with n8n's own ways to get the same data.

  npm run bench               everything, up to 25 minutes; also written to docs/benchmarks.md and docs/images/speed.svg
  npm run bench -- --quick    a small part of it, in three minutes; only printed
`;

const OPTIONS = { quick: { type: 'boolean', default: false } } as const;

runCommand(USAGE, OPTIONS, async ({ quick }, cleanup) => {
	const loadBefore = at(loadavg(), 0);
	const setup = await prepareSetup(say);
	const { node, version } = setup.install;
	say(`Starting n8n ${version}.`);
	const platform = await Platform.start(cleanup, setup, VERY_LARGE);
	say('Weighing the package.');
	const weight = await weighPackage(platform);
	const { stdout } = await run(node, ['--version'], { cwd: ROOT, env: {} });

	say('Warming up.');
	const all = [AQUACULTURE_SITE, HTTP_REQUEST, DECLARATIVE, BARE_HELPER];
	for (const caller of [...all, ...all]) await platform.run(caller, { items: 200 });

	const measure = async (cases: Case[]): Promise<CaseResult[]> => {
		const results: CaseResult[] = [];
		for (const one of cases) {
			const result = await measureCase(platform, one);
			const rows = result.rows.map(
				(row) => `${row.caller.title} ${Math.round(row.milliseconds)} ms`,
			);
			say(`${one.title}: ${rows.join(', ')}`);
			results.push(result);
		}
		return results;
	};
	const inMatrix = await measure(matrix(quick));
	const besideLowerLimit = await measure(lowerLimit(quick));
	const besides = await measure(others(quick));
	const limited: LimitedRun[] = [];
	for (const hasRetryAfter of [true, false]) {
		for (const limit of limits(quick)) {
			if (!(limit.hasRetryAfter ?? [true, false]).includes(hasRetryAfter)) continue;
			say(`${limit.title}${hasRetryAfter ? '' : ', no Retry-After'}`);
			limited.push(...(await measureLimit(platform, limit, hasRetryAfter)));
		}
	}
	const after: AftermathRun[] = [];
	for (const aftermath of aftermaths(quick)) {
		say(`A run ${aftermath.title}`);
		after.push(await measureAftermath(platform, aftermath));
	}
	const veryLarge: VeryLargeRun[] = [];
	for (const caller of quick ? [] : [AQUACULTURE_SITE, HTTP_REQUEST, BARE_HELPER]) {
		say(`A very large run: ${caller.title}`);
		veryLarge.push(await measureVeryLarge(platform, caller));
	}

	const report = reportOf({
		source: `\`npm run bench${quick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${version} on Node.js ${stdout.trim().slice(1)}`,
		loadBefore,
		matrix: inMatrix,
		lowerLimit: besideLowerLimit,
		limited,
		after,
		others: besides,
		veryLarge,
		weight,
	});
	say('Done. The whole report:');
	console.log(`\n${report}`);
	if (quick) return;
	writeBlock(BLOCKS.benchmark, report);
	writeChart(inMatrix);
});
