import { setTimeout } from 'node:timers/promises';
import type { Caller } from './callers';
import { VERY_LARGE } from './cases';
import type { Measured, Platform } from './platform';

/** One run with very many items in an n8n process of its own. */
export interface VeryLargeRun extends Measured {
	caller: Caller;
	/** The peak memory of n8n's process before the run, in kilobytes; `peakMemory` is that after it. */
	memoryBefore: number;
	/** The slowest responses of n8n during the run, in milliseconds. */
	slowestHealthCheck: number;
	slowestRestCall: number;
	/** Calls that got no response, or one that was not 200. */
	refusals: number;
}

const PAUSE_BETWEEN_PROBES_MS = 100;

/** @throws Error where n8n does not finish the run */
export async function measureVeryLarge(platform: Platform, caller: Caller): Promise<VeryLargeRun> {
	const { n8n } = platform;
	await n8n.stop();
	await n8n.start();
	const { peakMemory: memoryBefore } = await platform.run(caller, { items: 1 });
	const over = new AbortController();
	let refusals = 0;
	/** Calls n8n again and again, and returns the time of the slowest call. */
	const probe = async (call: () => Promise<unknown>) => {
		let slowest = 0;
		while (!over.signal.aborted) {
			const start = performance.now();
			await call().catch(() => (refusals += 1));
			slowest = Math.max(slowest, performance.now() - start);
			await setTimeout(PAUSE_BETWEEN_PROBES_MS);
		}
		return slowest;
	};
	const probes = Promise.all([
		probe(async () => {
			const { ok } = await fetch(`${n8n.baseUrl}/healthz`);
			if (!ok) throw new Error('n8n is not healthy');
		}),
		probe(() => n8n.rest.get('/workflows')),
	]);
	const run = platform.run(caller, { items: VERY_LARGE });
	const measured = await run.finally(() => over.abort());
	const [slowestHealthCheck, slowestRestCall] = await probes;
	// Only now is the saving of the execution included
	const { peakMemory } = await platform.run(caller, { items: 1 });
	return {
		...measured,
		caller,
		memoryBefore,
		peakMemory,
		slowestHealthCheck,
		slowestRestCall,
		refusals,
	};
}
