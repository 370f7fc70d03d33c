import { count } from '../helpers/numbers';
import { bucket, fixedWindow, type Limiter } from '../helpers/limiters';
import type { Setting } from './platform';

/** Something to measure: all callers side by side in the same setting, again and again. */
export type Case = Setting & { title: string; rounds: number };

export const VERY_LARGE = 10_000;
/** Of n8n's own /healthz, with so many items. */
export const MOST_HEALTH_CHECK_MS = 500;

/** Milliseconds that the service takes for each response, and with each of them numbers of items. */
const DISTANCES = [0, 30, 100, 200, 500];
const SIZES = [1, 5, 20, 50, 200, 1000];

export const MATRIX = DISTANCES.flatMap((latency) =>
	SIZES.map((items): Case => {
		const title = `${count(items, 'item')}, ${latency} ms`;
		return { title, items, latency, rounds: items > 200 ? 5 : 7 };
	}),
);

/** How many times as fast as HTTP Request the node must be. */
export function leastRatio({ items, latency = 0 }: Setting): number {
	if (latency === 500) return 0.6;
	if (items === 1000) return latency === 0 ? 3 : latency === 30 ? 2.8 : latency === 100 ? 2.5 : 1.6;
	if (items === 200 && latency === 200) return 1.2;
	return items < 5 ? 1 : 1.05;
}

/** A service that limits the rate. */
export interface Limit extends Setting {
	title: string;
	limiter: () => Limiter;
	/** Milliseconds that the limit itself takes. */
	leastTime: number;
	/** In each run; what was refused while nothing was known of the limit, and a share of the items. */
	mostRefused: number;
	/** Times as long as the limit itself takes. */
	mostTime: number;
	/** 429 unless given. */
	status?: number;
}

/** At first all that may be in flight are refused, later one in five. */
const bounds = (items: number, leastTime: number, mostTime: number) => {
	return { items, leastTime, mostTime, latency: 5, mostRefused: 64 + 0.2 * items };
};

/** As nginx refuses, unless it is told otherwise. Ten refusals more tell a limit from single sites. */
const nginx = (limit: ReturnType<typeof bounds>) => {
	return { ...limit, status: 503, mostRefused: limit.mostRefused + 10 };
};

const perSecond = bounds(200, 9000, 1.4);
const long = { ...bounds(250, 40_000, 1.45), mostRefused: 128 + 25 };
const one = bounds(60, 5900, 2.5);
const bucket1 = () => bucket(1, 10);

export const LIMITS: Limit[] = [
	{ ...perSecond, title: '20 per second', limiter: () => fixedWindow(20, 1000) },
	{ ...bounds(60, 11_000, 1.4), title: 'bucket of 5, 5 per second', limiter: () => bucket(5, 5) },
	{ ...long, title: '100 per 20 seconds', limiter: () => fixedWindow(100, 20_000) },
	{ ...one, title: 'bucket of 1, 10 per second', limiter: bucket1 },
	{ ...nginx(one), title: 'nginx, 10 per second, status 503', limiter: bucket1 },
	{
		...nginx(bounds(100, 8900, 2)),
		title: 'nginx, 10 per second, burst of 10, status 503',
		limiter: () => bucket(11, 10),
	},
];
