import {
	AQUACULTURE_SITE,
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
	/** The first one is the node. */
	callers: Caller[];
	rounds: number;
	/** How many times as fast as HTTP Request the node must be; it is also compared with the bare helper. */
	fasterThanHttpRequest?: number;
}

export interface Group {
	title: string;
	/** What a reader must know about it. */
	about: string;
	cases: Case[];
}

const LOGGING_IN = [AQUACULTURE_SITE, HTTP_REQUEST, DECLARATIVE];
const ALL = [...LOGGING_IN, BARE_HELPER];

const itemsText = (items: number) =>
	items === 1 ? '1 item' : `${items.toLocaleString('en')} items`;

/** Requests per second that the rate-limited service accepts. */
const PER_SECOND = 20;

/** The minimum time for so many items at the rate-limited service: those of the first second are free. */
export const minimumTimeMs = (items: number) => ((items - PER_SECOND) / PER_SECOND) * 1000;

export const VERY_LARGE = 10_000;

/** All cases, or with `quick` a small part that shows the same picture. */
export function groups(quick: boolean): Group[] {
	const few = quick ? 20 : 200;
	const limited = quick ? 60 : 200;
	const judged = quick ? 200 : 1000;
	const rounds = (full: number) => (quick ? 3 : full);
	const bySize = (latency: number) =>
		(quick ? [1, 20, 200] : [1, 20, 200, 1000, 3000]).map((items) => ({
			title: itemsText(items),
			setting: { items, latency },
			callers: ALL,
			rounds: rounds(items > 1000 ? 3 : 9),
			...(items === judged && { fasterThanHttpRequest: latency === 0 ? 2.5 : 2 }),
		}));
	const byToken = (items: number, full: number, ...states: Array<Setting['token']>) =>
		states.map((token) => ({
			title: `${token}, ${itemsText(items)}`,
			setting: { items, token },
			callers: LOGGING_IN,
			rounds: rounds(full),
		}));
	return [
		{
			title: 'No latency',
			about:
				'Each item reads a different site, the token is valid, and the service responds immediately.',
			cases: bySize(0),
		},
		{
			title: '30 ms latency',
			about:
				'As above, but the service takes 30 ms for each response. The node starts with few requests at a time to go easy on the service, which is noticeable in a run of 20 items. HTTP Request sends all requests at once.',
			cases: bySize(30),
		},
		{
			title: 'Token',
			about: 'n8n has no token (cold), or one that the service no longer accepts (expired).',
			cases: byToken(few, 5, 'cold', 'expired'),
		},
		{
			title: 'Wrong password',
			about: 'All logins are rejected. Too many rejected logins lock an account.',
			cases: byToken(20, 3, 'wrong password'),
		},
		{
			title: 'Repeated sites',
			about: 'Many items refer to few sites, as after a join.',
			cases: [
				{
					title: '500 items over 12 sites',
					setting: { items: 500, sites: 12 },
					callers: ALL,
					rounds: rounds(5),
				},
			],
		},
		{
			title: 'A rate-limited service',
			about: `The service accepts ${PER_SECOND} requests per second and responds to all others with status 429 and \`Retry-After\`; ${limited} items take at least ${minimumTimeMs(limited) / 1000} s. "In batches" uses HTTP Request's own **Batching** option, with settings that require knowing the limit.`,
			cases: [
				{
					title: itemsText(limited),
					setting: { items: limited, perSecond: PER_SECOND },
					callers: [...LOGGING_IN, httpRequestInBatches(PER_SECOND)],
					rounds: quick ? 1 : 3,
				},
			],
		},
	];
}
