import { BLOCKS, writeBlock } from '../helpers/document';
import { runCommand, say } from '../n8n/cli';
import { prepareSetup } from '../n8n/setup';
import { CALLERS } from './callers';
import { LIMITS, MATRIX, VERY_LARGE } from './cases';
import { measureCase, measureLimit, measureTrigger, measureVeryLarge } from './measure';
import { Platform } from './platform';
import { type Findings, reportOf } from './report';

const USAGE = `Measures the node in a real n8n, side by side with n8n's own HTTP Request node. Takes up to 20 minutes.

  npm run bench    prints the results, and writes them to docs/benchmarks.md
`;

runCommand(USAGE, {}, async (_values, cleanup) => {
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
		source: `\`npm run bench\` on ${new Date().toISOString().slice(0, 10)} with n8n ${setup.install.version}`,
		matrix: await each(MATRIX, measureCase),
		limited: (await each(LIMITS, measureLimit)).flat(),
		watched: await measureTrigger(platform, 1000),
		veryLarge: await each(CALLERS, measureVeryLarge),
	};

	const report = reportOf(findings);
	console.log(`\n${report}`);
	writeBlock(BLOCKS.benchmark, report);
});
