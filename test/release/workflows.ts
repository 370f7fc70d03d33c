import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../e2e/workspace';

interface Job {
	steps?: Array<{ uses?: string; run?: string }>;
	strategy?: { matrix?: Record<string, unknown> };
}

/** The jobs of a GitHub workflow. */
export function readJobs(file: string): Record<string, Job> {
	const text = readFileSync(join(ROOT, '.github', 'workflows', file), 'utf8');
	return (parse(text) as { jobs: Record<string, Job> }).jobs;
}

/** The commands of a job, in their order. */
export const commandsOf = ({ steps = [] }: Job) => steps.flatMap(({ run }) => run ?? []);
