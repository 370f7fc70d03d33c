import type { ServiceFailure } from './failures';
import type { Clock } from './pace';

// A rate limit that names no wait is tried again after so much of the time since the latest success
const SHARE_OF_SILENCE = 0.23;

// Milliseconds that are waited at least
const FIRST_WAIT_MS = 180;

// When, in a wait that the run chose itself, the limit is taken to have ended. Rather early: a rate that is too high
// costs another short wait, but one that is too low slows down the whole run
const SHARE_OF_GUESS = 0.35;

// Not all runs at the same moment
const JITTER = 0.2;

// A rate limit that lets others through but never this one is none for this site, and after three such sites for no one
const MAX_REFUSALS = 4;
const MAX_SITES_REFUSED = 3;

// A limit that lets nothing through for so long, or so often, is no limit of the rate
const LONGEST_SILENCE_MS = 30_000;
const MAX_IN_A_ROW = 30;

/** What counts of a request that waits for its turn. */
export interface Turn {
	/** Requests sent. */
	sent: number;
	/** How often a rate limit refused it although others got through. */
	refusals: number;
	/** The successes of the run when it was first sent, or last failed. */
	successesBefore: number;
}

/**
 * What the service refuses for its load while it lets others through: how long, and how often, a request waits for
 * its turn at a rate limit, and whether a refusal is about its site instead.
 */
export class Turns {
	/** Requests that succeeded. */
	successes = 0;

	private lastSuccess = 0;

	private sitesRefused = 0;

	/** The latest request that went first was a retry, and was refused for overload. */
	private isRetryRefused = false;

	/** Whether the service lets some sites through right after it has called itself overloaded for another one. */
	isNoOverload = false;

	/** @param longestWait milliseconds the run lets itself be held back at once */
	constructor(
		private readonly clock: Clock,
		private readonly longestWait: number,
	) {}

	/** @param isProbe it went first, alone */
	succeed({ sent }: Turn, isProbe: boolean): void {
		this.successes++;
		this.lastSuccess = this.clock.now();
		// Both went alone, so the load was the same: the one was refused for its site
		if (isProbe && sent === 1 && this.isRetryRefused) this.isNoOverload = true;
		this.isRetryRefused = false;
	}

	/** A request that went first, alone, was refused for overload. */
	refuseProbe({ sent }: Turn): void {
		if (sent > 1) this.isRetryRefused = true;
	}

	/** Whether others got through since this request, which has just failed, was first sent or last failed. */
	othersGotThrough(turn: Turn): boolean {
		const before = turn.successesBefore;
		turn.successesBefore = this.successes;
		return this.successes > before;
	}

	/** Milliseconds until the limit may let a request through. */
	wait({ retryAfter = 0 }: ServiceFailure): number {
		const guess = Math.max(FIRST_WAIT_MS, SHARE_OF_SILENCE * this.silence);
		return Math.max(retryAfter, guess * (1 + JITTER * Math.random()));
	}

	/** Milliseconds after which the limit probably accepts requests again, when so many are waited. */
	limitedFor({ retryAfter = 0 }: ServiceFailure, wait: number): number {
		return retryAfter >= wait ? wait : SHARE_OF_GUESS * wait;
	}

	/**
	 * Whether the limit, which has just refused this request, may still let it through.
	 *
	 * @param inARow refusals, one after the other, since the latest success
	 */
	refuse(turn: Turn, othersGotThrough: boolean, inARow: number): boolean {
		if (othersGotThrough) turn.refusals++;
		const isNeverLetThrough = turn.refusals > MAX_REFUSALS;
		if (isNeverLetThrough) this.sitesRefused++;
		const longestSilence = Math.min(LONGEST_SILENCE_MS, this.longestWait);
		const isSilent = inARow > MAX_IN_A_ROW || this.silence >= longestSilence;
		return !isNeverLetThrough && !isSilent;
	}

	/** Whether what looks like a rate limit is about single sites. */
	get isNoLimit(): boolean {
		return this.sitesRefused >= MAX_SITES_REFUSED;
	}

	private get silence(): number {
		return this.clock.now() - this.lastSuccess;
	}
}
