import type { Cancellation } from './cancellation';
import type { Job } from './job';
import type { RateLimit } from './rateLimit';
import type { Session } from './session';

// As many as ten people with a browser, which sends six at once
const FIRST_IN_FLIGHT = 64;

// Half as many take half as long if they wait for each other, and just as long if they are slow by nature
const MIDWAY = 3 / 4;

/**
 * The line of the sites to read. One that is to be sent again goes back to its place. As many are in flight at once as the
 * service bears: 64, one more with each success, half if it gets slow (additive increase, multiplicative decrease).
 */
export class Line {
	private readonly waiting: Job[] = [];
	/** Sent even while the line is held. */
	private readonly probes: { job: Job; resolve: () => void; reject: () => void }[] = [];
	private limit: number;
	/** Whether it grows by one with each success, so that it doubles with each round (RFC 5681, section 3.1). */
	private isSlowStart = true;
	private inFlight = 0;
	private isStarting = false;
	private isHeld = false;
	/** Before the limit was changed last, until when: how many were in flight, and milliseconds that the slowest took. */
	private before = { until: -Infinity, limit: 0, took: 0 };

	/**
	 * @param maxConcurrency requests in flight at once, 1 or more
	 * @param deliver sends a request, and never rejects; whether it was accepted
	 */
	constructor(
		private readonly maxConcurrency: number,
		private readonly clock: Cancellation,
		private readonly session: Pick<Session, 'loggingIn'>,
		private readonly rateLimit: Pick<RateLimit, 'reserve'>,
		private readonly deliver: (job: Job) => Promise<boolean>,
		private readonly onEnd: () => void,
	) {
		this.limit = Math.min(FIRST_IN_FLIGHT, maxConcurrency);
	}

	/** Whether nothing is in flight or waits to be sent. */
	get isIdle(): boolean {
		return this.inFlight + this.waiting.length === 0;
	}

	/** To its place in the line. */
	add(job: Job): void {
		const before = this.waiting.findLastIndex(({ place }) => place < job.place);
		this.waiting.splice(before + 1, 0, job);
		void this.wake();
	}

	/** Takes a site out of the line, or of others if none waits: any, because neighbors often share their fate. */
	take(others: Job[]): Job | undefined {
		const list = this.waiting.length > 0 ? this.waiting : others;
		return list.splice(Math.floor(Math.random() * list.length), 1)[0];
	}

	/** Sends a request before all others, even while they are held. Rejects if it was not accepted. */
	async probe(job: Job): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.probes.push({ job, resolve, reject });
			void this.wake();
		});
	}

	/** Starts nothing but probes, until it is no longer held. */
	hold(isHeld: boolean): void {
		this.isHeld = isHeld;
		void this.wake();
	}

	/**
	 * A request succeeded: one more at once. Half as many if it took long: they may wait for each other.
	 * As many as before if they take as long now: some sites are slow by nature.
	 */
	adapt(sentAt: number, timeout: number): void {
		const { before, limit } = this;
		const took = this.clock.now() - sentAt;
		if (took <= timeout / 4) {
			this.limit = Math.min(this.maxConcurrency, limit + (this.isSlowStart ? 1 : 1 / limit));
		} else if (sentAt <= before.until) {
			before.took = Math.max(before.took, took);
		} else {
			const isInVain = limit < MIDWAY * before.limit && took > MIDWAY * before.took;
			if (isInVain) this.limit = before.limit;
			this.before = { until: this.clock.now(), limit: this.limit, took };
			if (!isInVain) this.halve();
		}
	}

	/** So many were too many: half of them, and from then on one more with each round (congestion avoidance). */
	halve(): void {
		this.limit = Math.max(1, this.limit / 2);
		this.isSlowStart = false;
	}

	/**
	 * Starts requests evenly: if all started at once, they would also end at once, and then none would be in flight. With
	 * each turn of the event loop, however long it took, one more is in flight at most (self-clocking).
	 */
	async wake(): Promise<void> {
		if (this.isStarting) return;
		this.isStarting = true;
		let before = this.inFlight;
		while (this.canStart()) {
			const wait = this.rateLimit.reserve() - this.clock.now();
			if (wait > 0) await this.clock.pause(wait);
			// Unless the line was held, or the run stopped, meanwhile
			if (this.canStart()) void this.sendFirst();
			if (this.inFlight <= before && this.canStart()) continue;
			before = this.inFlight;
			// Also if none waits: others may come in this turn
			await this.clock.pause(0);
		}
		this.isStarting = false;
	}

	private async sendFirst(): Promise<void> {
		const probe = this.probes.shift();
		const job = probe?.job ?? this.waiting.shift();
		if (!job) return;
		this.inFlight++;
		const isAccepted = await this.deliver(job);
		this.inFlight--;
		if (isAccepted) probe?.resolve();
		else probe?.reject();
		void this.wake();
		this.onEnd();
	}

	private canStart(): boolean {
		const waiting = this.isHeld ? 0 : this.waiting.length;
		const isOpen = this.inFlight < this.limit && !this.clock.isStopped;
		return isOpen && this.probes.length + waiting > 0 && !this.session.loggingIn;
	}
}
