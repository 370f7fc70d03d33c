import { isDivided, troublesOf, type Limit, type Outage, type Plan } from './plan';
import { sitesOf } from './sites';

/** Requests whose answers tell whose fault something is; they count for a limit, too. */
const TRIAL = 4;

const LOGIN_TIMEOUT = 30;

/** Seconds until so many requests have passed a limit. */
function limitSeconds({ by, size, pace, isUsedUp }: Limit, requests: number): number {
	if (by === 'bucket') return Math.max(0, requests - (isUsedUp ? 0 : size)) / pace;
	return (Math.ceil(requests / size) - (isUsedUp ? 0 : 1)) * pace;
}

/** Backoff with full jitter, at its longest. */
function backoffs(retries: number, atLeast: number): number {
	let sum = 0;
	for (let retry = 0; retry < retries; retry++) sum += Math.max(atLeast, Math.min(8, 2 ** retry));
	return sum;
}

/** Seconds until what hangs in an outage is ended. */
function hangSeconds({ timeout }: Plan, { kind, side }: Outage, isLoginNeeded: boolean): number {
	if (kind !== 'hang') return 0;
	return Math.max(
		side === 'token' ? 0 : timeout / 1000,
		side !== 'data' && isLoginNeeded ? LOGIN_TIMEOUT : 0,
	);
}

/**
 * What the service itself needs for the run, in seconds: its distance, its limit, its workers, its outage, its slow
 * sites, and the retries of those that fail by themselves. Each trouble comes on top of the others.
 */
export function ownSeconds(plan: Plan): number {
	const { sites, latency, jitter, maxConcurrency, token } = plan;
	const runs = plan.mode.is === 'three' ? 3 : 1;
	const places = Math.min(128, maxConcurrency);
	const round = (latency + jitter + 1) / 1000;
	let [requests, busy, longest] = [TRIAL, 0, 0];
	for (const { bad, slowness, isTooSlow, timeout, tries } of sitesOf(plan)) {
		const isHanging = bad?.kind === 'hang' || isTooSlow;
		const each = round + (isHanging ? timeout / 1000 : slowness + (bad?.delay ?? 0));
		requests += tries;
		busy += tries * each;
		longest = Math.max(longest, tries * each + backoffs(tries - 1, bad?.retryAfter ?? 0));
	}
	const tokens = troublesOf(plan, 'token');
	// Nobody knows that a token has ended before it is rejected, and what is rejected counts for a limit
	let ended = token === 'expired' ? 1 : 0;
	for (const { uses, revokedAt } of tokens) ended += Math.ceil(sites / uses) + revokedAt.length;
	// Nor that a new one is not known yet
	const unknown = tokens.some(({ late, oneServer }) => late + oneServer > 0) ? 1 + ended : 0;
	requests = runs * (requests + (ended + unknown) * Math.min(places, sites));
	// What is rejected is sent again, and counts for a limit, too
	if (isDivided(plan)) requests *= 2;
	let seconds = (runs * busy) / places + (requests * (1 + 2 * plan.work)) / 1000 + longest;
	// A login; before that, a rejection, and what proves that it is the token's
	seconds += { none: 1, expired: 3, valid: 0 }[token] * round;
	for (const limit of troublesOf(plan, 'limit')) seconds += limitSeconds(limit, requests);
	for (const { count, seconds: each } of troublesOf(plan, 'workers'))
		seconds += (requests * each) / Math.min(count, places);
	for (const outage of troublesOf(plan, 'outage')) {
		const { retryAfter = 0, seconds: length } = outage;
		seconds += hangSeconds(plan, outage, true) + (length < Infinity ? length + retryAfter : 0);
	}
	for (const { at, retryAfter = 0 } of troublesOf(plan, 'stray')) seconds += at.length * retryAfter;
	for (const { late, oneServer, lifetime } of tokens) {
		const logins = 1 + ended + Math.min(100, seconds / lifetime);
		seconds += logins * (late + (oneServer < Infinity ? oneServer : 0) + 2 * round);
	}
	return seconds;
}

/** Whether none of it passes with time: a refused login is not repeated, and no other final answer is. */
const isFinal = ({ side, kind, seconds }: Outage): boolean =>
	seconds === Infinity || (side === 'token' && (kind === 401 || kind === 'garbage'));

/**
 * For how many seconds in a row the service may give nothing to anyone, if its troubles come one after the other:
 * `named` are those of which it says that they are a limit or will pass. Infinity is for ever.
 */
export function longestSilence(plan: Plan): { named: number; unnamed: number } {
	const silence = { named: 0, unnamed: 0 };
	const add = (seconds: number, isNamed = false) =>
		(silence[isNamed ? 'named' : 'unnamed'] += seconds);
	// If no site of several can be read, nobody knows whose fault it is
	if (plan.sites > 1 && !sitesOf(plan).some(({ isReadable }) => isReadable)) add(Infinity);
	const tokens = troublesOf(plan, 'token');
	const isLoginNeeded =
		plan.token !== 'valid' ||
		tokens.some(
			(each) => Math.min(each.lifetime, each.uses, each.revokedAt.length ? 0 : Infinity) < Infinity,
		);
	for (const outage of troublesOf(plan, 'outage')) {
		const { side, kind, seconds, share, retryAfter = 0 } = outage;
		if ((side === 'token' && !isLoginNeeded) || (seconds === Infinity && share < 1)) continue;
		add(isFinal(outage) ? Infinity : seconds + retryAfter, kind === 429 || retryAfter > 0);
		// The last one that hangs, and what is sent after it
		add(2 * hangSeconds(plan, outage, isLoginNeeded));
	}
	for (const { by, pace, status, retryAfter } of troublesOf(plan, 'limit'))
		add(by === 'window' ? pace : 1 / pace, status === 429 || retryAfter !== 'none');
	for (const { late, isNeverAccepted } of tokens) add(isNeverAccepted ? Infinity : late);
	for (const { from } of troublesOf(plan, 'n8n')) if (from < Infinity) add(Infinity);
	return silence;
}
