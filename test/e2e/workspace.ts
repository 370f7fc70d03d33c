import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { lock } from 'proper-lockfile';

/** Tells the person at the terminal, in a short line, what goes on. */
export type Say = (line: string) => void;

/** Something that this machine or this moment lacks. The message is for the person who started the command. */
export class SetupError extends Error {
	override readonly name = 'SetupError';
}

/** The checkout. */
export const ROOT = resolve(__dirname, '../..');

/** A path in `.n8n/`, where everything that the real n8n needs and makes lives. Its folder is there afterwards. */
export function inWorkspace(...path: string[]): string {
	const full = join(ROOT, '.n8n', ...path);
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

/** A lock whose process died is free again after this, in milliseconds. */
const STALE = 15_000;

/**
 * Takes the lock of a name for this process, or says that another has it.
 * @returns how to give it back; undefined when another process has it
 */
export async function claim(name: string): Promise<(() => Promise<void>) | undefined> {
	try {
		return await lock(inWorkspace('locks', name), {
			realpath: false,
			stale: STALE,
			update: STALE / 5,
			// After a machine's sleep, say: whoever holds the lock goes on with what it does.
			onCompromised: () => undefined,
		});
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
		throw error;
	}
}

/** Does something while no other process does anything under the same name; waits for those that do. */
export async function exclusively<T>(name: string, say: Say, work: () => Promise<T>): Promise<T> {
	let release = await claim(name);
	if (!release) say(`Another run is busy with ${name}: waiting until it is done …`);
	while (!release) {
		await setTimeout(500);
		release = await claim(name);
	}
	try {
		return await work();
	} finally {
		await release();
	}
}
