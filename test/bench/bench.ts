import { loadavg } from 'node:os';
import { runCommand, say } from '../e2e/cli';
import { run } from '../e2e/processes';
import { prepareSetup } from '../e2e/setup';
import { ROOT } from '../e2e/workspace';
import { at } from '../helpers/at';
import { writeBlock } from '../helpers/document';
import { AQUACULTURE_SITE, HTTP_REQUEST } from './callers';
import { groups, VERY_LARGE } from './cases';
import { type CaseResult, measureCase } from './measure';
import { weighPackage } from './package-weight';
import { Platform } from './platform';
import { type Findings, reportOf, sectionOf } from './report';
import { measureVeryLarge, type VeryLargeRun } from './very-large';

const USAGE = `Measures the node in a real n8n, side by side with n8n's own ways to get the same data.

  npm run bench               everything, up to 20 minutes; also written to docs/benchmarks.md
  npm run bench -- --quick    the same picture from small runs, in two minutes; only printed
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
	const all = groups(quick);
	const everyone = new Set(all.flatMap(({ cases }) => cases.flatMap(({ callers }) => callers)));
	for (const caller of everyone) await platform.run(caller, { items: 200 });

	const measured: Findings['groups'] = [];
	for (const group of all) {
		const results: CaseResult[] = [];
		for (const one of group.cases) {
			say(`${group.title}: ${one.title}`);
			results.push(await measureCase(platform, one));
		}
		measured.push({ group, results });
		console.log(`\n${sectionOf({ group, results })}\n`);
	}
	const veryLarge: VeryLargeRun[] = [];
	for (const caller of quick ? [] : [AQUACULTURE_SITE, HTTP_REQUEST]) {
		say(`A very large run: ${caller.title}`);
		veryLarge.push(await measureVeryLarge(platform, caller, VERY_LARGE));
	}

	const report = reportOf({
		source: `\`npm run bench${quick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${version} on Node.js ${stdout.trim().slice(1)}`,
		loadBefore,
		groups: measured,
		veryLarge,
		weight,
	});
	say('Done. The whole report:');
	console.log(`\n${report}`);
	const block = { document: 'benchmarks.md', name: 'benchmark', command: 'npm run bench' };
	if (!quick) writeBlock(block, report);
});
