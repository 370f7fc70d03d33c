import { at, defined } from '../helpers/at';
import { median } from '../helpers/numbers';
import type { Caller } from './callers';
import type { Case } from './cases';
import type { Measured, Platform } from './platform';

/** What a caller took in a case: time and requests in the median of its rounds, the rest in the worst of them. */
export interface Row extends Omit<Measured, 'arrivals' | 'peakMemory' | 'sites'> {
	caller: Caller;
	/** Time divided by that of the first caller in the same round, the median of that. */
	ratio: number;
	/** Requests that arrived before the first response, in the round with the most of them. */
	firstBurst: number;
	/** In flight at the service in the middle 80 % of a round, as the median of all rounds. */
	meanInFlight: number;
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
		const all = (field: Exclude<keyof Measured, 'arrivals'>) => own.map((run) => run[field]);
		const loads = own.map(({ arrivals }) => loadOf(arrivals, measured.setting.latency ?? 0));
		return {
			caller,
			milliseconds: median(all('milliseconds')),
			requests: median(all('requests')),
			failed: Math.max(...all('failed')),
			logins: Math.max(...all('logins')),
			firstBurst: Math.max(...loads.map(({ firstBurst }) => firstBurst)),
			meanInFlight: median(loads.map(({ mean }) => mean)),
			mostInFlight: Math.max(...all('mostInFlight')),
			ratio: median(all('milliseconds').map((ms, round) => ms / at(first, round).milliseconds)),
		};
	};
	return { case: measured, rows: callers.map(rowOf) };
}

/** What the service bore: each request is in flight there for its latency. */
function loadOf(arrivals: number[], latency: number) {
	const first = arrivals[0] ?? 0;
	const inFlightAt = (time: number) =>
		arrivals.filter((arrival) => arrival <= time && time < arrival + latency).length;
	const length = (arrivals.at(-1) ?? 0) + latency - first;
	const samples = Array.from({ length: 500 }, (_, step) => first + ((step + 0.5) / 500) * length);
	const middle = samples.slice(50, 450).map(inFlightAt);
	return {
		firstBurst: inFlightAt(first + latency - 1),
		mean: middle.reduce((sum, count) => sum + count, 0) / middle.length,
	};
}
