import { ServiceFailure, waitTooLong } from './failures';
import type { Clock, Pace } from './pace';

// Full jitter: a random share of 1, 2, 4, … seconds
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;

// A rate limit that lets others through but never this one is no rate limit
const MAX_REFUSALS = 20;

// One site may be closed with a rejected token; three in a row say that no token is accepted
const MAX_REJECTED_TOKENS = 3;

/** One request and its retries. */
interface Tries {
	readonly maxRetries: number;
	/** Requests sent. */
	sent: number;
	/** Those that count: not those refused by a rate limit that let others through. */
	counted: number;
	/** The successes of the run when this request was first sent, or last refused while others got through. */
	successesBefore: number;
}

/** What to do after a request: it succeeded, it is given up, or it is sent again after so many milliseconds. */
type Decision<T> = { value: T } | { giveUp: ServiceFailure } | { retryAfter: number };

/**
 * The retries of one run: what is sent again, how often, and when the service is given up. Overload holds
 * back the whole run through its pace; a lost connection delays its own request alone.
 */
export class Retries {
	/** Requests sent again. */
	count = 0;

	private successes = 0;

	/** In a row. */
	private rejectedTokens = 0;

	/** Whether the service is down for longer than retries last: then each site is requested once only. */
	private outage = false;

	/** The service is left alone until then, and this is why. */
	private blocked?: { until: number; by: ServiceFailure };

	/** @param longestWait milliseconds the run lets itself be held back at once */
	constructor(
		private readonly pace: Pace,
		private readonly longestWait: number,
		private readonly clock: Clock,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Sends a request until it succeeds or is given up.
	 *
	 * @throws ServiceFailure where it is given up; the reason of the signal where the run was stopped
	 */
	async run<T>(request: () => Promise<T | ServiceFailure>, maxRetries: number): Promise<T> {
		const tries: Tries = { maxRetries, sent: 0, counted: 0, successesBefore: 0 };
		for (;;) {
			const known = this.knownFailure();
			if (known) throw known;
			const decision = await this.pace.run(async (report) => {
				if (this.knownFailure()) return undefined;
				if (tries.sent++ === 0) tries.successesBefore = this.successes;
				const result = await request();
				const isFailure = result instanceof ServiceFailure;
				const next = isFailure ? this.decide(result, tries) : this.succeed(result);
				report(isFailure ? (isOverload(result) ? 'overload' : 'other') : 'success');
				return next;
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
			this.count++;
			if (decision.retryAfter > 0) await this.clock.pause(decision.retryAfter);
		}
	}

	private succeed<T>(value: T): Decision<T> {
		this.successes++;
		this.rejectedTokens = 0;
		this.outage = false;
		return { value };
	}

	/** Whether a failed request is sent again, and when; what it says about the others of the run. */
	private decide(failure: ServiceFailure, tries: Tries): Decision<never> {
		tries.counted++;
		const othersGotThrough = this.successes > tries.successesBefore;
		if (failure.retry === 'rateLimited' && othersGotThrough && tries.sent <= MAX_REFUSALS) {
			// It only has to wait for its turn
			tries.counted = 1;
			tries.successesBefore = this.successes;
		}
		if (failure.retry === 'no') {
			if (this.concernsAll(failure)) this.block(failure, Infinity);
			return { giveUp: failure };
		}
		const isLastTry = this.outage || tries.counted > tries.maxRetries;
		const isHeldBack = isOverload(failure);
		const stated = isHeldBack ? failure.retryAfter : undefined;
		const wait = stated ?? backoff(tries.counted - 1);
		if (isHeldBack && wait > this.longestWait) {
			return { giveUp: this.block(waitTooLong(wait, this.longestWait, failure.httpStatus), wait) };
		}
		if (isHeldBack && this.outage) this.block(failure, wait);
		else if (isHeldBack) this.pace.pause(wait);
		// The first site that finds the service down does not close it to a second one
		if (isLastTry && !othersGotThrough) this.outage = true;
		if (isLastTry) return { giveUp: failure };
		return { retryAfter: isHeldBack ? 0 : wait };
	}

	/** Whether no other site can be read either: too many wrong logins lock an account. */
	private concernsAll({ scope }: ServiceFailure): boolean {
		return scope === 'login' || (scope === 'token' && ++this.rejectedTokens >= MAX_REJECTED_TOKENS);
	}

	/** Leaves the service alone for so many milliseconds: every other request is answered with this failure. */
	private block(by: ServiceFailure, milliseconds: number): ServiceFailure {
		this.blocked = { until: this.clock.now() + milliseconds, by };
		return by;
	}

	private knownFailure(): ServiceFailure | undefined {
		return this.blocked && this.clock.now() < this.blocked.until ? this.blocked.by : undefined;
	}
}

function isOverload({ retry }: ServiceFailure): boolean {
	return retry === 'overloaded' || retry === 'rateLimited';
}

function backoff(retry: number): number {
	return Math.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
}
