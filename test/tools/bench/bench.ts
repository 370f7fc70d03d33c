import { BLOCKS, writeBlock } from '../helpers/document';
import { runCommand, say } from '../n8n/cli';
import { prepareSetup } from '../n8n/setup';
import { AQUACULTURE_SITE, CALLERS } from './callers';
import { limits, matrix, VERY_LARGE } from './cases';
import { measureCase, measureLimit, measureTrigger, measureVeryLarge } from './measure';
import { Platform } from './platform';
import { type Findings, reportOf } from './report';

const USAGE = `Measures the node in a real n8n, side by side with n8n's own HTTP Request node.

  npm run bench               everything, up to 20 minutes; also written to docs/benchmarks.md
  npm run bench -- --quick    a small part of it, in three minutes; only printed
`;

runCommand(USAGE, { quick: { type: 'boolean', default: false } }, async ({ quick }, cleanup) => {
	const setup = await prepareSetup(say);
	const platform = await Platform.start(cleanup, setup, VERY_LARGE);

	for (const caller of [...CALLERS, ...CALLERS]) await platform.run(caller, { items: 200 });

	/** One after the other. */
	async function each<T extends { title: string }, R>(
		list: T[],
		measure: (platform: Platform, one: T) => Promise<R>,
	): Promise<R[]> {
		const [one, ...rest] = list;
		if (!one) return [];
		say(one.title);
		return [await measure(platform, one), ...(await each(rest, measure))];
	}
	const findings: Findings = {
		source: `\`npm run bench${quick ? ' -- --quick' : ''}\` on ${new Date().toISOString().slice(0, 10)} with n8n ${setup.install.version}`,
		matrix: await each(matrix(quick), measureCase),
		limited: (await each(limits(quick), measureLimit)).flat(),
		watched: await measureTrigger(platform, quick ? 100 : 1000),
		veryLarge: await each(quick ? [AQUACULTURE_SITE] : CALLERS, measureVeryLarge),
	};

	const report = reportOf(findings);
	console.log(`\n${report}`);
	if (!quick) writeBlock(BLOCKS.benchmark, report);
});
