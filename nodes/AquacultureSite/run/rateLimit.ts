import type { Gate } from './concurrencyLimit';

// Refusals that fewer sites than this account for, and a rate measured by fewer, say little about the service
const FEW = 10;

// As in Netflix's AIMDLimit: a rate that was measured is a little too high at most
const DECREASE = 0.9;

// Flat at first, so that a rate that is right stays, then ever steeper: as CUBIC above its last maximum (RFC 9438, 4.2)
const SECONDS_TO_DOUBLE = 15;

/**
 * How many requests per second a run may start: any number, until the service limits them. Then as many as it has
 * accepted until it accepted requests again after a pause. That grows with time, and shrinks with each refusal by the
 * share that was refused (adaptive throttling as in Google's SRE book, additive increase and multiplicative decrease).
 * If it was measured by few, it begins at one or more, and doubles each second until the first refusal (slow start).
 */
export class RateLimit implements Gate {
	/** By how many more of the latest requests were refused than accepted (CUSUM, Page 1954). */
	private excess = 0;

	/** Requests per second at the time `since`; Infinity if there is no limit. */
	rate = Infinity;

	private isSlowStart = false;

	/** When requests were first accepted, or again after a pause; how many were accepted and refused since. */
	private since: number;
	private accepted = 0;
	private refused = 0;

	nextStart = -Infinity;

	constructor(private readonly now: () => number) {
		this.since = now();
	}

	/** Whether the service refuses requests for their number, so that a refusal is not about its site. */
	get isLimiting(): boolean {
		return this.rate < Infinity || this.excess >= FEW;
	}

	start(): void {
		if (this.rate === Infinity) return;
		const interval = 1000 / this.perSecond;
		this.nextStart = Math.max(this.now(), this.nextStart + interval);
		// One each millisecond is as fast as a run gets
		if (interval < 1) this.restart(Infinity);
	}

	/** @param sentAt the probe is the first one after a pause */
	accept(sentAt: number, { isRetry, isProbe }: Record<'isRetry' | 'isProbe', boolean>): void {
		// One refusal may be a stray one
		const isLimited = this.isLimiting || this.refused > 1;
		if (!isRetry) this.excess = Math.max(0, this.excess - 1);
		if (isProbe && isLimited) this.restart(this.measure(sentAt));
		else if (this.accepted++ === 0) this.since = this.now();
	}

	/**
	 * @param isStale whether an earlier refusal has said it already
	 * @param isSure whether it cannot be about its site
	 */
	refuse({ isRetry, isStale, isSure }: Record<'isRetry' | 'isStale' | 'isSure', boolean>): void {
		if (!isRetry) this.excess++;
		if (!isSure && !this.isLimiting) return;
		this.refused++;
		if (isStale || this.rate === Infinity) return;
		this.rate = this.perSecond;
		this.since = this.now();
		this.isSlowStart = false;
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
		this.rate = rate;
		this.since = this.now();
		this.nextStart = this.since + 1000 / rate;
		this.excess = 0;
		this.accepted = 1;
		this.refused = 0;
	}
}
