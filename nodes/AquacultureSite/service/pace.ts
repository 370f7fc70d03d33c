import { sleep } from 'n8n-workflow';

// A few sites stay a gentle load: the run grows from here while the service answers well
const FIRST_UNDER_WAY = 4;

// More under way with each good answer, until the first overload
const GROWTH = 2;

/** How a request went, as far as the pace is concerned. */
export type Outcome = 'well' | 'overloaded' | 'otherwise';

/** Leave to have one request under way. */
export interface Place {
	/** How often the pace had been cut when the request started. */
	cuts: number;
}

interface Waiting {
	start: (place: Place) => void;
	stop: (reason: Error) => void;
}

/** Thrown to everyone who waits for a place when the run is stopped. */
export class StoppedError extends Error {
	constructor() {
		// By the word «canceled» n8n tells a stopped execution from one that failed
		super('The run was canceled');
		this.name = 'StoppedError';
	}
}

/**
 * How many requests of one run are under way at once, and when none may start: additive increase and
 * multiplicative decrease, as TCP does it. It starts with few, three times as many in each round while all
 * goes well, half as many when the service is overloaded, and from then on one more for each round. A pause
 * holds back all requests.
 */
export class Pace {
	private limit: number;

	private underWay = 0;

	private cuts = 0;

	private pausedUntil = 0;

	private waking = false;

	private readonly queue: Waiting[] = [];

	/** Asked for already: first come, first served here too, or the same ones would be refused each time. */
	private readonly again: Waiting[] = [];

	/** How often, and for how many milliseconds in all, the run was held back. */
	readonly pauses = { count: 0, milliseconds: 0 };

	/** @param most requests under way at once, 1 or more */
	constructor(
		private readonly most: number,
		private readonly signal: AbortSignal,
	) {
		this.limit = Math.min(FIRST_UNDER_WAY, most);
		signal.addEventListener('abort', () => this.stopQueue(), { once: true });
	}

	/**
	 * Waits for leave to start a request; `again` puts it in front of those that have not been asked yet.
	 *
	 * @throws StoppedError when the run is stopped
	 */
	async take(again = false): Promise<Place> {
		return await new Promise<Place>((start, stop) => {
			(again ? this.again : this.queue).push({ start, stop });
			this.fill();
		});
	}

	/** Gives the place back and learns from how the request went. */
	give(place: Place, outcome: Outcome): void {
		this.underWay--;
		if (outcome === 'well') {
			const step = this.cuts === 0 ? GROWTH : 1 / this.limit;
			this.limit = Math.min(this.most, this.limit + step);
		}
		// Requests that were under way together tell of the same overload: one cut for all of them
		if (outcome === 'overloaded' && place.cuts === this.cuts) {
			this.cuts++;
			this.limit = Math.max(1, this.limit / 2);
		}
		this.fill();
	}

	/** Starts no request for so many milliseconds; a longer pause that is on already stays. */
	pause(milliseconds: number): void {
		const now = Date.now();
		const until = now + milliseconds;
		if (until <= this.pausedUntil) return;
		this.pauses.count += this.pausedUntil > now ? 0 : 1;
		this.pauses.milliseconds += until - Math.max(now, this.pausedUntil);
		this.pausedUntil = until;
		void this.wake();
	}

	private async wake(): Promise<void> {
		if (this.waking) return;
		this.waking = true;
		for (let left = 1; left > 0 && !this.signal.aborted;) {
			left = this.pausedUntil - Date.now();
			// Rejects when the run is stopped; the queue is told by the signal itself
			if (left > 0) await sleep(left, this.signal).catch(() => undefined);
		}
		this.waking = false;
		this.fill();
	}

	private fill(): void {
		if (this.signal.aborted) return this.stopQueue();
		while (this.underWay < Math.floor(this.limit) && Date.now() >= this.pausedUntil) {
			const next = this.again.shift() ?? this.queue.shift();
			if (!next) return;
			this.underWay++;
			next.start({ cuts: this.cuts });
		}
	}

	private stopQueue(): void {
		const waiting = [...this.again.splice(0), ...this.queue.splice(0)];
		for (const { stop } of waiting) stop(new StoppedError());
	}
}
