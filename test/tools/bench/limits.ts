import { setTimeout } from 'node:timers/promises';
import { refusalBeyond } from '../fake-service/limit';
import { median } from '../helpers/numbers';
import { AQUACULTURE_SITE } from './callers';
import type { Aftermath, Limit } from './cases';
import type { Platform } from './platform';

/** A run at a service that limits the rate. */
export interface LimitedRun {
	limit: Limit;
	/** Whether the service states the wait, and whether it is the same run once more, in the same process of n8n. */
	kind: string;
	sites: number;
	refused: number;
	/** Times as long as the limit itself takes. */
	time: number;
}

/** A run with nothing wrong, after one in which something was refused. */
export interface AftermathRun {
	title: string;
	/** Times as long as a run before which nothing was refused, by the median of all rounds. */
	ratio: number;
}

const ROUNDS = 3;

/** @throws Error where n8n does not finish a run */
export async function measureAftermath(
	platform: Platform,
	{ title, before, setting }: Aftermath,
): Promise<AftermathRun> {
	const [fresh, after]: [number[], number[]] = [[], []];
	for (let round = 0; round < ROUNDS; round++) {
		// A user of whom nothing is known
		await platform.run(AQUACULTURE_SITE, { items: 1, token: 'cold' });
		fresh.push((await platform.run(AQUACULTURE_SITE, setting)).milliseconds);
		await platform.run(AQUACULTURE_SITE, before);
		after.push((await platform.run(AQUACULTURE_SITE, setting)).milliseconds);
	}
	return { title, ratio: median(after) / median(fresh) };
}

/** @throws Error where n8n does not finish a run */
export async function measureLimit(platform: Platform, limit: Limit): Promise<LimitedRun[]> {
	const { items, latency, limiter, leastTime, status } = limit;
	const runs: LimitedRun[] = [];
	// nginx does not state the wait
	for (const hasRetryAfter of status === 503 ? [false] : [true, false]) {
		const refusal = refusalBeyond(limiter(), hasRetryAfter, status);
		// The first one logs in
		for (const token of ['cold', 'valid'] as const) {
			const run = await platform.run(AQUACULTURE_SITE, { items, latency, refusal, token });
			const again = token === 'valid' ? ', again' : '';
			const kind = `${hasRetryAfter ? 'Retry-After' : 'No Retry-After'}${again}`;
			const [refused, time] = [run.requests - items, run.milliseconds / leastTime];
			runs.push({ limit, kind, sites: run.sites, refused, time });
			// So that the limit of the first run does not hold for the next one
			await setTimeout(leastTime / 2);
		}
	}
	return runs;
}
