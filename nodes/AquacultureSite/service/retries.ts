import { FAILED_LOGIN_PAUSE_MS, notRequested, ServiceFailure, waitTooLong } from './failures';
import type { Clock, LoadReport, Pace } from './pace';
import { Turns } from './turns';
import type { Turn } from './turns';

// Full jitter: a random share of 1, 2, 4, … seconds
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;

// One site may be closed with a rejected token; three in a row say that no token is accepted
const MAX_REJECTED_TOKENS = 3;

// Likewise, one site may be out of order; three in a row say that the service is
const MAX_SITES_GIVEN_UP = 3;

// So many may fail side by side before the others wait, too
const MAX_FAILURES_IN_ROW = 8;

// Then others were tried too, and the service is out of order
const MAX_OVERLOADS_IN_ROW = 8;

// The run waits for this many backoffs of an overload that names no wait: 4 seconds at most
const MAX_BACKOFFS_OF_RUN = 3;

// When nothing has come for so long, a request that fails is not sent again
const LONGEST_SILENCE_MS = 60_000;

/** One request and its retries. */
interface Tries extends Turn {
	readonly maxRetries: number;
	/** Those that failed, or of the run while it is overloaded. */
	counted: number;
	/** It failed again although others got through since it failed before. */
	isOutOfOrder?: boolean;
	lastFailure?: ServiceFailure;
}

/** What has gone wrong in a row. */
interface Streak {
	/** Requests that a retry might help, since the service last gave a final response. */
	failures: number;
	/** Sites that were given up since then. With the first one, every other site is requested only once. */
	sitesGivenUp: number;
	/** New tokens that were rejected since the last success. */
	rejectedTokens: number;
	/** Logins that failed since the last success. */
	failedLogins: number;
}

const NO_STREAK: Streak = { failures: 0, sitesGivenUp: 0, rejectedTokens: 0, failedLogins: 0 };

/** What to do after a request: it succeeded, it is given up, or it is sent again after so many milliseconds. */
type Decision<T> = { value: T } | { giveUp: ServiceFailure } | { retryAfter: number };

/**
 * The retries of one run: what is sent again, how often, and when the service is given up. Overload holds
 * back the whole run through its pace; a lost connection, or a site that is out of order, delays its own request
 * alone.
 */
export class Retries {
	/** Requests sent again. */
	count = 0;

	private readonly turns: Turns;

	private streak: Streak = { ...NO_STREAK };

	/** When the service last gave a response, or the end of the wait that it asked for; at first, when the run began. */
	private lastResponse: number;

	private lastLoginFailure?: ServiceFailure;

	/** The service is left alone until then, and this is why; a site that has a failure of its own keeps that. */
	private blocked?: { until: number; by: ServiceFailure; isForOthers: boolean };

	/** @param longestWait milliseconds the run lets itself be held back at once */
	constructor(
		private readonly pace: Pace,
		private readonly longestWait: number,
		private readonly clock: Clock,
		private readonly signal: AbortSignal,
	) {
		this.lastResponse = clock.now();
		this.turns = new Turns(clock, longestWait);
	}

	/**
	 * Sends a request until it succeeds or is given up.
	 *
	 * @throws ServiceFailure where it is given up; the reason of the signal where the run was stopped
	 */
	async run<T>(request: () => Promise<T | ServiceFailure>, maxRetries: number): Promise<T> {
		const tries: Tries = { maxRetries, sent: 0, counted: 0, refusals: 0, successesBefore: 0 };
		for (;;) {
			const known = this.knownFailure();
			if (known) throw (known.isForOthers && tries.lastFailure) || known.by;
			const decision = await this.pace.run(async (report) => {
				if (this.knownFailure()) return undefined;
				if (tries.sent++ === 0) tries.successesBefore = this.turns.successes;
				const result = await request();
				if (!(result instanceof ServiceFailure)) {
					report.success();
					this.turns.succeed(tries, report.isProbe);
					return this.succeed(result);
				}
				tries.lastFailure = result;
				return this.decide(result, tries, report);
			}, tries.sent > 0);
			// No request was sent, because its result is known by now
			if (!decision) continue;
			if ('value' in decision) return decision.value;
			this.signal.throwIfAborted();
			if ('giveUp' in decision) {
				// Those that wait fail after the one that found it out: n8n shows the first that failed
				if (this.knownFailure()) this.pace.flush();
				throw decision.giveUp;
			}
			if (decision.retryAfter > 0) await this.clock.pause(decision.retryAfter);
		}
	}

	private succeed<T>(value: T): Decision<T> {
		this.lastResponse = this.clock.now();
		this.streak = { ...NO_STREAK };
		return { value };
	}

	/** The service is there, although this request is refused. */
	private refuse(failure: ServiceFailure): Decision<never> {
		this.lastResponse = this.clock.now();
		Object.assign(this.streak, { failures: 0, sitesGivenUp: 0 });
		const isToken = failure.scope === 'token';
		if (isToken && ++this.streak.rejectedTokens >= MAX_REJECTED_TOKENS) {
			this.block(failure, Infinity);
		}
		return { giveUp: failure };
	}

