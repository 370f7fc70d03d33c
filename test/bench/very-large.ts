import { setTimeout } from 'node:timers/promises';
import type { Caller } from './callers';
import type { Measured, Platform } from './platform';

/** One run with very many items in an n8n process of its own. */
export interface VeryLargeRun extends Measured {
	caller: Caller;
	/** Peak of the memory that n8n's process held, in kilobytes: with nothing but a run of one item, and after this one. */
	memoryBefore: number;
	memoryAfter: number;
	/** The slowest answers of n8n while it ran, in milliseconds. */
	slowestHealthCheck: number;
	slowestRestCall: number;
	/** Answers that were none, or not 200. */
	refusals: number;
}

const PAUSE_BETWEEN_PROBES = 100;

/** @throws Error where n8n does not finish the run */
export async function measureVeryLarge(
	platform: Platform,
	caller: Caller,
	items: number,
): Promise<VeryLargeRun> {
	await platform.restart();
	const { peakMemory: memoryBefore } = await platform.run(caller, { items: 1 });
	const { n8n } = platform;
	let running = true;
	let refusals = 0;
	const probe = async (ask: () => Promise<unknown>) => {
		let slowest = 0;
		while (running) {
			const asked = performance.now();
			await ask().catch(() => (refusals += 1));
			slowest = Math.max(slowest, performance.now() - asked);
			await setTimeout(PAUSE_BETWEEN_PROBES);
		}
		return slowest;
	};
	const probes = Promise.all([
		probe(async () => {
			const { ok } = await fetch(`${n8n.baseUrl}/healthz`);
			if (!ok) throw new Error('n8n says that it is not well.');
		}),
		probe(() => n8n.rest('GET', '/workflows')),
	]);
	let measured: Measured;
	try {
		measured = await platform.run(caller, { items });
	} finally {
		running = false;
		await probes;
	}
	const [slowestHealthCheck, slowestRestCall] = await probes;
	const { peakMemory: memoryAfter } = await platform.run(caller, { items: 1 });
	return {
		...measured,
		caller,
		memoryBefore,
		memoryAfter,
		slowestHealthCheck,
		slowestRestCall,
		refusals,
	};
}
