import type { Failed } from './job';

// Flat at first, so that a rate that is right stays, then ever steeper, as CUBIC (RFC 9438, section 4.2)
const DOUBLES_IN_SECONDS = 20;
// What BBR leaves unused, so that it stays below (draft-ietf-ccwg-bbr, BBRHeadroom)
const HEADROOM = 0.15;

/** Whether rate limits refuse with it: RFC 6585, section 4, and what nginx and gateways send instead. */
export const isRefusal = (cause: string): boolean => ['429', '503', '403'].includes(cause);

/** The rate limits in use, by what the service may know its user by. Nothing of one outlives its last run. */
const inUse = new Map<string, RateLimit>();

/**
 * How many requests per second may start: any number, until the judge proves that there is a limit. Then as many as were
 * let through until now, one at least, and twice as many with each second (slow start). Each time that it proves to be too
 * high, it is set to what was let through since it was set, half at least, and then grows slowly at first (additive increase,
 * multiplicative decrease).
 */
export class RateLimit {
	/** Requests per second when it was set; Infinity if there is no limit. */
	rate = Infinity;
	/** When it was set; when the first request was let through, if there is no limit. How many were let through since then. */
	private setAt = -Infinity;
	private passed = 0;
	private isSlowStart = false;
	/** The statuses that it is known to refuse with. */
	readonly statuses = new Set<string>();
	/** When the service accepted something last, in any run, or gave a new token. */
	heardAt = -Infinity;
	private lastStart = -Infinity;
	/** Of the runs that share it, because they overlap. */
	private users = 0;

	private constructor(
		private readonly user: string,
		private readonly now: () => number,
	) {}

	/** A run begins. @returns the limit of the runs of this user that are under way, or a new one */
	static enter(user: string, now: () => number): RateLimit {
		const limit = inUse.get(user) ?? new RateLimit(user, now);
		inUse.set(user, limit);
		limit.users++;
		return limit;
	}

	/** A run ends. */
	leave(): void {
		if (--this.users === 0) inUse.delete(this.user);
	}

	/** Reserves the next start. @returns the time of the clock for it */
	reserve(): number {
		this.lastStart = Math.max(this.now(), this.lastStart + 1000 / this.perSecond);
		return this.lastStart;
	}

	/** A request was accepted. */
	accept(sentAt: number): void {
		this.heardAt = this.now();
		// The first one of all only begins the time: with it, the rate would be a little too high
		if (this.setAt === -Infinity) this.setAt = this.now();
		else if (!this.isBefore(sentAt)) this.passed++;
	}

	/**
	 * A site was refused for the rate: it was accepted after a pause, or the status says so itself.
	 *
	 * @param isControl whether it had been read before
	 * @returns whether the rate was too high
	 */
	prove({ cause, sentAt }: Pick<Failed, 'cause' | 'sentAt'>, isControl: boolean): boolean {
		if (!isRefusal(cause) || (!isControl && !this.statuses.has(cause))) return false;
		this.statuses.add(cause);
		if (this.isBefore(sentAt)) return true;
		// Slow start is sure to go too far. The pause after it would count against what was let through before
		const [end, share] = this.isSlowStart ? [sentAt, 1 - HEADROOM] : [this.now(), 1];
		const passed = (1000 * share * this.passed) / Math.max(1, end - this.setAt);
		const rate = this.perSecond;
		this.isSlowStart = rate === Infinity;
		this.rate = Math.min(rate, Math.max(this.isSlowStart ? 1 : rate / 2, passed));
		this.setAt = this.now();
		this.passed = 0;
		return true;
	}

	/** Whether a request was sent before the rate was set, and tells nothing about it. */
	private readonly isBefore = (sentAt: number) => this.rate < Infinity && sentAt < this.setAt;

	/** Requests per second now. It grows by what is let through, not by time: a pause says nothing about it. */
	private get perSecond(): number {
		if (this.isSlowStart) return this.rate + Math.LN2 * this.passed;
		return this.rate * (1 + (this.passed / this.rate / DOUBLES_IN_SECONDS) ** 3);
	}
}
