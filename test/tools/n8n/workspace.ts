import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lock } from 'proper-lockfile';
import { until } from '../helpers/until';

/** Prints a short line about the progress. */
export type Say = (line: string) => void;

/** Something is missing on this machine. The message is for the person who started the command. */
export class SetupError extends Error {
	override readonly name = 'SetupError';
}

/** The checkout. */
export const ROOT = resolve(__dirname, '../../..');

/** A path in `.n8n/`, which holds everything that the real n8n needs and makes. Creates its folder. */
export function inWorkspace(...path: string[]): string {
	const root = join(ROOT, '.n8n');
	mkdirSync(root, { recursive: true });
	// n8n lets its nodes write to real paths only, and a worktree may have a link here.
	const full = join(realpathSync(root), ...path);
	mkdirSync(dirname(full), { recursive: true });
	return full;
}

/** The environment for npm and pnpm: the user's own, with their caches in the workspace. */
export function packageManagerEnv(): NodeJS.ProcessEnv {
	return {
		...process.env,
		npm_config_cache: inWorkspace('cache', 'npm'),
		npm_config_cache_dir: inWorkspace('cache', 'pnpm'),
		npm_config_state_dir: inWorkspace('cache', 'pnpm-state'),
		npm_config_store_dir: inWorkspace('cache', 'pnpm-store'),
		npm_config_devdir: inWorkspace('cache', 'node-gyp'),
		npm_config_update_notifier: 'false',
	};
}

/** After this, the lock of a process that died is free again. */
const STALE_MS = 15_000;

/**
 * Takes the lock of a name for this process.
 * @returns how to release it; undefined when another process has it
 */
export async function claim(name: string): Promise<(() => Promise<void>) | undefined> {
	try {
		return await lock(inWorkspace('locks', name), {
			realpath: false,
			stale: STALE_MS,
			update: STALE_MS / 5,
			// For example after the machine was asleep: the holder of the lock continues.
			onCompromised: () => undefined,
		});
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
		throw error;
	}
}

/** Does some work while no other process works under the same name; waits for those that do. */
export async function exclusively<T>(name: string, say: Say, work: () => Promise<T>): Promise<T> {
	let release = await claim(name);
	if (!release) {
		say(`Another run is busy with ${name}. Waiting until it has finished.`);
		const forever = { timeoutMs: Infinity, intervalMs: 500 };
		release = await until(`${name} is free`, () => claim(name), forever);
	}
	try {
		return await work();
	} finally {
		await release();
	}
}
