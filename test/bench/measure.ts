import type { Caller } from './callers';
import type { Case, Group } from './cases';
import type { Measured, Platform } from './platform';

/** What a caller took in a case: time and requests in the middle of its rounds, the rest in the worst of them. */
export interface Row extends Omit<Measured, 'peakMemory'> {
	caller: Caller;
	/** Time divided by that of the first caller of the same round, the median of that. */
	ratio: number;
}

export interface CaseResult {
	case: Case;
	/** In the order of the case's callers; without those whose run n8n did not finish. */
	rows: Row[];
	/** What n8n said instead. */
	unfinished: Array<{ caller: Caller; reason: string }>;
}

export interface GroupResult {
	group: Group;
	results: CaseResult[];
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const half = sorted.length / 2;
	return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

/**
 * Every round runs all callers, each time beginning with the next one, so that all meet the same noise.
 *
 * @throws Error where n8n does not finish a run of the first caller
 */
export async function measureCase(platform: Platform, measured: Case): Promise<CaseResult> {
	const { callers, setting, rounds } = measured;
	const runs = new Map<Caller, Measured[]>(callers.map((caller) => [caller, []]));
	const unfinished: CaseResult['unfinished'] = [];
	for (let round = 0; round < rounds; round++) {
		for (let place = 0; place < callers.length; place++) {
			const caller = callers[(round + place) % callers.length]!;
			if (unfinished.some((other) => other.caller === caller)) continue;
			try {
				runs.get(caller)!.push(await platform.run(caller, setting));
			} catch (error) {
				// By the first one all others are measured
				if (caller === callers[0]) throw error;
				unfinished.push({ caller, reason: (error as Error).message });
			}
		}
	}
	const first = runs.get(callers[0]!)!;
	const rows = callers
		.filter((caller) => !unfinished.some((other) => other.caller === caller))
		.map((caller): Row => {
			const own = runs.get(caller)!;
			const middle = (field: keyof Measured) => median(own.map((run) => run[field]));
			return {
				caller,
				milliseconds: middle('milliseconds'),
				requests: middle('requests'),
				sites: Math.min(...own.map((run) => run.sites)),
				failed: Math.max(...own.map((run) => run.failed)),
				logins: Math.max(...own.map((run) => run.logins)),
				ratio: median(
					own.map(({ milliseconds }, round) => milliseconds / first[round]!.milliseconds),
				),
			};
		});
	return { case: measured, rows, unfinished };
}
