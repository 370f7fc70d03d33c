import { judge } from './invariants';
import { TOKEN, troublesOf } from './plan';
import type { Bad, Limit, Outage, Plan, Trouble } from './plan';
import { play, type Read } from './play';

const BAD: Bad = {
	is: 'bad',
	kind: 503,
	where: 'scattered',
	share: 0.25,
	from: 1,
	delay: 0,
	times: Infinity,
};
const LIMIT: Limit = {
	is: 'limit',
	by: 'window',
	size: 20,
	pace: 1,
	status: 429,
	retryAfter: 'none',
	isUsedUp: false,
	isForLogins: false,
};
const OUTAGE: Outage = { is: 'outage', side: 'all', kind: 502, from: 0, seconds: 12, share: 1 };
const SLOW: Trouble = { is: 'slow', share: 1, seconds: 1.2 };

const BASE: Plan = {
	seed: 1,
	sites: 200,
	latency: 30,
	jitter: 2,
	work: 0,
	maxConcurrency: 128,
	maxRetries: 3,
	timeout: 30_000,
	longestWait: 60_000,
	token: 'none',
	rejection: 401,
	isSiteFirst: false,
	clockAhead: 0,
	isProxied: false,
	repeated: { every: 0, differs: false },
	mode: { is: 'run' },
	troubles: [],
};

