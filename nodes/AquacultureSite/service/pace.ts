import { Rate } from './rate';

/** The time, and a way to let it pass. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after so many milliseconds, at the earliest in the next turn of the event loop, or when the run is stopped. */
	pause(milliseconds: number): Promise<void>;
}

// So many at once before anything is known of the service
const FIRST_IN_FLIGHT = 64;

// Until so many may be in flight, one request starts each millisecond; then up to four in one turn of the event loop
const GROWN_IN_FLIGHT = 96;
const STARTS_IN_A_TURN = 4;

// On a busy machine a turn takes long
const MOST_IN_A_TURN = 16;

// A timer is late by a few milliseconds, which must not add up to a lower rate
const LATE_MS = 10;

/** How a request tells what it says about the load that the service bears; not to call it says nothing. */
export interface LoadReport {
	/** It goes first after an overload, alone. */
	isProbe: boolean;
	success: () => void;
	/** Overloads since the latest success, with one that this request has found. */
	overloadsInARow: () => number;
	/**
	 * Holds back all requests for so many milliseconds, and slows them down after that.
	 *
	 * @param limitedFor milliseconds after which a rate limit probably accepts requests again; undefined where it is none
	 */
	overload: (wait: number, limitedFor?: number) => void;
}

interface Waiting {
	/** Settles the promise of `run`: with a turn its function starts, without one it never does. */
	start: (turn: Start | undefined) => void;
	stop: (reason: unknown) => void;
}

/** What a request starts with. */
interface Start {
	/** Overloads found by then. */
	overloads: number;
	isProbe: boolean;
}

/**
 * How many requests of one run are in flight at once, how fast they start, and when none may. It starts with
 * many, one after the other, so that the service bears a steady load; with each success there is one more. After
 * an overload one request goes first, alone. The others follow, half as many at once, or, where the service limits
 * the rate, at the rate that it accepts.
 */
export class Pace {
	private limit: number;

	private inFlight = 0;

	private overloads = 0;

	private overloadsInARow = 0;

	/** The request that went first was refused as well: it may be the only one that is. */
	private isOthersTurn = false;

	private isProbeDue = false;

	private isProbing = false;

	private pausedUntil = 0;

	/** No request starts before. */
	private nextStart = 0;

	private isFilling = false;

	private readonly queue: Waiting[] = [];

	/** First come, first served for retries too, or the same ones would be refused each time. */
	private readonly retryQueue: Waiting[] = [];

	/** How often, and for how many milliseconds in total, the run was held back. */
	readonly pauses = { count: 0, milliseconds: 0 };

	/** @param maxConcurrency requests in flight at once, 1 or more */
	constructor(
		private readonly maxConcurrency: number,
		private readonly clock: Clock,
		private readonly signal: AbortSignal,
		readonly rate = new Rate(),
	) {
		this.limit = Math.min(FIRST_IN_FLIGHT, maxConcurrency);
		signal.addEventListener('abort', () => this.stopQueue());
	}

	/**
	 * Runs a request when its turn comes, and gives its slot back whatever becomes of it.
	 *
	 * @param request gets what it reports with
	 * @param isRetry puts it in front of those that have not been sent yet
	 * @returns undefined where the queue was flushed before its turn came
	 * @throws what `request` throws; the reason of the signal when the run is stopped
	 */
	async run<T>(
		request: (report: LoadReport) => Promise<T>,
		isRetry = false,
	): Promise<T | undefined> {
		const own = await new Promise<Start | undefined>((start, stop) => {
			(isRetry ? this.retryQueue : this.queue).push({ start, stop });
			this.fill();
		});
		if (!own) return undefined;
		try {
			return await request({
				isProbe: own.isProbe,
				success: () => this.succeed(own),
				overloadsInARow: () => this.overloadsInARow + (this.isNews(own) ? 1 : 0),
				overload: (wait, limitedFor) => this.slowDown(own, wait, limitedFor),
			});
		} finally {
			this.inFlight--;
			if (own.isProbe) this.isProbing = false;
			this.fill();
		}
	}

