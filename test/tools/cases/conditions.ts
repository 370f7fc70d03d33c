import type { Fault, Faults } from '../fake-service/faults';
import { refusalBeyond } from '../fake-service/limit';
import { bucket, fixedWindow, type Limiter } from '../helpers/limiters';

/** What became of a run. */
export interface Outcome {
	/** Sites. */
	read: number;
	failures: { siteId: number; message: string }[];
	logins: number;
	/** For sites, and those of them that failed. */
	requests: number;
	failed: number;
	seconds: number;
}

/** What a service does in a run of the node, and what has to come of it. */
export interface Condition {
	name: string;
	/** Sites; their IDs begin with 1. */
	items: number;
	service: (clock: { now: () => number }) => Partial<Faults>;
	/** Milliseconds; those of the node unless given. */
	timeout?: number;
	/** Milliseconds. */
	tokenLifetime?: number;
	/** What n8n has of an earlier run; none unless given. */
	token?: 'none' | 'valid' | 'expired';
	/** At most; `fresh` is what a run at a service that is well takes. */
	seconds?: number | ((fresh: number) => number);
	/** Sites that cannot be read; none unless given. */
	unreadable?: (siteId: number) => boolean;
	/** Requests that fail, and logins, at most; logins may depend on the seconds that the run took. */
	failed?: number;
	logins?: number | ((seconds: number) => number);
	/** What each of the failures says. */
	message?: RegExp;
	/** Seconds after which the person stops the run; nothing is reported of the sites that are left. */
	stopAfter?: number;
	/** Seconds to rest before the same run again, which must meet the same bounds. */
	again?: number;
}

const FOURTH = (siteId: number) => siteId % 4 === 1;
const SCATTERED = (siteId: number) => (siteId * 7919) % 97 < 24;
const FIRST_TWENTY = (siteId: number) => siteId <= 20;

const only = (isHit: (siteId: number) => boolean, fault: Fault): Fault => ({
	...fault,
	when: ({ siteId = 0 }) => isHit(siteId),
});

/** 30 per 20 seconds, as an earlier run has left it: nothing more is accepted for now. */
function usedUp(): Limiter {
	const limiter = fixedWindow(30, 20_000);
	let left = 30;
	return (now) => {
		for (; left > 0; left--) limiter(now);
		return limiter(now);
	};
}

type Limit = [
	name: string,
	limiter: () => Limiter,
	items: number,
	/** Seconds that the limit itself takes; the run may take so many times as long. */
	least: number,
	times?: number,
	failed?: number,
];

const RATE_LIMITS: Limit[] = [
	['window of 20 a second', () => fixedWindow(20, 1000), 200, 9],
	['bucket of 20, 20 a second', () => bucket(20, 20), 200, 9],
	['bucket of 5, 5 a second', () => bucket(5, 5), 60, 11],
	['bucket of 1, 10 a second', () => bucket(1, 10), 60, 5.9, 2.5],
	['100 per 20 seconds', () => fixedWindow(100, 20_000), 250, 40, 1.45, 128 + 25],
	['30 per 20 seconds, used up by an earlier run', usedUp, 90, 60, 1.25, 128 + 9],
];
const A_MINUTE: Limit = ['100 a minute', () => fixedWindow(100, 60_000), 130, 60, 1.45, 128 + 13];

const BY_503: Limit[] = [
	['nginx, 10 a second', () => bucket(1, 10), 60, 5.9, 2.5],
	['nginx, 10 a second, burst 10', () => bucket(11, 10), 100, 8.9],
	['nginx, 30 a minute, burst 10', () => bucket(11, 0.5), 40, 58],
	['ASP.NET Core, window of 20 a second', () => fixedWindow(20, 1000), 200, 9],
	['ASP.NET Core, 4 per 12 seconds', () => fixedWindow(4, 12_000), 24, 60],
	['ASP.NET Core, bucket of 100, 200 a second', () => bucket(100, 200), 1000, 4.5],
];

