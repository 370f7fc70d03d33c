import { at, defined } from '../helpers/at';
import { median } from '../helpers/numbers';
import type { Caller } from './callers';
import type { Case } from './cases';
import type { Measured, Platform } from './platform';

/** What a caller took in a case: time and requests in the median of its rounds, the rest in the worst of them. */
export interface Row extends Omit<Measured, 'peakMemory'> {
	caller: Caller;
	/** Time divided by that of the first caller in the same round, the median of that. */
	ratio: number;
}

export interface CaseResult {
	case: Case;
	/** In the order of the case's callers. */
	rows: Row[];
}

/**
 * Every round runs all callers, each time starting with the next one, so that all are subject to the same noise.
 * @throws Error where n8n does not finish a run
 */
export async function measureCase(platform: Platform, measured: Case): Promise<CaseResult> {
	const { callers, setting, rounds } = measured;
	const runs = new Map<Caller, Measured[]>(callers.map((caller) => [caller, []]));
	for (let round = 0; round < rounds; round++) {
		for (const place of callers.keys()) {
			const caller = at(callers, (round + place) % callers.length);
			runs.get(caller)?.push(await platform.run(caller, setting));
		}
	}
	const first = defined(runs.get(at(callers, 0)));
	const rowOf = (caller: Caller): Row => {
		const own = defined(runs.get(caller));
		const all = (field: keyof Measured) => own.map((run) => run[field]);
		return {
			caller,
			milliseconds: median(all('milliseconds')),
			requests: median(all('requests')),
			sites: Math.min(...all('sites')),
			failed: Math.max(...all('failed')),
			logins: Math.max(...all('logins')),
			ratio: median(all('milliseconds').map((ms, round) => ms / at(first, round).milliseconds)),
		};
	};
	return { case: measured, rows: callers.map(rowOf) };
}
