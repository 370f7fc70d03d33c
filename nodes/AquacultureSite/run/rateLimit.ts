// Flat at first, so that a rate that is right stays, then ever steeper: as CUBIC above its last maximum (RFC 9438, 4.2)
const FLAT_MS = 15_000;

/** What rate limits refuse with: RFC 6585, section 4, and what nginx and gateways send instead. */
export const REFUSALS = ['429', '503', '403'];

/** The rate limits in use, by what the service may know its user by. Nothing of one outlives its last run. */
const inUse = new Map<string, RateLimit>();

/**
 * How many requests per second may start: any number, until the judge proves that there is a limit. Then as many as were
 * accepted until now, one at least, and twice as many with each second until one is refused (slow start). Each time that
 * the rate proves to be too high, it shrinks by the share that was refused, and it grows with time (additive increase and
 * multiplicative decrease).
 */
export class RateLimit {
	/** Requests per second when it was set; Infinity if there is no limit. */
	rate = Infinity;

	/** The statuses that it is known to refuse with. */
	private readonly statuses = new Set(['429']);

	/** When the service accepted something last, in any run, or gave a new token. */
	heardAt = -Infinity;

	private isSlowStart = false;

	private setAt = -Infinity;

	/** When the rate before this one was set: a good site that was refused since is a witness for the next one. */
	lastSetAt = -Infinity;

	/** Since it was set: how many requests were accepted and refused. */
	private accepted = 0;
	private refused = 0;

	/** In all: how many requests were accepted, and when the first one was. */
	private total = 0;
	private firstAt = 0;

	private lastStart = -Infinity;

	/** Milliseconds without anything that was accepted, at most, before a refused site was. */
	private longestSilence = 0;

	/** Of the runs that share it, because they overlap. */
	private users = 0;

	private constructor(
		private readonly user: string,
		private readonly now: () => number,
	) {}

	/** The one that other runs of this user are under at the moment, or a new one. */
	static of(user: string, now: () => number): RateLimit {
		return inUse.get(user) ?? new RateLimit(user, now);
	}

	/** A run begins. Those that overlap share it. */
	enter(): void {
		inUse.set(this.user, this);
		this.users++;
	}

	/** A run ends. */
	leave(): void {
		if (--this.users === 0) inUse.delete(this.user);
	}

	/** Whether a request that failed so may have been refused for the rate. */
	isLimit(cause: string): boolean {
		return this.statuses.has(cause);
	}

	/** Reserves the next start. @returns the time of the clock for it */
	reserve(): number {
		this.lastStart = Math.max(this.now(), this.lastStart + 1000 / this.perSecond(this.now()));
		return this.lastStart;
	}

	/** A request was answered, by the service or by a limit in front of it. */
	count(cause: string | undefined, sentAt: number): void {
		if (!cause && this.total++ === 0) this.firstAt = this.now();
		if (sentAt < this.setAt) return;
		if (!cause || !REFUSALS.includes(cause)) {
			this.accepted++;
			return;
		}
		this.refused++;
		// The doubling ends with the first one (RFC 5681, section 3.1)
		if (this.isSlowStart) this.rate = this.perSecond(sentAt);
		this.isSlowStart = false;
	}

	/**
	 * A site was accepted that had been refused: what it needed was a pause.
	 *
	 * @param cause what it was refused with
	 * @param sentAt when that was sent
	 * @param isHeld whether nothing else was sent meanwhile
	 */
	prove(cause: string, sentAt: number, isHeld: boolean): void {
		if (!REFUSALS.includes(cause)) return;
		this.statuses.add(cause);
		if (sentAt < this.setAt) return;
		this.longestSilence = Math.max(this.longestSilence, this.now() - this.heardAt);
		this.rate = this.measure(sentAt, isHeld);
		this.lastSetAt = this.setAt;
		this.setAt = this.now();
		this.accepted = 0;
		this.refused = 0;
	}

	/** Requests per second at a time of the clock. */
	private perSecond(at: number): number {
		const elapsed = at - this.setAt;
		if (this.isSlowStart) return this.rate * 2 ** (elapsed / 1000);
		// As long as the window of a limit lasts, nothing is accepted
		return this.rate * (1 + (elapsed / Math.max(FLAT_MS, 2 * this.longestSilence)) ** 3);
	}

	/** What the service bears, by what it has accepted until now. */
	private measure(sentAt: number, isHeld: boolean): number {
		const { accepted, refused } = this;
		// The first one only begins the time: with it, the rate would be a little too high
		const average = ((this.total - 1) * 1000) / Math.max(1, this.now() - this.firstAt);
		if (this.rate === Infinity) {
			this.isSlowStart = true;
			return Math.max(1, average);
		}
		const rate = this.perSecond(sentAt);
		const share = Math.max(1 / 2, accepted / (accepted + refused));
		return isHeld && accepted > 1 ? Math.min(rate, average) : rate * share;
	}
}
