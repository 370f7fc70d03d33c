import type { Gate } from './concurrencyLimit';
import { backoff } from './retry';

// Sites may fail by themselves; eight in a row, with nothing but failures, are the service's
const MAX_FAILURES_IN_ROW = 8;

// A service that is restarted is back within half a minute; whoever waits for a run gives up by then
const PATIENCE_MS = 30_000;

// Without Retry-After: the pause ends a quarter too late at most, and knocks three times a second at most
const SHARE_OF_SILENCE = 1 / 4;
const SHORTEST_PAUSE_MS = 300;

/** All requests are sent; none until a time; one, the probe, is in flight; none anymore. */
type State =
	| { is: 'closed'; failures: number }
	| { is: 'open'; until: number; openings: number }
	| { is: 'half-open'; openings: number }
	| { is: 'given up' };

/**
 * Whether the service gets requests at all (like opossum and cockatiel). The breaker opens after eight failures in a
 * row, and for as long as a busy service is to be left alone. Then it is half-open: one request goes first, the probe. If
 * that succeeds, the breaker closes; if probes go on failing, the service is given up.
 */
export class CircuitBreaker implements Gate {
	private state: State = { is: 'closed', failures: 0 };
	private openedAt = -Infinity;
	private lastSuccess: number;

	/** For how many milliseconds in total it was open. */
	paused = 0;

	constructor(private readonly now: () => number) {
		this.lastSuccess = now();
	}

	get nextStart(): number {
		if (this.state.is === 'open') return this.state.until;
		return this.state.is === 'closed' ? -Infinity : Infinity;
	}

	get isGivenUp(): boolean {
		return this.state.is === 'given up';
	}

	/** How often it has opened since it was closed. */
	get openings(): number {
		return 'openings' in this.state ? this.state.openings : 0;
	}

	/** Whether a request was sent before it last opened: what comes of that is no news. */
	isStale(sentAt: number): boolean {
		return sentAt <= this.openedAt;
	}

	isProbe(sentAt: number): boolean {
		return this.state.is === 'half-open' && !this.isStale(sentAt);
	}

	start(): void {
		if (this.state.is === 'open') this.state = { is: 'half-open', openings: this.openings };
	}

	/** The service has responded, be it with a refusal that no retry will change. */
	succeed(sentAt: number): void {
		this.lastSuccess = this.now();
		const isClosed = this.state.is === 'closed' || this.isProbe(sentAt);
		if (isClosed) this.state = { is: 'closed', failures: 0 };
	}

	/** A request failed. A retry, or one during which others succeeded, says more about its site. */
	fail(sentAt: number, isRetry: boolean): void {
		if (this.isProbe(sentAt)) this.open(backoff(1 + this.openings), PATIENCE_MS);
		const isOfSite = isRetry || sentAt < this.lastSuccess || this.isStale(sentAt);
		if (this.state.is !== 'closed' || isOfSite) return;
		if (++this.state.failures >= MAX_FAILURES_IN_ROW) this.open(backoff(1), PATIENCE_MS);
	}

	/**
	 * The service is busy: leaves it alone for this many milliseconds. Of requests in flight together, only the first counts.
	 *
	 * @param patience milliseconds after which it is given up
	 */
	pause(sentAt: number, atLeast = 0, patience = PATIENCE_MS): void {
		if (this.isStale(sentAt)) return;
		const silence = this.now() - this.lastSuccess;
		this.open(Math.max(atLeast, SHORTEST_PAUSE_MS, SHARE_OF_SILENCE * silence), patience);
	}

	giveUp(): void {
		this.state = { is: 'given up' };
	}

	/** At least one probe is sent, unless the service has been silent for very long. */
	private open(wait: number, patience: number): void {
		if (this.isGivenUp) return;
		this.openedAt = this.now();
		const until = this.openedAt + wait;
		const openings = this.openings + 1;
		const isTooLong = until - this.lastSuccess > (openings > 1 ? patience : 2 * patience);
		this.state = isTooLong ? { is: 'given up' } : { is: 'open', until, openings };
		if (!isTooLong) this.paused += wait;
	}
}
