import { setTimeout } from 'node:timers/promises';
import { refusalBeyond } from '../fake-service/limit';
import { at } from '../helpers/at';
import { median } from '../helpers/numbers';
import { until } from '../helpers/until';
import { every, reportChanges } from '../n8n/workflows';
import { AQUACULTURE_SITE, type Caller, CALLERS } from './callers';
import { type Case, type Limit, VERY_LARGE } from './cases';
import type { Measured, Platform } from './platform';

/** Of each caller, in their order: the median of the times, and the times of the node divided by it in the same round. */
export interface CaseResult extends Case {
	times: number[];
	ratios: number[];
	/** Whether the node read all sites in all rounds. */
	isWhole: boolean;
}

/** Every round runs all callers, each time starting with the next one, so that all are subject to the same noise. */
export async function measureCase(platform: Platform, measured: Case): Promise<CaseResult> {
	const runs = new Map<Caller, Measured[]>(CALLERS.map((caller) => [caller, []]));
	for (let round = 0; round < measured.rounds; round++) {
		for (const place of CALLERS.keys()) {
			const caller = at(CALLERS, (round + place) % CALLERS.length);
			runs.get(caller)?.push(await platform.run(caller, measured));
		}
	}
	const all = [...runs.values()].map((own) => own.map(({ milliseconds }) => milliseconds));
	const first = at(all, 0);
	return {
		...measured,
		times: all.map(median),
		ratios: all.map((own) => median(own.map((ms, round) => ms / at(first, round)))),
		isWhole: at([...runs.values()], 0).every(({ sites }) => sites === measured.items),
	};
}

/** A run at a service that limits the rate. */
export interface LimitedRun {
	limit: Limit;
	/** Whether the service states the wait. */
	kind: string;
	sites: number;
	refused: number;
	/** Times as long as the limit itself takes. */
	time: number;
}

export async function measureLimit(platform: Platform, limit: Limit): Promise<LimitedRun[]> {
	const { items, latency, limiter, leastTime, status } = limit;
	const runs: LimitedRun[] = [];
	// nginx does not state the wait
	for (const hasRetryAfter of status === 503 ? [false] : [true, false]) {
		const refusal = refusalBeyond(limiter(), hasRetryAfter, status);
		const run = await platform.run(AQUACULTURE_SITE, { items, latency, refusal });
		const [refused, time] = [run.requests - items, run.milliseconds / leastTime];
		const kind = hasRetryAfter ? 'Retry-After' : 'No Retry-After';
		runs.push({ limit, kind, sites: run.sites, refused, time });
	}
	return runs;
}

/** One run with very many items in an n8n process of its own. */
export interface VeryLargeRun extends Measured {
	caller: Caller;
	/** The peak memory of n8n's process before the run, in kilobytes; `peakMemory` is that after it. */
	memoryBefore: number;
	/** The slowest response of n8n during the run, in milliseconds. */
	slowestHealthCheck: number;
}

export async function measureVeryLarge(platform: Platform, caller: Caller): Promise<VeryLargeRun> {
	const { n8n } = platform;
	await n8n.stop();
	await n8n.start();
	const { peakMemory: memoryBefore } = await platform.run(caller, { items: 1 });
	const over = new AbortController();
	const probe = async () => {
		let slowest = 0;
		while (!over.signal.aborted) {
			const start = performance.now();
			await fetch(`${n8n.baseUrl}/healthz`).catch(() => (slowest = Infinity));
			slowest = Math.max(slowest, performance.now() - start);
			await setTimeout(100);
		}
		return slowest;
	};
	const probing = probe();
	const run = platform.run(caller, { items: VERY_LARGE });
	const measured = await run.finally(() => over.abort());
	const slowestHealthCheck = await probing;
	// Only now is the saving of the execution included
	const { peakMemory } = await platform.run(caller, { items: 1 });
	return { ...measured, caller, memoryBefore, peakMemory, slowestHealthCheck };
}

/** A trigger that polls many sites, 100 ms away, every 20 seconds. */
export interface WatchedSites {
	sites: number;
	activation: number;
	/** From a change of the last site to the execution that it starts. */
	reported: number;
}

/** @throws Error where the change is not reported once */
export async function measureTrigger(platform: Platform, sites: number): Promise<WatchedSites> {
	const { n8n, service, credential } = platform;
	service.faults.site = [{ latencyMs: 100 }];
	const watched = service.sites.slice(0, sites);
	const siteIds = watched.map(({ siteId }) => siteId);
	const workflow = await n8n.createWorkflow(reportChanges(credential, siteIds, every(20)));
	const start = Date.now();
	await n8n.activate(workflow);
	const changedAt = Date.now();
	at(watched, -1).info.license = 'SAMPLE-CHANGED';
	const newest = async () => (await n8n.executions(workflow))[0];
	const { id } = await until('the change is reported', newest, { timeoutMs: 300_000 });
	const reported = Date.now() - changedAt;
	await n8n.deactivate(workflow);
	service.faults.site = [];
	const items = (await n8n.waitForExecution(id)).json('Reported');
	if (items.length !== 1) throw new Error(`One change, but ${items.length} items`);
	return { sites, activation: changedAt - start, reported };
}