const limited = (
	[name, limiter, items, least, times = 1.4, failed = 64 + 0.2 * items]: Limit,
	status: number,
	hasRetryAfter: boolean,
): Condition => ({
	name: `limits the rate with ${status}, ${name}, Retry-After: ${hasRetryAfter ? 'yes' : 'no'}`,
	items,
	service: ({ now }) => {
		const limit = limiter();
		return { site: [refusalBeyond(() => limit(now()), hasRetryAfter, status)] };
	},
	seconds: least * (status === 503 ? Math.max(2, times) : times) + 0.5,
	// With 503, ten tell that it is not about single sites
	failed: failed + (status === 503 ? 10 : 0),
	again: least,
});

/** 8 requests at once, 50 ms each; the others wait. */
function workers(now: () => number): Fault {
	const freeAt = Array.from({ length: 8 }, () => 0);
	const latencyMs = () => {
		const first = freeAt.indexOf(Math.min(...freeAt));
		const end = Math.max(now(), freeAt[first] ?? 0) + 50;
		freeAt[first] = end;
		return end - now();
	};
	return { latencyMs };
}

/** From the n-th request on, for this many milliseconds. */
function outage(now: () => number, skip: number, milliseconds: number, fault: Fault): Fault {
	let [sent, start] = [0, Infinity];
	const when = () => {
		if (++sent > skip) start = Math.min(start, now());
		return now() >= start && now() < start + milliseconds;
	};
	return { ...fault, when };
}

const withStatus = (...codes: number[]): Record<string, Fault> =>
	Object.fromEntries(codes.map((status) => [status, { status }]));

const OUTAGES = { ...withStatus(500, 502, 503), reset: { connection: 'reset' } as const };
const SITE_FAULTS = {
	...OUTAGES,
	...withStatus(520),
	'503 with Retry-After 2': { status: 503, retryAfter: 2 },
};
const STRAY_REFUSALS = {
	...withStatus(503),
	'429 with Retry-After 1': { status: 429, retryAfter: 1 },
};
const ILL_LOGINS: Record<string, Fault> = {
	...OUTAGES,
	...withStatus(401, 403, 423),
	'429 with Retry-After 1': { status: 429, retryAfter: 1 },
	'a hang': { connection: 'hang' },
};
/** How many requests are sent before a service fails. */
const SINCE = { 'from the start': 0, 'in mid-run': 150 };
const STOPPED: Record<string, Partial<Faults>> = {
	'is slow': { site: [{ latencyMs: 1500 }] },
	hangs: { site: [{ connection: 'hang' }] },
	'is unavailable': { site: [{ status: 502 }] },
	'asks everyone to wait for half a minute': { site: [{ status: 429, retryAfter: 30 }] },
	'hangs at the login': { token: [{ connection: 'hang' }] },
};

function rows<T>(
	record: Record<string, T>,
	toRow: (name: string, value: T) => Condition | Condition[],
): Condition[] {
	return Object.entries(record).flatMap(([name, value]) => toRow(name, value));
}

const UNAVAILABLE = /^The (service is unavailable|connection to the service was lost)/;

