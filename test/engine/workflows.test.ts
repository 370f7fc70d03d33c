import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, readJobs } from '../tools/gate/jobs';
import { defined } from '../tools/helpers/at';
import { ROOT } from '../tools/n8n/workspace';

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const files = readdirSync(join(ROOT, '.github', 'workflows'));
const ci = Object.values(readJobs('ci.yml'));

/** What `.ci/run` runs. A step may stand behind something that starts, measures, or follows it. */
function stepsOfCiRun(): string[] {
	const commands = read('.ci', 'run')
		.split('\n')
		.filter((line) => /^[^#]*step /.test(line))
		.flatMap(
			(line) =>
				line.match(
					/\bnpm (?:ci|test|run [\w:]+)(?: --(?: [\w./=-]+)+)?|npx tsx [\w/.]+|\.ci\/[\w-]+/g,
				) ?? [],
		);
	return [...new Set(commands)].sort();
}

test('on GitHub, the jobs have the steps of .ci/run and no others', () => {
	// Without the variables in front of it and the seeds behind it
	const commands = ci
		.flatMap(commandsOf)
		.map((command) => command.replace(/^(\w+=\S+ )+| \$\(\(.*$/g, ''));
	expect([...new Set(commands)].sort()).toEqual(stepsOfCiRun());
});

test.each(files)('%s uses actions by their commit, and its commands are valid', (file) => {
	for (const { steps = [] } of Object.values(readJobs(file))) {
		for (const { uses, run } of steps) {
			if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
			else if (run !== '${{ matrix.command }}') execFileSync('bash', ['-nc', defined(run)]);
		}
	}
});
