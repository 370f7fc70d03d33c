// A rate measured by fewer says little about the service
const FEW = 10;

// If the rate is a 256th of what it was and requests are refused as before, then not for their rate
const FIRST_VAIN_CUTS = 8;

// A limit may let others through by chance, but hardly three times in a row
const MAX_STRIKES = 3;

// As in Netflix's AIMDLimit: a rate that was measured is a little too high at most
const DECREASE = 0.9;

// Flat at first, so that a rate that is right stays, then ever steeper: as CUBIC above its last maximum (RFC 9438, 4.2)
const SECONDS_TO_DOUBLE = 15;

/** The rate limits in use, by what the service may know its user by. Nothing of one outlives its last run. */
const inUse = new Map<string, RateLimit>();

/**
 * How many requests per second may start: any number, until the service limits them. Then as many as it has
 * accepted until it accepted requests again after a pause. That grows with time, and shrinks with each refusal by the
 * share that was refused (adaptive throttling as in Google's SRE book, additive increase and multiplicative decrease).
 * If it was measured by few, it begins at one or more, and doubles each second until the first refusal (slow start).
 */
export class RateLimit {
	/** Requests per second at the time `since`; Infinity if there is no limit. */
	rate = Infinity;

	/** The statuses that it refuses with, and how often in a row each may have been the sites' own. */
	readonly statuses = new Map([['429', 0]]);

	private isSlowStart = false;

	/** When requests were first accepted, or again after a pause; how many were accepted and refused since. */
	private since: number;
	private accepted = 0;
	private refused = 0;

	private measuredAt = -Infinity;

	/** Cuts in a row after which as many were refused as before. */
	private vainCuts = 0;
	private vainCutsBorne = FIRST_VAIN_CUTS;

	/** Of the runs that share it, because they overlap. */
	private users = 0;

	private nextStart = -Infinity;

	constructor(private readonly now: () => number) {
		this.since = now();
	}

	/** The one that others of this user use at the moment, or a new one. */
	static of(user: string, now: () => number): RateLimit {
		return inUse.get(user) ?? new RateLimit(now);
	}

	/** A run begins. Those that overlap share it. */
	enter(user: string): void {
		inUse.set(user, this);
		this.users++;
	}

	/** A run ends. */
	leave(user: string): void {
		if (--this.users === 0) inUse.delete(user);
	}

	/**
	 * Reserves the next start: each run that shares the limit gets its turn.
	 *
	 * @returns the time of the clock for it
	 */
	reserve(): number {
		const now = this.now();
		const at = Math.max(now, this.nextStart);
		const interval = 1000 / this.perSecond;
		if (this.rate < Infinity) this.nextStart = at + interval;
		// One each millisecond is as fast as a run gets
		if (this.rate < Infinity && interval < 1) this.restart(Infinity);
		return at;
	}

	accept(): void {
		if (this.accepted++ === 0) this.since = this.now();
	}

	/** A request was refused for the rate: it grows no more until it is measured anew. */
	refuse(): void {
		this.refused++;
		if (this.rate === Infinity) return;
		this.rate = this.perSecond;
		this.since = this.now();
		this.isSlowStart = false;
	}

	/**
	 * Requests are accepted again, after a pause.
	 *
	 * @param status that the others were refused with
	 * @param sentAt when the first of them was sent
	 * @param heldAt when the pause began: another run may have resumed since
	 */
	resume(status: string, sentAt: number, heldAt: number): void {
		this.statuses.set(status, 0);
		// One refusal may be a stray one
		const isLimited = this.rate < Infinity || this.refused > 1;
		if (!isLimited || heldAt <= this.measuredAt) return;
		this.vainCuts = this.rate < Infinity && this.accepted < FEW ? this.vainCuts + 1 : 0;
		if (this.vainCuts < this.vainCutsBorne) {
			this.restart(this.measure(sentAt));
			return;
		}
		// If the limit is found again, it is one
		this.vainCutsBorne *= 2;
		this.statuses.delete(status);
		this.restart(Infinity);
	}

	/** Others were accepted although a site was refused with this status. */
	doubt(status: string): void {
		const strikes = 1 + (this.statuses.get(status) ?? 0);
		if (strikes >= MAX_STRIKES) this.statuses.delete(status);
		else if (this.statuses.has(status)) this.statuses.set(status, strikes);
	}

	/** Requests per second at present. */
	private get perSecond(): number {
		const seconds = (this.now() - this.since) / 1000;
		if (this.isSlowStart) return this.rate * 2 ** seconds;
		return this.rate * (1 + (seconds / SECONDS_TO_DOUBLE) ** 3);
	}

	/** What the service bears, by what it has accepted until then. */
	private measure(until: number): number {
		const { accepted, refused, rate, since } = this;
		if (rate < Infinity) {
			const share = accepted / (accepted + refused);
			return rate * Math.max(1 / 2, Math.min(DECREASE, share));
		}
		const seconds = (until - since) / 1000;
		this.isSlowStart = accepted < FEW;
		// Of many, the first one only begins the time: with it, the rate would be a little too high
		return this.isSlowStart ? Math.max(1, accepted / seconds) : (accepted - 1) / seconds;
	}

	private restart(rate: number): void {
		this.measuredAt = this.now();
		this.rate = rate;
		this.since = this.now();
		this.nextStart = this.since + 1000 / rate;
		this.accepted = 1;
		this.refused = 0;
	}
}
