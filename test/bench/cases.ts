import {
	AQUACULTURE_SITE,
	atConcurrency,
	BARE_HELPER,
	type Caller,
	DECLARATIVE,
	HTTP_REQUEST,
	httpRequestInBatches,
} from './callers';
import type { Setting } from './platform';

/** Something to measure: callers side by side in the same setting, again and again. */
export interface Case {
	title: string;
	setting: Setting;
	callers: Caller[];
	rounds: number;
	/** How many times as fast as HTTP Request the node is to be; it is held against the bare helper too. */
	fasterThanHttpRequest?: number;
}

export interface Group {
	title: string;
	/** What a reader has to know about it. */
	about: string;
	cases: Case[];
}

const LOGGING_IN = [AQUACULTURE_SITE, HTTP_REQUEST, DECLARATIVE];
const ALL = [...LOGGING_IN, BARE_HELPER];

const number = (value: number) => value.toLocaleString('en');

/** Requests in a second that the limited service accepts. */
export const PER_SECOND = 20;

/** The least time, in milliseconds, for so many items at the limited service: the first second's are free. */
export const demandedTime = (items: number) => ((items - PER_SECOND) / PER_SECOND) * 1000;

/** Items of the one very large run. */
export const VERY_LARGE = 10_000;

/** All of it, or with `quick` a small part that shows the same picture. */
export function groups(quick: boolean): Group[] {
	const sizes = quick ? [1, 20, 200] : [1, 20, 200, 1000, 3000];
	const rounds = (items: number) => (quick || items > 1000 ? 3 : 9);
	const judged = quick ? 200 : 1000;
	const bySize = (latency: number): Case[] =>
		sizes.map((items) => ({
			title: items === 1 ? '1 item' : `${number(items)} items`,
			setting: { items, latency },
			callers: ALL,
			rounds: rounds(items),
			...(items === judged && { fasterThanHttpRequest: latency === 0 ? 2.5 : 2 }),
		}));
	const some = quick ? 20 : 200;
	const limited = quick ? 60 : 200;
	const concurrencies = quick ? [16, 64] : [4, 8, 16, 32, 64, 100];
	return [
		{
			title: 'No latency',
			about: 'One site for each item; the token is good; the service answers at once.',
			cases: bySize(0),
		},
		{
			title: '30 ms latency',
			about:
				'The same; the service takes 30 ms for each answer. The node begins with few requests at once, out of regard for the service, which a run of 20 items feels; HTTP Request sends them all together.',
			cases: bySize(30),
		},
		{
			title: 'Token',
			about: 'n8n holds no token (cold), or one that the service no longer accepts (expired).',
			cases: (['cold', 'expired'] as const).map((token) => ({
				title: `${token}, ${some} items`,
				setting: { items: some, token },
				callers: LOGGING_IN,
				rounds: quick ? 3 : 5,
			})),
		},
		{
			title: 'Wrong password',
			about: 'Logins are refused ones: too many of them lock an account.',
			cases: [
				{
					title: '20 items',
					setting: { items: 20, token: 'wrong password' },
					callers: LOGGING_IN,
					rounds: 3,
				},
			],
		},
		{
			title: 'The same sites again and again',
			about: 'As after a join: many items, few sites.',
			cases: [
				{
					title: '500 items over 12 sites',
					setting: { items: 500, sites: 12 },
					callers: ALL,
					rounds: quick ? 3 : 5,
				},
			],
		},
		{
			title: 'A limited service',
			about: `The service accepts ${PER_SECOND} requests a second and answers the others 429 with Retry-After; ${limited} items take ${demandedTime(limited) / 1000} s at least. «In batches» is HTTP Request's own option, set by someone who knows the limit.`,
			cases: [
				{
					title: `${limited} items`,
					setting: { items: limited, perSecond: PER_SECOND },
					callers: [...LOGGING_IN, httpRequestInBatches(PER_SECOND)],
					rounds: quick ? 1 : 3,
				},
			],
		},
		{
			title: 'Max Concurrency',
			about: 'The node at its default, and with the option «Max Concurrency».',
			cases: [0, 30].map((latency) => ({
				title: `${number(judged)} items, ${latency} ms`,
				setting: { items: judged, latency },
				callers: [AQUACULTURE_SITE, ...concurrencies.map(atConcurrency)],
				rounds: 3,
			})),
		},
	];
}