/** Services that people have met, in how many seconds a run must be over, 20 unless given, and after how many requests. */
const NAMED: Record<string, Partial<Plan> & { seconds?: number; requests?: number }> = {
	'is well': { seconds: 1 },
	'closes three sites by 401 at once; the others take 1.2 s': {
		troubles: [{ ...BAD, kind: 401, where: 'block', from: 50, share: 0.015 }, SLOW],
	},
	'closes the first half by 401': {
		seconds: 15,
		sites: 400,
		troubles: [{ ...BAD, kind: 401, where: 'first', share: 0.5 }],
	},
	'closes the first half by 401, and lets 11 through in a second, none at first': {
		sites: 48,
		token: 'valid',
		troubles: [
			{ ...LIMIT, size: 11, isUsedUp: true, retryAfter: 'seconds' },
			{ ...BAD, kind: 401, where: 'first', share: 0.5 },
		],
	},
	'has one site, rejects its token, and lets a request through every 150 ms': {
		seconds: 5,
		sites: 1,
		latency: 18,
		token: 'expired',
		troubles: [{ ...LIMIT, by: 'bucket', size: 1, pace: 6.5, retryAfter: 'seconds' }],
	},
	'has two sites, lets one through in a second, and never has valid data of the first': {
		sites: 2,
		jitter: 0.4,
		troubles: [
			{ ...LIMIT, by: 'bucket', size: 1, isForLogins: true },
			{ ...BAD, kind: 'garbage', where: 'first' },
		],
	},
	'refuses the login with 429 for 45 seconds, and does not say for how long': {
		seconds: 75,
		troubles: [{ ...OUTAGE, side: 'token', kind: 429, seconds: 45 }],
	},
	'refuses the login with 502 for 20 seconds, and the first 80 % of its sites for ever': {
		seconds: 42,
		troubles: [
			{ ...OUTAGE, side: 'token', seconds: 20 },
			{ ...BAD, kind: 502, where: 'first', share: 0.8 },
		],
	},
	'ends the token four times in mid-run: another process logs in': {
		seconds: 15,
		sites: 1000,
		jitter: 9,
		troubles: [{ ...TOKEN, revokedAt: [200, 400, 600, 800], isSingle: true }],
	},
	'tells one of its two servers of a new token 3 s late': {
		seconds: 15,
		sites: 400,
		troubles: [{ ...TOKEN, oneServer: 3 }],
	},
	'ends a new token before a site was read with it, and says so with 400': {
		sites: 3,
		rejection: 400,
		troubles: [{ ...TOKEN, revokedAt: [1], late: 0.4 }],
	},
	'rejects the token of a few sites with 498, and resets the login for 7 seconds': {
		sites: 4,
		token: 'expired',
		rejection: 498,
		troubles: [{ ...OUTAGE, side: 'token', kind: 'reset', seconds: 7 }],
	},
	'takes two a second, 403, and learns of a new token 1.7 s late': {
		seconds: 160,
		troubles: [
			{ ...LIMIT, size: 2, status: 403 },
			{ ...TOKEN, late: 1.7 },
		],
	},
	'has 55 % of the sites out of order: 503': {
		seconds: 40,
		sites: 1000,
		troubles: [{ ...BAD, share: 0.55 }],
	},
	'resets the connection for the first 161': {
		seconds: 30,
		sites: 400,
		troubles: [{ ...BAD, kind: 'reset', where: 'first', share: 161 / 400 }],
	},
	'takes 100 a minute, 429 without Retry-After': {
		seconds: 1.45 * 60 + 1,
		sites: 130,
		troubles: [{ ...LIMIT, size: 100, pace: 60 }],
	},
	'takes 30 in 30 seconds, 429 without Retry-After': {
		seconds: 1.45 * 500,
		sites: 500,
		troubles: [{ ...LIMIT, size: 30, pace: 30 }],
	},
	'says that half the sites are missing, before it looks at the token, which has ended': {
		sites: 180,
		token: 'expired',
		isSiteFirst: true,
		troubles: [{ ...BAD, kind: 404, share: 0.5 }],
	},
	'takes five a second, 503, and fails for 28 s in mid-run': {
		seconds: 85,
		requests: 201 + 64 + 40,
		troubles: [
			{ ...LIMIT, by: 'bucket', size: 5, pace: 5, status: 503 },
			{ ...OUTAGE, from: 100, seconds: 28 },
		],
	},
	'takes 20 a second, 429 with Retry-After': {
		seconds: 1.3 * 9,
		latency: 5,
		troubles: [{ ...LIMIT, retryAfter: 'seconds' }],
	},
	'takes 20 a second, 200 ms away': {
		seconds: 1.4 * 9,
		token: 'valid',
		latency: 200,
		jitter: 10,
		troubles: [LIMIT],
	},
	'is slow, and never tells one of its two servers of a token': {
		seconds: 35,
		sites: 400,
		latency: 5,
		troubles: [SLOW, { ...TOKEN, oneServer: Infinity }],
	},
	'takes 20 a second, 403, 200 ms away': {
		requests: 201 + 64 + 64,
		token: 'valid',
		latency: 200,
		troubles: [{ ...LIMIT, status: 403 }],
	},
	'takes 20 a second, 403 with Retry-After, 100 ms away': {
		requests: 201 + 64 + 40,
		latency: 100,
		troubles: [{ ...LIMIT, status: 403, retryAfter: 'seconds' }],
	},
	'takes 10 a second from a full bucket of 11, 503, at 2 ms of work for each': {
		requests: 101 + 60,
		sites: 100,
		latency: 5,
		work: 2,
		troubles: [{ ...LIMIT, by: 'bucket', size: 11, status: 503, pace: 10 }],
	},
	'takes 20 a second, 503 with a date of a clock that is wrong': {
		clockAhead: 600,
		troubles: [{ ...LIMIT, status: 503, retryAfter: 'date' }],
	},
	'takes 20 a second, 429, and asks to wait 90 s for every fourth site': {
		troubles: [LIMIT, { ...BAD, kind: 429, retryAfter: 90 }],
	},
	'takes 3 a second from a full bucket of 146': {
		seconds: 1.4 * 97 + 1,
		sites: 437,
		latency: 4,
		troubles: [{ ...LIMIT, by: 'bucket', size: 146, pace: 3 }],
	},
	'takes 20 a second, 503, and answers every third site 503 once': {
		seconds: 100,
		sites: 700,
		troubles: [
			{ ...LIMIT, by: 'bucket', size: 90, status: 503, pace: 20 },
			{ ...BAD, share: 1 / 3, times: 1 },
		],
	},
	'takes 20 a second, 503, and asks to wait 90 s for every fourth site': {
		troubles: [
			{ ...LIMIT, by: 'bucket', status: 503, pace: 20 },
			{ ...BAD, retryAfter: 90 },
		],
	},
	'has one worker of 150 ms, timeout 5 s': {
		seconds: 1.5 * 22.5 + 1,
		sites: 150,
		timeout: 5000,
		troubles: [{ is: 'workers', count: 1, seconds: 0.15 }],
	},
	'takes 6 s for half the sites; some are also asked for with a timeout that is long enough': {
		seconds: 150,
		sites: 720,
		timeout: 5000,
		repeated: { every: 4, differs: true },
		troubles: [{ ...SLOW, share: 0.53, seconds: 6.3 }],
	},
	'fails for 12 s at the start, the login too': { seconds: 39, sites: 400, troubles: [OUTAGE] },
	'fails for ever from the start': {
		seconds: 40,
		sites: 1000,
		troubles: [{ ...OUTAGE, seconds: Infinity }],
	},
	'fails for ever in mid-run, beside sites that wait alone': {
		seconds: 100,
		sites: 400,
		troubles: [
			{ ...BAD, retryAfter: 50, share: 0.05 },
			{ ...OUTAGE, from: 300, seconds: Infinity },
		],
	},
	'hangs for the first two thirds': {
		seconds: 250,
		troubles: [{ ...BAD, kind: 'hang', where: 'first', share: 2 / 3 }],
	},
	'hangs in mid-run, timeout 2 s': {
		seconds: 35,
		sites: 400,
		timeout: 2000,
		troubles: [{ ...OUTAGE, kind: 'hang', from: 150, seconds: Infinity }],
	},
	'hangs in mid-run, two at once, after many sites that failed once': {
		seconds: 200,
		maxConcurrency: 2,
		troubles: [
			{ ...BAD, kind: 500, share: 0.3, times: 1 },
			{ ...OUTAGE, kind: 'hang', from: 170, seconds: Infinity },
		],
	},
	'closes one site by 403, behind a proxy that hides': {
		seconds: 2,
		token: 'valid',
		isProxied: true,
		troubles: [{ ...BAD, kind: 403, where: 'block', share: 0.005 }],
	},
	'fails for 3 s, and n8n throws in the middle of it': {
		troubles: [
			{ ...OUTAGE, from: 50, seconds: 3 },
			{ is: 'n8n', sites: [], at: [115, 120], from: Infinity },
		],
	},
	'is slow, and closes every fourth site by 401': {
		seconds: 40,
		token: 'valid',
		sites: 800,
		troubles: [{ ...BAD, kind: 401, share: 0.25 }, SLOW],
	},
	'takes 20 a second from a bucket of one, from three workflows': {
		seconds: 90,
		mode: { is: 'three', apart: 0 },
		troubles: [{ ...LIMIT, by: 'bucket', size: 1, pace: 20 }],
	},
	'refuses the login': {
		seconds: 1,
		troubles: [{ ...OUTAGE, side: 'token', kind: 401, seconds: Infinity }],
	},
	'has one site, which is closed by 401': {
		seconds: 5,
		sites: 1,
		troubles: [{ ...BAD, kind: 401, share: 1 }],
	},
	'has one site, which is out of order, and refuses the login for a second': {
		seconds: 25,
		sites: 1,
		troubles: [
			{ ...OUTAGE, side: 'token', seconds: 1 },
			{ ...BAD, share: 1 },
		],
	},
};

