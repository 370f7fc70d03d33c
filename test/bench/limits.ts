import { refusalBeyond } from '../fake-service/limit';
import { AQUACULTURE_SITE } from './callers';
import type { Limit } from './cases';
import type { Platform } from './platform';

/** A run at a service that limits the rate. */
export interface LimitedRun {
	limit: Limit;
	hasRetryAfter: boolean;
	/** Whether it is the same run once more, in the same process of n8n. */
	isAgain: boolean;
	sites: number;
	refused: number;
	/** Times as long as the limit itself takes. */
	time: number;
}

/** @throws Error where n8n does not finish a run */
export async function measureLimit(
	platform: Platform,
	limit: Limit,
	hasRetryAfter: boolean,
): Promise<LimitedRun[]> {
	const { items, latency, limiter, leastTime } = limit;
	const shared = { items, latency, refusal: refusalBeyond(limiter(), hasRetryAfter) };
	const runs: LimitedRun[] = [];
	for (const isAgain of [false, true]) {
		// With a user of whose limits nothing is known yet
		const token = isAgain ? ('valid' as const) : ('cold' as const);
		const run = await platform.run(AQUACULTURE_SITE, { ...shared, token });
		const [refused, time] = [run.requests - items, run.milliseconds / leastTime];
		runs.push({ limit, hasRetryAfter, isAgain, sites: run.sites, refused, time });
		// So that the limit of the first run does not hold for the next one
		await new Promise((over) => setTimeout(over, limit.leastTime / 2));
	}
	return runs;
}
