import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { N8nInstance } from '../n8n/n8n';

const EVERY_MS = 200;

/** Kilobytes of n8n's process (RSS). */
export async function memoryOf({ pid }: N8nInstance): Promise<number> {
	const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(await pid)]);
	return Number(stdout);
}

/**
 * Watches from now on what n8n bears.
 * @returns how to stop: it gives the most memory in kilobytes, and the most milliseconds until the health check responded
 */
export function watchLoad(n8n: N8nInstance) {
	const peak = { memory: 0, responseMs: 0 };
	let isOver = false;
	const watch = async () => {
		while (!isOver) {
			const start = performance.now();
			await fetch(`${n8n.baseUrl}/healthz`);
			const responseMs = Math.round(performance.now() - start);
			peak.responseMs = Math.max(peak.responseMs, responseMs);
			peak.memory = Math.max(peak.memory, await memoryOf(n8n));
			await setTimeout(EVERY_MS);
		}
	};
	const watching = watch();
	return async () => {
		isOver = true;
		await watching;
		return peak;
	};
}
