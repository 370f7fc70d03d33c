/** The time, and a way to let it pass. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after so many milliseconds, or when the run is stopped. */
	pause(milliseconds: number): Promise<void>;
}

// A few sites stay a gentle load: the run grows from here while the service responds well
const FIRST_IN_FLIGHT = 4;

// More in flight with each success, until the first overload
const GROWTH = 2;

/** What a request says about the load that the service bears; `other` says nothing. */
export type Load = 'success' | 'overload' | 'other';

interface Waiting {
	/** Settles the promise of `run`: with a slot its function starts, without one it never does. */
	start: (hasSlot: boolean) => void;
	stop: (reason: unknown) => void;
}

/**
 * How many requests of one run are in flight at once, and when none may start: additive increase and
 * multiplicative decrease, as TCP does it. It starts with few, three times as many in each round while all
 * goes well, half as many when the service is overloaded, and from then on one more for each round. A pause
 * holds back all requests.
 */
export class Pace {
	private limit: number;

	private inFlight = 0;

	private cuts = 0;

	private pausedUntil = 0;

	private waking = false;

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
	) {
		this.limit = Math.min(FIRST_IN_FLIGHT, maxConcurrency);
		signal.addEventListener('abort', () => this.stopQueue());
	}

	/**
	 * Runs a request when its turn comes, and gives its slot back whatever becomes of it.
	 *
	 * @param request gets a function to call with what it says about the load
	 * @param isRetry puts it in front of those that have not been sent yet
	 * @returns undefined where the queue was flushed before its turn came
	 * @throws what `request` throws; the reason of the signal when the run is stopped
	 */
	async run<T>(
		request: (report: (load: Load) => void) => Promise<T>,
		isRetry = false,
	): Promise<T | undefined> {
		const hasSlot = await new Promise<boolean>((start, stop) => {
			(isRetry ? this.retryQueue : this.queue).push({ start, stop });
			this.fill();
		});
		if (!hasSlot) return undefined;
		const cutsAtStart = this.cuts;
		try {
			return await request((load) => this.learn(load, cutsAtStart));
		} finally {
			this.inFlight--;
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
		void this.wake();
	}

	/** Lets everyone who waits go on without a slot. */
	flush(): void {
		for (const { start } of this.takeWaiting()) start(false);
	}

	private learn(load: Load, cutsAtStart: number): void {
		if (load === 'success') {
			const step = this.cuts === 0 ? GROWTH : 1 / this.limit;
			this.limit = Math.min(this.maxConcurrency, this.limit + step);
		}
		// Requests that were in flight together tell of the same overload: one cut for all of them
		if (load === 'overload' && cutsAtStart === this.cuts) {
			this.cuts++;
			this.limit = Math.max(1, this.limit / 2);
		}
	}

	private async wake(): Promise<void> {
		if (this.waking) return;
		this.waking = true;
		while (this.pausedUntil > this.clock.now() && !this.signal.aborted) {
			await this.clock.pause(this.pausedUntil - this.clock.now());
		}
		this.waking = false;
		this.fill();
	}

	private fill(): void {
		if (this.signal.aborted) this.stopQueue();
		while (this.inFlight < Math.floor(this.limit) && this.clock.now() >= this.pausedUntil) {
			const next = this.retryQueue.shift() ?? this.queue.shift();
			if (!next) return;
			this.inFlight++;
			next.start(true);
		}
	}

	private stopQueue(): void {
		for (const { stop } of this.takeWaiting()) stop(this.signal.reason);
	}

	private takeWaiting(): Waiting[] {
		return [...this.retryQueue.splice(0), ...this.queue.splice(0)];
	}
}
