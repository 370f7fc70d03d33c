import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { defined } from '../helpers/at';
import { ROOT } from './workspace';

// The tests run no Docker: they do what the files in docker/ say with folders and processes of this machine.

export const readDockerFile = (file: string) => readFileSync(join(ROOT, 'docker', file), 'utf8');

/** A service of compose.yaml, as far as it matters without containers. */
export interface ComposeService {
	environment: Record<string, string>;
	/** What the image is started with; its own command without it. */
	command?: string;
	healthcheck?: { test: string[] };
	depends_on?: Record<string, { condition: string }>;
	deploy?: { replicas: number };
}

const SERVICES = ['n8n', 'worker', 'postgres', 'redis'] as const;

export type ComposeServices = Record<(typeof SERVICES)[number], ComposeService>;

/**
 * The services of compose.yaml, with the values of its variables.
 * @param variables what the file `.env` holds
 */
export function readCompose(variables: Record<string, string>): ComposeServices {
	const text = readDockerFile('compose.yaml').replaceAll(/\$\{(\w+):\?\}/g, (_all, name: string) =>
		defined(variables[name]),
	);
	const { services } = parse(text, { merge: true }) as { services: ComposeServices };
	assert.deepEqual(Object.keys(services).sort(), [...SERVICES].sort());
	for (const each of Object.values(services)) {
		for (const [name, { condition }] of Object.entries(each.depends_on ?? {})) {
			assert.equal(condition, 'service_healthy');
			assert(services[name as keyof ComposeServices].healthcheck, name);
		}
	}
	return services;
}
