// A measure of so few requests may be far too low: Retry-After comes in whole seconds
const FEW_REQUESTS = 10;

// Milliseconds by which requests may come closer together than they were started: one that comes a little early
// would be one too many for a window
const JITTER_MS = 25;

// Services round what they count, so a rate that was just refused is taken back by a little only
const CUT = 0.95;

/** Requests per second. Slower than this, a run would wait longer for its own pace than for the service. */
const SLOWEST = 1;

// Flat at first, so that a rate that is right stays, then ever steeper (as in CUBIC, RFC 9438, section 4.2)
const STEADY_SECONDS = 5;
const GROWTH = 0.005;

// After a shorter wait, an even spread loses little
const LONG_SILENCE_SECONDS = 2;

const REMEMBERED_MS = 600_000;
const MAX_REMEMBERED = 100;

/**
 * The rates that services have limited runs to, of this process: a schedule need not find out the same limit
 * again and again. Nothing else of a run outlives it. The key names the account, not the address alone: a user
 * with a small limit must not slow down another one's runs.
 */
const remembered = new Map<string, Rate>();

/** How a rate was measured. */
interface Measure {
	/** Requests per second. */
	atMost: number;
	/** When the service probably accepted requests again, in milliseconds. */
	until: number;
}

/**
 * How many requests per second one run may start. Any number, until the service refuses one for its load; then
 * as many as it has accepted in the time from the first of them until it accepts requests again. While nothing is
 * refused, the rate grows.
 */
export class Rate {
	/** Requests per second at `setAt`, a moment in milliseconds: at first, when the first request starts. */
	private base = Infinity;

	private setAt?: number;

	/** Measured by a few requests: it doubles each second until the service refuses another one. */
	private isRough = false;

	/** The requests accepted in the whole run, and since the latest refusal that was followed by a success. */
	private readonly total = { count: 0, since: 0 };

	private burst = { count: 0, since: 0 };

	private isBurstOver = true;

	/** What the rate was measured by, until something is accepted after the wait. */
	private measure?: Measure;

	/** How many requests may start without a wait. */
	private atOnce = 0;

	private lastAccepted = 0;

	/** Requests per second when a request was last started. */
	private latest = Infinity;

	/** @param account who sends to which service; without it, nothing is remembered */
	constructor(private readonly account?: string) {
		const known = account === undefined ? undefined : remembered.get(account);
		if (!known) return;
		this.base = this.latest = known.isRough ? known.latest : known.base;
		this.isRough = known.isRough && known.total.count < FEW_REQUESTS;
	}

	/** Requests per second that the run was slowed down to; Infinity where it was not. */
	get slowedTo(): number {
		return this.latest;
	}

	/** A request starts: the milliseconds until the next one may. */
	start(now: number): number {
		this.setAt ??= now;
		this.latest = this.perSecond(now);
		if (this.atOnce > 0) {
			this.atOnce--;
			return 0;
		}
		return 1000 / this.latest;
	}

	/** @param isLate it was sent before the latest refusal, with the requests that have led to it */
	accept(now: number, isLate = false): void {
		if (this.total.count++ === 0) this.total.since = now;
		if (this.burst.count === 0 || (this.isBurstOver && !isLate)) {
			this.makeUp(now);
			this.burst = { count: 0, since: now };
			this.isBurstOver = isLate;
			this.measure = undefined;
		}
		this.burst.count++;
		this.lastAccepted = now;
		if (this.measure) this.measureBurst(this.measure);
	}

	/**
	 * The service limits the rate; once for all requests that were in flight together.
	 *
	 * @param until when it probably accepts requests again, in milliseconds
	 */
	refuse(now: number, until: number): void {
		// Nothing is known of a service that has accepted nothing
		if (this.total.count === 0) return;
		const refused = this.perSecond(now);
		// What was accepted before the pause is all that the service accepts until now
		const isMeasured = refused === Infinity || this.isBurstOver;
		this.measure = isMeasured ? { atMost: refused, until } : undefined;
		if (this.measure) this.measureBurst(this.measure);
		else this.setRate(this.cut(refused, now));
		this.atOnce = 0;
		this.isBurstOver = true;
		this.setAt = until;
		this.remember();
	}

	/** After a long wait, as many may start at once as the service would have accepted meanwhile. */
	private makeUp(now: number): void {
		const silence = (now - this.lastAccepted) / 1000;
		if (silence < LONG_SILENCE_SECONDS) return;
		// One has just been accepted
		this.atOnce = Math.min(this.burst.count, Math.floor(this.base * silence)) - 1;
	}

	private measureBurst({ atMost, until }: Measure): void {
		if (atMost === Infinity) this.isRough = this.burst.count < FEW_REQUESTS;
		this.setRate(Math.min(atMost, perSecond(this.burst, until + JITTER_MS)));
	}

	/** Toward what was accepted in all. The wait does not count: a Retry-After of one second may stand for much less. */
	private cut(refused: number, now: number): number {
		if (this.isRough) {
			this.isRough = false;
			// That of one second ago, which was not refused
			return refused / 2;
		}
		const cut = CUT * refused;
		return Math.sqrt(cut * Math.min(cut, perSecond(this.total, now)));
	}

	private setRate(rate: number): void {
		this.base = this.latest = Math.max(SLOWEST, rate);
	}

	private perSecond(now: number): number {
		const seconds = Math.max(0, now - (this.setAt ?? now)) / 1000;
		if (this.isRough) return this.base * 2 ** seconds;
		return this.base + GROWTH * Math.max(0, seconds - STEADY_SECONDS) ** 3;
	}

	/** The latest last: a Map keeps the order of insertion. */
	private remember(): void {
		const { account } = this;
		if (account === undefined) return;
		remembered.delete(account);
		remembered.set(account, this);
		const [oldest] = remembered.keys();
		if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
		AbortSignal.timeout(REMEMBERED_MS).addEventListener('abort', () => {
			if (remembered.get(account) === this) remembered.delete(account);
		});
	}
}

function perSecond({ count, since }: { count: number; since: number }, until: number): number {
	return (1000 * count) / Math.max(1, until - since);
}