test.each(Object.entries(NAMED))('a service that %s', async (_, named) => {
	const { seconds = 20, requests = Infinity, ...changes } = named;
	const plan = { ...BASE, ...changes };
	const outcome = await play(plan);
	const { findings } = judge(plan, outcome);
	const time = outcome.end / 1000;
	expect({ findings, time }).toEqual({ findings: [], time: Math.min(time, seconds) });
	const { exchanges } = outcome;
	expect(exchanges.length).toBeLessThanOrEqual(requests);
	// A closed site is no reason for a login, and each token costs one
	const logins = exchanges.filter(({ siteId }) => siteId === 0);
	const [token] = troublesOf(plan, 'token');
	const most = troublesOf(plan, 'outage').length > 0 ? Infinity : 4;
	expect(logins.length).toBeLessThanOrEqual(token ? 1 + token.revokedAt.length : most);
	// A token that ends costs the requests that it is rejected for, and no other
	const accepted = exchanges.filter(({ siteId, came }) => siteId > 0 && came === '200');
	if (token?.revokedAt.length) expect(accepted).toHaveLength(plan.sites);
});

/** What is not read, and how many logins it takes at most, if chance plays it ten times. */
async function playTen(changes: Partial<Plan>) {
	const unread: Read[] = [];
	let logins = 0;
	for (let seed = 1; seed <= 10; seed++) {
		const { runs, exchanges } = await play({ ...BASE, ...changes, seed });
		unread.push(...runs.flatMap(({ reads }) => reads).filter(({ is }) => is !== 'read'));
		logins = Math.max(logins, exchanges.filter(({ siteId }) => siteId === 0).length);
	}
	return { unread, logins };
}

test.each([5, 30, 200])('one of two servers, %i ms away, learns a token late', async (latency) => {
	const { unread, logins } = await playTen({ latency, troubles: [{ ...TOKEN, oneServer: 1 }] });
	expect(unread).toEqual([]);
	expect(logins).toBe(1);
	const never = await playTen({ latency, troubles: [{ ...TOKEN, oneServer: Infinity }] });
	expect(never.logins).toBeLessThanOrEqual(2);
});

const BUCKET: Limit = { ...LIMIT, by: 'bucket', size: 1, pace: 54, status: 503, isUsedUp: true };
const FAR: Partial<Plan> = { sites: 52, latency: 130 };

test.each<[string, Partial<Limit>, Partial<Plan>]>([
	['wait alone if they are refused again', {}, FAR],
	['wait alone, as long as asked', { retryAfter: 'seconds' }, FAR],
	['are not to blame if a control came later', { pace: 17, isUsedUp: false }, { maxRetries: 0 }],
	['are not to blame if one control passes', { isUsedUp: false }, { ...FAR, maxRetries: 0 }],
])('sites of a service that gives one at a time %s', async (_, limit, changes) => {
	const { unread } = await playTen({ ...changes, troubles: [{ ...BUCKET, ...limit }] });
	expect(unread).toEqual([]);
});

test('a token that ends in each pause costs a few logins', async () => {
	const limit: Limit = { ...BUCKET, pace: 6, isUsedUp: false, retryAfter: 'seconds' };
	const { logins } = await playTen({ ...FAR, troubles: [{ ...TOKEN, lifetime: 0.5 }, limit] });
	expect(logins).toBeLessThanOrEqual(5);
});