	/** Whether a failed request is sent again, and when; what it says about the others of the run. */
	private decide(failure: ServiceFailure, tries: Tries, report: LoadReport): Decision<never> {
		if (failure.scope === 'run') return this.decideForAll(failure, tries);
		if (failure.retry === 'no') return this.refuse(failure);
		tries.counted++;
		const othersGotThrough = this.turns.othersGotThrough(tries);
		const isRateLimit = failure.retry === 'rateLimited';
		if (othersGotThrough && tries.sent > 1 && !isRateLimit) tries.isOutOfOrder = true;
		if (this.isAboutSite(failure, tries)) return this.decideForOne(failure, tries);
		// In a row, failures are not those of single sites: the whole run is held back
		const isStreak = ++this.streak.failures > MAX_FAILURES_IN_ROW;
		const isForAll = isOverload(failure) && (isRateLimit || isStreak || !this.turns.isNoOverload);
		const isHeldBack = isForAll || isStreak;
		const isBusy = isForAll && !isRateLimit;
		if (isBusy && report.isProbe) this.turns.refuseProbe(tries);
		// At a rate limit one request goes first: it tries for all. So do they all in an outage.
		const inARow = report.overloadsInARow();
		if (isRateLimit || inARow > MAX_OVERLOADS_IN_ROW)
			tries.counted = Math.max(tries.counted, inARow);
		const hasTurns = isRateLimit && this.turns.successes > 0 && tries.maxRetries > 0;
		const backoffs = isBusy ? Math.min(inARow, MAX_BACKOFFS_OF_RUN) : tries.counted;
		const wait = hasTurns ? this.turns.wait(failure) : waitAfter(failure, backoffs);
		if (isHeldBack && wait > this.longestWait) return this.tooLong(failure, wait);
		const limitedFor = isRateLimit ? this.turns.limitedFor(failure, wait) : undefined;
		if (isForAll) report.overload(wait, limitedFor);
		else if (isHeldBack) this.pace.pause(wait);
		// A wait that the service asked for is not silence
		if (isOverload(failure)) this.lastResponse = this.clock.now() + wait;
		const isDown = this.streak.sitesGivenUp > 0 || this.isSilent();
		const mayRetry = hasTurns
			? this.turns.refuse(tries, othersGotThrough, inARow)
			: tries.counted <= tries.maxRetries && wait <= this.longestWait;
		if (!isDown && mayRetry) {
			this.count++;
			return { retryAfter: isHeldBack ? 0 : wait };
		}
		if (!othersGotThrough) this.findDown(failure);
		return { giveUp: failure };
	}

	/** Whether it fails while the service responds well to the rest, so that it says nothing about the others. */
	private isAboutSite({ retry }: ServiceFailure, { isOutOfOrder = false }: Tries): boolean {
		if (retry === 'rateLimited') return this.turns.isNoLimit;
		return isOutOfOrder && (retry !== 'overloaded' || this.turns.isNoOverload);
	}

	private decideForOne(failure: ServiceFailure, tries: Tries): Decision<never> {
		if (isOverload(failure)) this.lastResponse = this.clock.now();
		const wait = waitAfter(failure, tries.counted);
		const mayRetry = tries.counted <= tries.maxRetries && wait <= this.longestWait;
		if (!mayRetry || this.isSilent()) return { giveUp: failure };
		this.count++;
		return { retryAfter: wait };
	}

	/** Whether nothing has come for too long. */
	private isSilent(): boolean {
		return this.clock.now() - this.lastResponse >= LONGEST_SILENCE_MS;
	}

	/** A login that failed: for every request that waited for it, it is one and the same. */
	private decideForAll(failure: ServiceFailure, { maxRetries }: Tries): Decision<never> {
		const isNew = failure !== this.lastLoginFailure;
		if (isNew) this.streak.failedLogins++;
		this.lastLoginFailure = failure;
		if (failure.retry === 'no' || this.streak.failedLogins > maxRetries || this.isSilent()) {
			return { giveUp: this.block(failure, Infinity) };
		}
		const wait = Math.max(FAILED_LOGIN_PAUSE_MS, waitAfter(failure, this.streak.failedLogins));
		if (wait > this.longestWait) return this.tooLong(failure, wait);
		if (isNew) this.count++;
		this.pace.pause(wait);
		return { retryAfter: 0 };
	}

	private tooLong({ httpStatus }: ServiceFailure, wait: number): Decision<never> {
		return { giveUp: this.block(waitTooLong(wait, this.longestWait, httpStatus), wait) };
	}

	/**
	 * A site was given up, and no other one was read meanwhile. That may be the fault of this site; so the next
	 * ones are requested once each, and the service is given up with the third in a row.
	 */
	private findDown(failure: ServiceFailure): void {
		if (++this.streak.sitesGivenUp < MAX_SITES_GIVEN_UP) return;
		this.block(notRequested(failure, this.turns.successes), Infinity, true);
	}

	/** Leaves the service alone for so many milliseconds: every other request is answered with this failure. */
	private block(by: ServiceFailure, milliseconds: number, isForOthers = false): ServiceFailure {
		this.blocked = { until: this.clock.now() + milliseconds, by, isForOthers };
		return by;
	}

	private knownFailure() {
		return this.blocked && this.clock.now() < this.blocked.until ? this.blocked : undefined;
	}
}

function isOverload({ retry }: ServiceFailure): boolean {
	return retry === 'overloaded' || retry === 'rateLimited';
}

/** Milliseconds: what a busy service asks for, or else a random backoff. */
function waitAfter(failure: ServiceFailure, tries: number): number {
	const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, tries - 1));
	const stated = isOverload(failure) ? failure.retryAfter : undefined;
	return stated ?? Math.random() * backoff;
}
