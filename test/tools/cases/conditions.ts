import type { Fault, Faults } from '../fake-service/faults';
import { bucket, fixedWindow, type Limiter } from '../helpers/limiters';

/** What became of a run. */
export interface Outcome {
	/** Sites. */
	read: number;
	failures: { siteId: number; message: string; description: string }[];
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
	maxRetries?: number;
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
const everyFourth = (fault: Fault): Fault => ({
	...fault,
	when: ({ siteId = 0 }) => FOURTH(siteId),
});

/** Refuses what is beyond a limit; with Retry-After, that states the wait in whole seconds. */
function refusal(
	now: () => number,
	limiter: Limiter,
	{ status = 429, hasRetryAfter = true } = {},
): Fault {
	let wait = 0;
	const when = () => (wait = limiter(now())) > 0;
	const retryAfter = () => Math.max(1, Math.ceil(wait / 1000));
	return { status, when, ...(hasRetryAfter && { retryAfter }) };
}

/** As an earlier run has left it: nothing more is accepted for now. */
function usedUp(limiter: Limiter, accepted: number): Limiter {
	let left = accepted;
	return (now) => {
		for (; left > 0; left--) limiter(now);
		return limiter(now);
	};
}

interface Limit {
	name: string;
	limiter: () => Limiter;
	items: number;
	/** Seconds that the limit itself takes. */
	least: number;
	/** Times as long. */
	times?: number;
	failed?: number;
}

const RATE_LIMITS: Limit[] = [
	{ name: 'window of 20 a second', limiter: () => fixedWindow(20, 1000), items: 200, least: 9 },
	{ name: 'bucket of 20, 20 a second', limiter: () => bucket(20, 20), items: 200, least: 9 },
	{ name: 'bucket of 5, 5 a second', limiter: () => bucket(5, 5), items: 60, least: 11 },
	{
		name: 'bucket of 1, 10 a second',
		limiter: () => bucket(1, 10),
		items: 60,
		least: 5.9,
		times: 2.5,
	},
	{
		name: '100 per 20 seconds',
		limiter: () => fixedWindow(100, 20_000),
		...{ items: 250, least: 40, times: 1.45, failed: 128 + 25 },
	},
	{
		name: '30 per 20 seconds, used up by an earlier run',
		limiter: () => usedUp(fixedWindow(30, 20_000), 30),
		...{ items: 90, least: 60, times: 1.25, failed: 128 + 9 },
	},
];

const BY_503: Limit[] = [
	{ name: 'nginx, 10 a second', limiter: () => bucket(1, 10), items: 60, least: 5.9, times: 2.5 },
	{ name: 'nginx, 10 a second, burst 10', limiter: () => bucket(11, 10), items: 100, least: 8.9 },
	{ name: 'nginx, 30 a minute, burst 10', limiter: () => bucket(11, 0.5), items: 40, least: 58 },
	{
		name: 'ASP.NET Core, window of 20 a second',
		limiter: () => fixedWindow(20, 1000),
		items: 200,
		least: 9,
	},
	{
		name: 'ASP.NET Core, 4 per 12 seconds',
		limiter: () => fixedWindow(4, 12_000),
		items: 24,
		least: 60,
	},
	{
		name: 'ASP.NET Core, bucket of 100, 200 a second',
		limiter: () => bucket(100, 200),
		items: 1000,
		least: 4.5,
	},
];

const limited = (
	{ name, limiter, items, least, times = 1.4, failed = 64 + 0.2 * items }: Limit,
	status: number,
	hasRetryAfter: boolean,
): Condition => ({
	name: `limits the rate with ${status}, ${name}, Retry-After: ${hasRetryAfter ? 'yes' : 'no'}`,
	items,
	service: ({ now }) => ({ site: [refusal(now, limiter(), { status, hasRetryAfter })] }),
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

const SITE_FAULTS: Record<string, Fault> = {
	500: { status: 500 },
	502: { status: 502 },
	503: { status: 503 },
	'503 with Retry-After 2': { status: 503, retryAfter: 2 },
	520: { status: 520 },
	reset: { connection: 'reset' },
};
const OUTAGES: Record<string, Fault> = {
	500: { status: 500 },
	502: { status: 502 },
	503: { status: 503 },
	reset: { connection: 'reset' },
};
const ILL_LOGINS: Record<string, Fault> = {
	...OUTAGES,
	'429 with Retry-After 1': { status: 429, retryAfter: 1 },
	401: { status: 401 },
	403: { status: 403 },
	423: { status: 423 },
	'a hang': { connection: 'hang' },
};

const rows = <T>(record: Record<string, T>, toRow: (name: string, value: T) => Condition[]) =>
	Object.entries(record).flatMap(([name, value]) => toRow(name, value));

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
	limited(
		{
			name: '100 a minute',
			limiter: () => fixedWindow(100, 60_000),
			...{ items: 130, least: 60, times: 1.45, failed: 128 + 13 },
		},
		429,
		true,
	),
	...BY_503.flatMap((limit) => [limited(limit, 503, true), limited(limit, 503, false)]),
	...[0, 10, 100, 150].flatMap((skip) =>
		rows(
			{ '429 with Retry-After 1': { status: 429, retryAfter: 1 }, 503: { status: 503 } },
			(name, fault) => [
				{
					name: `refuses request ${skip + 1} once, with ${name}`,
					items: 200,
					service: () => ({ site: [{ ...fault, skip, times: 1 }] }),
					seconds: (fresh) => 2 * fresh + 1,
					failed: 1,
				},
			],
		),
	),
	...rows(SITE_FAULTS, (name, fault) => [
		{
			name: `has every fourth site out of order for ever: ${name}`,
			items: 200,
			service: () => ({ site: [everyFourth(fault)] }),
			unreadable: FOURTH,
			seconds: 15,
			message: /^The (service is unavailable|connection to the service was lost)/,
		},
		{
			name: `has every fourth of 1,000 sites out of order for ever: ${name}`,
			items: 1000,
			service: () => ({ site: [everyFourth(fault)] }),
			unreadable: FOURTH,
			seconds: 20,
			message: /^The (service is unavailable|connection to the service was lost)/,
		},
	]),
	{
		name: 'has a quarter of the sites out of order for ever, in no order: 503',
		items: 1000,
		service: () => ({ site: [{ status: 503, when: ({ siteId = 0 }) => SCATTERED(siteId) }] }),
		unreadable: SCATTERED,
		seconds: 20,
		message: /^The service is unavailable/,
	},
	{
		name: 'has every fourth site out of order for ever: a hang, with a timeout of 2 s',
		items: 200,
		timeout: 2000,
		service: () => ({ site: [everyFourth({ connection: 'hang' })] }),
		unreadable: FOURTH,
		// Four times the timeout, and three backoffs
		seconds: 8 + 7 + 1,
		message: /^The service did not respond in time/,
	},
	...[401, 403].flatMap((status) =>
		(['none', 'valid', 'expired'] as const).flatMap((token): Condition[] => [
			{
				name: `closes every fourth site with ${status}, token: ${token}`,
				items: 200,
				token,
				service: () => ({ site: [everyFourth({ status })] }),
				unreadable: FOURTH,
				seconds: (fresh) => 2 * fresh + 3,
				logins: 4,
				message: /^This user has no access to site \d+/,
			},
			{
				name: `closes the first twenty sites of the list with ${status}, token: ${token}`,
				items: 200,
				token,
				service: () => ({ site: [{ status, when: ({ siteId = 0 }) => siteId <= 20 }] }),
				unreadable: (siteId) => siteId <= 20,
				seconds: (fresh) => 2 * fresh + 3,
				logins: 4,
				message: /^This user has no access to site \d+/,
			},
		]),
	),
	...[2, 5, 8].flatMap((seconds) =>
		rows(OUTAGES, (name, fault) => [
			{
				name: `fails for ${seconds} seconds in mid-run: ${name}`,
				items: 400,
				service: ({ now }) => ({ site: [outage(now, 150, 1000 * seconds, fault)] }),
				seconds: 2 * seconds + 15,
			},
		]),
	),
	...[0, 150].flatMap((skip) =>
		rows(OUTAGES, (name, fault) => [
			{
				name: `fails for ever ${skip === 0 ? 'from the start' : 'in mid-run'}: ${name}`,
				items: 1000,
				service: ({ now }) => ({ site: [outage(now, skip, Infinity, fault)] }),
				unreadable: (siteId) => siteId > skip,
				seconds: 40,
				failed: 300,
				message:
					/^(The service is unavailable|The connection to the service was lost|Not requested because)/,
			},
		]),
	),
	...[2, 10, 30].flatMap((timeout) =>
		[0, 150].map((skip): Condition => ({
			name: `hangs ${skip === 0 ? 'from the start' : 'in mid-run'}, with a timeout of ${timeout} s`,
			items: 400,
			timeout: 1000 * timeout,
			service: ({ now }) => ({ site: [outage(now, skip, Infinity, { connection: 'hang' })] }),
			unreadable: (siteId) => siteId > skip,
			seconds: 2 * timeout + 30 + 1,
			message: /^(The service did not respond in time|Not requested because)/,
		})),
	),
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
	...rows(ILL_LOGINS, (name, fault) => [
		{
			name: `has an ill token endpoint: ${name}`,
			items: 200,
			service: () => ({ token: [fault] }),
			unreadable: () => true,
			logins: 8,
			seconds: fault.connection === 'hang' ? 300 : 40,
		},
	]),
	...rows<Partial<Faults>>(
		{
			'is slow': { site: [{ latencyMs: 1500 }] },
			hangs: { site: [{ connection: 'hang' }] },
			'asks everyone to wait for half a minute': { site: [{ status: 429, retryAfter: 30 }] },
			'hangs at the login': { token: [{ connection: 'hang' }] },
		},
		(name, faults) => [
			{
				name: `${name}, and the person stops the run`,
				items: 400,
				stopAfter: 2,
				service: () => faults,
				unreadable: () => true,
				seconds: 2,
			},
		],
	),
];
