import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../e2e/processes';
import { ROOT, SetupError } from '../e2e/workspace';
import { AQUACULTURE_SITE, HTTP_REQUEST } from './callers';
import { groups, VERY_LARGE } from './cases';
import { type GroupResult, measureCase } from './measure';
import { weighPackage } from './package-weight';
import { Platform } from './platform';
import { reportOf, sectionOf } from './report';
import { measureVeryLarge, type VeryLargeRun } from './very-large';

const USAGE = `Measures the node in a real n8n, side by side with n8n's own ways to the same data.

  npm run bench               all of it, up to 20 minutes; also written to docs/benchmarks.md
  npm run bench -- --quick    the same picture from small runs, in two minutes; only printed
`;

const startedAt = Date.now();

function say(line: string): void {
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	console.log(`${String(seconds).padStart(5)} s  ${line}`);
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			quick: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(USAGE);
	const { quick } = values;

	const loadBefore = loadavg()[0]!;
	const platform = await Platform.start(VERY_LARGE, say);
	try {
		const { install } = platform;
		say('Weighing the package.');
		const weight = await weighPackage(platform);
		const { stdout } = await run(install.node, ['--version'], { cwd: ROOT, env: {} });

		say('Warming up.');
		const warmUp = { items: 200 };
		const all = groups(quick);
		const everyone = new Set(all.flatMap(({ cases }) => cases.flatMap(({ callers }) => callers)));
		for (const caller of everyone) await platform.run(caller, warmUp);

		const results: GroupResult[] = [];
		for (const group of all) {
			const measured = [];
			for (const one of group.cases) {
				say(`${group.title}: ${one.title}`);
				measured.push(await measureCase(platform, one));
			}
			const result = { group, results: measured };
			results.push(result);
			console.log(`\n${sectionOf(result)}\n`);
		}
		const veryLarge: VeryLargeRun[] = [];
		for (const caller of quick ? [] : [AQUACULTURE_SITE, HTTP_REQUEST]) {
			say(`A very large run: ${caller.title}`);
			veryLarge.push(await measureVeryLarge(platform, caller, VERY_LARGE));
		}

		const report = reportOf({
			command: `npm run bench${quick ? ' -- --quick' : ''}`,
			n8nVersion: install.version,
			nodeVersion: stdout.trim().replace(/^v/, ''),
			loadBefore,
			groups: results,
			veryLarge,
			weight,
		});
		say('Done. All of it once more:');
		console.log(`\n${report}`);
		if (quick) return;
		const file = join(ROOT, 'docs', 'benchmarks.md');
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, report);
	} finally {
		await platform.close();
	}
}

main().catch((error: Error) => {
	console.error(error instanceof SetupError ? `\n${error.message}` : error);
	process.exitCode = 1;
});
