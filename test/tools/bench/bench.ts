import { loadavg } from 'node:os';
import { at } from '../helpers/at';
import { BLOCKS, writeBlock } from '../helpers/document';
import { runCommand, say } from '../n8n/cli';
import { outputOf } from '../n8n/processes';
import { prepareSetup } from '../n8n/setup';
import { ROOT } from '../n8n/workspace';
import { AQUACULTURE_SITE, BARE_HELPER, CALLERS, HTTP_REQUEST } from './callers';
import { aftermaths, limits, lowerLimit, matrix, others, VERY_LARGE } from './cases';
import { writeChart } from './chart';
import { measureAftermath, measureLimit } from './limits';
import { measureCase } from './measure';
import { weighPackage } from './package-weight';
import { Platform } from './platform';
import { type Findings, reportOf } from './report';
import { measureVeryLarge } from './very-large';

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
	const weight = await weighPackage(platform.n8n, setup);
	const nodeVersion = await outputOf(node, ['--version'], { cwd: ROOT, env: {} });

	say('Warming up.');
	for (const caller of [...CALLERS, ...CALLERS]) await platform.run(caller, { items: 200 });

	/** One after the other. */
	async function each<T extends { title: string }, R>(
		list: T[],
		measure: (platform: Platform, one: T) => Promise<R>,
	): Promise<R[]> {
		const results: R[] = [];
		for (const one of list) {
			say(one.title);
			results.push(await measure(platform, one));
		}
		return results;
	}
	const findings: Findings = {
		source: `\`npm run bench${quick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${version} on Node.js ${nodeVersion.slice(1)}`,
		loadBefore,
		weight,
		matrix: await each(matrix(quick), measureCase),
		lowerLimit: await each(lowerLimit(quick), measureCase),
		others: await each(others(quick), measureCase),
		limited: (await each(limits(quick), measureLimit)).flat(),
		after: await each(aftermaths(quick), measureAftermath),
		veryLarge: await each(
			quick ? [] : [AQUACULTURE_SITE, HTTP_REQUEST, BARE_HELPER],
			measureVeryLarge,
		),
	};

	const report = reportOf(findings);
	say('Done. The whole report:');
	console.log(`\n${report}`);
	if (quick) return;
	writeBlock(BLOCKS.benchmark, report);
	writeChart(findings.matrix);
});
