import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../n8n/workspace';

interface Step {
	uses?: string;
	run?: string;
}

/** A job of a GitHub workflow. */
export interface Job {
	steps?: Step[];
	strategy?: { matrix: { command?: string[] } };
}

/** The jobs of a workflow in `.github/workflows/`, by their names. */
export function readJobs(file: string): Record<string, Job> {
	const text = readFileSync(join(ROOT, '.github', 'workflows', file), 'utf8');
	return (parse(text) as { jobs: Record<string, Job> }).jobs;
}

/** The commands of a job, in their order, with every value that its matrix has for one. */
export function commandsOf({ steps = [], strategy }: Job): string[] {
	return steps.flatMap(({ run = [] }) =>
		run === '${{ matrix.command }}' ? (strategy?.matrix.command ?? []) : run,
	);
}