	/** Starts no request for so many milliseconds; a longer pause that is on already stays. */
	pause(milliseconds: number): void {
		const now = this.clock.now();
		const until = now + milliseconds;
		if (until <= this.pausedUntil) return;
		this.pauses.count += this.pausedUntil > now ? 0 : 1;
		this.pauses.milliseconds += until - Math.max(now, this.pausedUntil);
		this.pausedUntil = until;
		this.nextStart = Math.max(this.nextStart, until);
	}

	/** Lets everyone who waits go on without a slot. */
	flush(): void {
		for (const { start } of this.takeWaiting()) start(undefined);
	}

	private succeed(own: Start): void {
		this.overloadsInARow = 0;
		this.isOthersTurn = false;
		this.limit = Math.min(this.maxConcurrency, this.limit + 1);
		this.rate.accept(this.clock.now(), !this.isNews(own));
	}

	/** Requests that were in flight together tell of the same overload. */
	private isNews({ overloads }: Start): boolean {
		return overloads === this.overloads;
	}

	private slowDown(own: Start, wait: number, limitedFor?: number): void {
		if (this.isNews(own)) {
			this.overloads++;
			this.overloadsInARow++;
			this.isOthersTurn = own.isProbe;
			if (limitedFor !== undefined) {
				const now = this.clock.now();
				this.rate.refuse(now, now + limitedFor);
			} else {
				// No rate says how much a service can bear that is in trouble
				this.limit = Math.max(1, Math.floor(this.limit / 2));
			}
		}
		// Of requests that were all refused before, none needs to go first
		if (limitedFor !== undefined || this.queue.length > 0) this.isProbeDue = true;
		this.pause(wait);
	}

	private fill(): void {
		if (this.signal.aborted) this.stopQueue();
		if (!this.isFilling) void this.fillSlots();
	}

	/**
	 * Started all at once, requests would also end all at once, and then none is under way: so one starts for
	 * each millisecond that a turn of the event loop takes.
	 */
	private async fillSlots(): Promise<void> {
		this.isFilling = true;
		// The request that found the overload comes back in this turn, and goes first
		if (this.isProbeDue) await this.clock.pause(0);
		let turnStart = this.clock.now();
		while (this.mayStart()) {
			const now = this.clock.now();
			const least =
				this.limit < Math.min(GROWN_IN_FLIGHT, this.maxConcurrency) ? 1 : STARTS_IN_A_TURN;
			let starts = Math.min(MOST_IN_A_TURN, Math.max(least, now - turnStart));
			turnStart = now;
			for (; starts > 0 && this.nextStart <= now && this.mayStart(); starts--) this.startNext();
			await this.clock.pause(Math.max(0, this.nextStart - now));
		}
		this.isFilling = false;
	}

	private mayStart(): boolean {
		const isWaiting = this.retryQueue.length + this.queue.length > 0;
		return isWaiting && !this.isProbing && this.inFlight < this.limit && !this.signal.aborted;
	}

	private startNext(): void {
		const [first, second] = [this.retryQueue, this.queue];
		const next = (this.isOthersTurn && second.shift()) || (first.shift() ?? second.shift());
		if (!next) return;
		const now = this.clock.now();
		this.nextStart = Math.max(this.nextStart, now - LATE_MS) + this.rate.start(now);
		const isProbe = this.isProbeDue;
		this.isProbeDue = false;
		this.isProbing = isProbe;
		this.inFlight++;
		next.start({ overloads: this.overloads, isProbe });
	}

	private stopQueue(): void {
		for (const { stop } of this.takeWaiting()) stop(this.signal.reason);
	}

	private takeWaiting(): Waiting[] {
		return [...this.retryQueue.splice(0), ...this.queue.splice(0)];
	}
}
