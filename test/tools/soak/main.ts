import { manySites } from '../fake-service/sites';
import { BLOCKS, writeBlock } from '../helpers/document';
import { markdownTable } from '../helpers/markdown-table';
import { runCommand, say } from '../n8n/cli';
import { prepareSetup } from '../n8n/setup';
import { startFake, startN8n } from '../n8n/use-n8n';
import { SetupError } from '../n8n/workspace';
import { checksOf } from './checks';
import { Soak } from './soak';

const USAGE = `Keeps a real n8n busy with the package while everything around it fails, and counts what comes out.

  npm run test:soak -- --minutes 10       for how long (default 10)
  npm run test:soak -- --seed 42          with the faults and changes of an earlier run
  npm run test:soak -- --write            also writes the result into docs/reliability.md
`;

const SITES = 12;

const OPTIONS = {
	minutes: { type: 'string', default: '10' },
	seed: { type: 'string', default: String(Date.now() % 1_000_000) },
	write: { type: 'boolean', default: false },
} as const;

runCommand(USAGE, OPTIONS, async (values, cleanup) => {
	const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
	if (!(minutes >= 1 && Number.isInteger(seed))) {
		throw new SetupError('--minutes takes 1 or more, and --seed a whole number.');
	}
	const command = `npm run test:soak -- --minutes ${minutes} --seed ${seed}`;
	say(`${command} (the seed repeats the choices, not the moments)`);

	const setup = await prepareSetup(say);
	const service = await startFake(cleanup, { sites: manySites(SITES) });
	say(`Starting n8n ${setup.install.version}.`);
	const env = { N8N_LOG_LEVEL: 'debug' };
	const n8n = await startN8n(cleanup, { ...setup, name: 'soak', env });
	const soak = await Soak.create(seed, service, n8n);
	await soak.run(minutes);
	const checks = await checksOf(soak);
	const table = markdownTable([
		['Check', 'Seen'],
		...checks.map(([what, passed, ...seen]) => {
			return [passed ? what : `FAILED: ${what}`, seen.join('; ')];
		}),
	]);
	const failed = checks.filter(([, passed]) => !passed).length;
	const result = `${checks.length - failed} passed, ${failed} failed`;
	console.log(`\n${table}\n`);
	if (values.write) {
		const date = new Date().toISOString().slice(0, 10);
		const source = `\`${command}\` on ${date}, with n8n ${setup.install.version}: ${result}.`;
		writeBlock(BLOCKS.soak, `${source}\n\n${table}`);
	}
	if (failed > 0) process.exitCode = 1;
	console.log(result);
});
