/** How a request can fail: by a status, on its way, or with a 200 that holds no such site or token. */
export type Kind = number | 'reset' | 'refused' | 'hang' | 'garbage';

/** Sites that fail by themselves: for ever, or only the first `times` requests for each. Times are in seconds. */
export interface Bad {
	is: 'bad';
	kind: Kind;
	retryAfter?: number;
	where: 'scattered' | 'first' | 'block';
	share: number;
	/** Of a block, the first site; otherwise, what scatters them. */
	from: number;
	/** Until it answers. */
	delay: number;
	times: number;
}

export interface Limit {
	is: 'limit';
	/** So many in a window of so many seconds, or at once from a bucket that is refilled with so many a second. */
	by: 'window' | 'bucket';
	size: number;
	pace: number;
	status: 429 | 503 | 403;
	retryAfter: 'none' | 'seconds' | 'date';
	isUsedUp: boolean;
	/** Whether logins count, too. */
	isForLogins: boolean;
}

/** Begins with the `from`-th request for a site, 0 is at once; `seconds` may be Infinity. Hits a share of the requests. */
export interface Outage {
	is: 'outage';
	side: 'all' | 'data' | 'token';
	kind: Kind;
	retryAfter?: number;
	from: number;
	seconds: number;
	share: number;
}

export interface TokenTrouble {
	is: 'token';
	/** Seconds that a token lives, requests that it bears, requests at which another process logs in. */
	lifetime: number;
	uses: number;
	revokedAt: number[];
	/** Seconds until a new token is known: to anyone, to both of two servers. */
	late: number;
	oneServer: number;
	isNeverAccepted: boolean;
	/** One session per user: a login ends what was valid before it. */
	isSingle: boolean;
}

/** Without fault. */
export const TOKEN: TokenTrouble = {
	is: 'token',
	lifetime: Infinity,
	uses: Infinity,
	revokedAt: [],
	late: 0,
	oneServer: 0,
	isNeverAccepted: false,
	isSingle: false,
};

export type Trouble =
	| Bad
	| Limit
	| Outage
	| TokenTrouble
	/** Single requests. */
	| { is: 'stray'; kind: Kind; retryAfter?: number; at: number[] }
	| { is: 'workers'; count: number; seconds: number }
	| { is: 'slow'; share: number; seconds: number }
	/** n8n itself throws: for sites, for single requests, from a request on. */
	| { is: 'n8n'; sites: number[]; at: number[]; from: number };

/** A service, and what it is asked. */
export interface Plan {
	seed: number;
	/** Their IDs begin with 1. */
	sites: number;
	/** Milliseconds of a round trip; a random share of the jitter comes on top on each way. */
	latency: number;
	jitter: number;
	/** Milliseconds that n8n's machine works for a request, and as long again for the response. */
	work: number;
	maxConcurrency: number;
	maxRetries: number;
	/** Milliseconds. */
	timeout: number;
	longestWait: number;
	token: 'none' | 'valid' | 'expired';
	/** What an expired token is rejected with, and whether what is wrong with a site is said before. */
	rejection: Kind;
	isSiteFirst: boolean;
	/** Seconds that the service's clock is ahead. */
	clockAhead: number;
	/** Whether a forward proxy that names itself nowhere is on the way, and errors are plain text. */
	isProxied: boolean;
	/** Every so many-th site is asked for twice, with another timeout and Max Retries if `differs`; 0 is none. */
	repeated: { every: number; differs: boolean };
	/** `polls` of the trigger; `three` runs at once, so many seconds apart; `stop` after so many seconds. */
	mode:
		| { is: 'run' }
		| { is: 'stop'; after: number }
		| { is: 'polls' }
		| { is: 'three'; apart: number };
	troubles: Trouble[];
}

export const troublesOf = <K extends Trouble['is']>({ troubles }: Pick<Plan, 'troubles'>, is: K) =>
	troubles.filter((trouble) => trouble.is === is) as Extract<Trouble, { is: K }>[];

/** Whether one of two servers never learns a token, and rejects half of the requests. */
export const isDivided = (plan: Pick<Plan, 'troubles'>): boolean =>
	troublesOf(plan, 'token').some(({ oneServer }) => oneServer === Infinity);