/** What the service does, and what comes of it for the person; in the order of docs/requests.md. */
export const CONDITIONS: Condition[] = [
	{
		name: 'is well',
		items: 200,
		service: () => ({}),
		seconds: (fresh) => 1.1 * fresh,
		failed: 0,
		logins: 1,
	},
	...RATE_LIMITS.flatMap((limit) => [limited(limit, 429, true), limited(limit, 429, false)]),
	limited(A_MINUTE, 429, true),
	...BY_503.flatMap((limit) => [limited(limit, 503, true), limited(limit, 503, false)]),
	...[0, 10, 100, 150].flatMap((skip) =>
		rows(STRAY_REFUSALS, (name, fault) => ({
			name: `refuses request ${skip + 1} once, with ${name}`,
			items: 200,
			service: () => ({ site: [{ ...fault, skip, times: 1 }] }),
			seconds: (fresh) => 2 * fresh + 1,
			failed: 1,
		})),
	),
	...rows(
		{
			'every fourth site': { items: 200, seconds: 15 },
			'every fourth of 1,000 sites': { items: 1000, seconds: 20 },
		},
		(which, size) =>
			rows(SITE_FAULTS, (name, fault) => ({
				name: `has ${which} out of order for ever: ${name}`,
				...size,
				service: () => ({ site: [only(FOURTH, fault)] }),
				unreadable: FOURTH,
				message: UNAVAILABLE,
			})),
	),
	{
		name: 'has a quarter of the sites out of order for ever, in no order: 503',
		items: 1000,
		service: () => ({ site: [only(SCATTERED, { status: 503 })] }),
		unreadable: SCATTERED,
		seconds: 20,
		message: /^The service is unavailable/,
	},
	{
		name: 'has every fourth site out of order for ever: a hang, with a timeout of 2 s',
		items: 200,
		timeout: 2000,
		service: () => ({ site: [only(FOURTH, { connection: 'hang' })] }),
		unreadable: FOURTH,
		// Four times the timeout, and three backoffs
		seconds: 8 + 7 + 1,
		message: /^The service did not respond in time/,
	},
	...[401, 403].flatMap((status) =>
		(['none', 'valid', 'expired'] as const).flatMap((token) =>
			rows(
				{ 'every fourth site': FOURTH, 'the first twenty sites of the list': FIRST_TWENTY },
				(which, unreadable) => ({
					name: `closes ${which} with ${status}, token: ${token}`,
					items: 200,
					token,
					service: () => ({ site: [only(unreadable, { status })] }),
					unreadable,
					seconds: (fresh) => 2 * fresh + 3,
					logins: 4,
					message: /^This user has no access to site \d+/,
				}),
			),
		),
	),
	...[2, 5, 8].flatMap((seconds) =>
		rows(OUTAGES, (name, fault) => ({
			name: `fails for ${seconds} seconds in mid-run: ${name}`,
			items: 400,
			service: ({ now }) => ({ site: [outage(now, 150, 1000 * seconds, fault)] }),
			seconds: 2 * seconds + 15,
		})),
	),
	...rows(SINCE, (when, skip) => [
		...rows(OUTAGES, (name, fault) => ({
			name: `fails for ever ${when}: ${name}`,
			items: 1000,
			service: ({ now }) => ({ site: [outage(now, skip, Infinity, fault)] }),
			unreadable: (siteId) => siteId > skip,
			seconds: 40,
			failed: 300,
			message: new RegExp(`${UNAVAILABLE.source}|^Not requested because`),
		})),
		...[2, 10, 30].map((timeout): Condition => ({
			name: `hangs ${when}, with a timeout of ${timeout} s`,
			items: 400,
			timeout: 1000 * timeout,
			service: ({ now }) => ({ site: [outage(now, skip, Infinity, { connection: 'hang' })] }),
			unreadable: (siteId) => siteId > skip,
			seconds: 2 * timeout + 30 + 1,
			message: /^(The service did not respond in time|Not requested because)/,
		})),
	]),
	{
		name: 'lets each token expire after 10 seconds',
		items: 1000,
		token: 'expired',
		tokenLifetime: 10_000,
		service: ({ now }) => ({ site: [{ latencyMs: 2000 }, workers(now)] }),
		logins: (seconds) => 1 + Math.ceil(seconds / 10),
	},
	{
		name: 'accepts no token',
		items: 200,
		service: () => ({ site: [{ status: 401 }] }),
		unreadable: () => true,
		logins: 2,
		failed: 300,
		seconds: 5,
		message: /^The service rejected a newly issued access token/,
	},
	{
		name: 'accepts no token any more in mid-run',
		items: 200,
		token: 'valid',
		service: ({ now }) => ({ site: [outage(now, 100, Infinity, { status: 401 })] }),
		unreadable: (siteId) => siteId > 100,
		logins: 2,
		failed: 400,
		seconds: 5,
	},
	{
		name: 'has 8 workers of 50 ms',
		items: 200,
		service: ({ now }) => ({ site: [workers(now)] }),
		seconds: (fresh) => 1.5 * (1.25 + fresh),
	},
	...rows(ILL_LOGINS, (name, fault) => ({
		name: `has an ill token endpoint: ${name}`,
		items: 200,
		service: () => ({ token: [fault] }),
		unreadable: () => true,
		logins: 8,
		seconds: fault.connection === 'hang' ? 300 : 40,
	})),
	...rows(STOPPED, (name, faults) => ({
		name: `${name}, and the person stops the run`,
		items: 400,
		stopAfter: 2,
		service: () => faults,
		unreadable: () => true,
		seconds: 2,
	})),
];
