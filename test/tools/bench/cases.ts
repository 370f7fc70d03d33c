import { refusalBeyond } from '../fake-service/limit';
import { bucket, fixedWindow, type Limiter } from '../helpers/limiters';
import { AQUACULTURE_SITE, BARE_HELPER, type Caller, DECLARATIVE, HTTP_REQUEST } from './callers';
import type { Setting } from './platform';

/** Something to measure: callers side by side in the same setting, again and again. */
export interface Case {
	title: string;
	setting: Setting;
	/** The first one is the node. */
	callers: Caller[];
	rounds: number;
}

const itemsText = (items: number) =>
	items === 1 ? '1 item' : `${items.toLocaleString('en')} items`;

export const VERY_LARGE = 10_000;

/** Milliseconds that the service takes for each response, and items; `quick` takes a few of them. */
const distances = (quick: boolean) => (quick ? [0, 200] : [0, 30, 100, 200, 500]);
const sizes = (quick: boolean) => (quick ? [5, 200] : [1, 5, 20, 50, 200, 1000]);

/** Each distance with each size. */
export const matrix = (quick: boolean): Case[] =>
	distances(quick).flatMap((latency) =>
		sizes(quick).map((items) => ({
			title: `${itemsText(items)}, ${latency} ms`,
			setting: { items, latency },
			callers: [AQUACULTURE_SITE, HTTP_REQUEST],
			rounds: quick ? 3 : items > 200 ? 5 : 7,
		})),
	);

/** How many times as fast as HTTP Request the node must be. */
export function leastRatio({ items, latency = 0 }: Setting): number {
	if (latency === 500) return 0.6;
	if (items === 1000) return latency === 0 ? 3 : latency === 30 ? 2.8 : latency === 100 ? 2.5 : 1.6;
	if (items === 200 && latency === 200) return 1.2;
	return items < 5 ? 1 : 1.05;
}

/** Against the fastest that n8n can be. */
export const lowerLimit = (quick: boolean): Case[] =>
	(quick ? [30] : [30, 200]).map((latency) => ({
		title: `${itemsText(quick ? 200 : 1000)}, ${latency} ms`,
		setting: { items: quick ? 200 : 1000, latency },
		callers: [AQUACULTURE_SITE, BARE_HELPER],
		rounds: quick ? 3 : 15,
	}));

/** A service that limits the rate. */
export interface Limit {
	title: string;
	limiter: () => Limiter;
	items: number;
	latency: number;
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
const window20 = () => fixedWindow(20, 1000);
const bucket1 = () => bucket(1, 10);

export const limits = (quick: boolean): Limit[] =>
	[
		{ ...perSecond, title: '20 per second, 5 ms away', limiter: window20 },
		{ ...perSecond, title: '20 per second, 100 ms away', limiter: window20, latency: 100 },
		{ ...perSecond, title: 'bucket of 20, 20 per second', limiter: () => bucket(20, 20) },
		{ ...bounds(60, 11_000, 1.4), title: 'bucket of 5, 5 per second', limiter: () => bucket(5, 5) },
		{
			...bounds(250, 40_000, 1.45),
			mostRefused: 128 + 25,
			title: '100 per 20 seconds',
			limiter: () => fixedWindow(100, 20_000),
		},
		{ ...bounds(60, 5900, 2.5), title: 'bucket of 1, 10 per second', limiter: bucket1 },
		{
			...nginx(bounds(60, 5900, 2.5)),
			title: 'nginx, 10 per second, status 503',
			limiter: bucket1,
		},
		{
			...nginx(bounds(100, 8900, 2)),
			title: 'nginx, 10 per second, burst of 10, status 503',
			limiter: () => bucket(11, 10),
		},
	].slice(0, quick ? 1 : undefined);

/** What a run finds after one in which something was refused. */
export interface Aftermath {
	title: string;
	/** The run before. */
	before: Setting;
	setting: Setting;
}

/** Nothing of a run slows the next one down. */
export const aftermaths = (quick: boolean): Aftermath[] => [
	{
		title: `after a stray refusal: ${itemsText(200)}, 100 ms`,
		before: { items: 20, refusal: { status: 429, retryAfter: 1, skip: 10, times: 1 } },
		setting: { items: 200, latency: 100 },
	},
	{
		title: `after a limit of 20 per second was lifted: ${itemsText(quick ? 200 : 1000)}, 30 ms`,
		before: { items: quick ? 40 : 200, refusal: refusalBeyond(fixedWindow(20, 1000), true) },
		setting: { items: quick ? 200 : 1000, latency: 30 },
	},
];

/** With other tokens than a valid one, and with many items that refer to few sites, as after a join. */
export function others(quick: boolean): Case[] {
	const callers = [AQUACULTURE_SITE, HTTP_REQUEST, DECLARATIVE];
	const rounds = quick ? 1 : 5;
	const withToken = (items: number, token: Setting['token']): Case => {
		const title = `${token}, ${itemsText(items)}`;
		return { title, setting: { items, token }, callers, rounds };
	};
	return [
		withToken(quick ? 20 : 200, 'cold'),
		withToken(quick ? 20 : 200, 'expired'),
		withToken(20, 'wrong password'),
		{
			title: '500 items over 12 sites',
			setting: { items: 500, sites: 12 },
			callers: [...callers, BARE_HELPER],
			rounds,
		},
	];
}
