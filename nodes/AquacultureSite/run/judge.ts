import { FAILED_LOGIN_PAUSE_MS } from '../service/messages/failures';
import type { ServiceFailure } from '../service/messages/failures';
import type { Cancellation } from './cancellation';
import type { Line } from './line';
import { REFUSALS } from './rateLimit';
import type { RateLimit } from './rateLimit';
import type { Session } from './session';

// Sites may fail by themselves; this many in a row, with nothing but failures, may be the service's
const MAX_FAILURES_IN_ROW = 8;

// A service that is restarted is back within half a minute; whoever waits for a run gives up by then
const PATIENCE_MS = 30_000;

// Of a service that has named a wait, or a rate limit: it is there
const PATIENCE_WITH_LIMIT_MS = 90_000;

// A trial knocks three times a second at most, and ends a quarter, or ten seconds, too late at most
const SHORTEST_PAUSE_MS = 300;
const SHARE_OF_TRIAL = 1 / 4;
const LONGEST_PAUSE_MS = 10_000;

// A rate limit refuses a site a few times while others get their share; one that never lets it through is none
const MAX_WAITS = 8;

// As in ky and the AWS SDKs: a site that stumbles is back within seconds
const FIRST_BACKOFF_MS = 1000;

/** What the judge knows of a site that is to be read. */
export interface Job {
	readonly request: { timeout: number; maxRetries: number };
	/** Whether it is still to be read. */
	isOpen: boolean;
	/** Failures that were its own, and refusals for the rate although others were accepted. */
	tries: number;
	waits: number;
	/** The last one. */
	failure?: Failed;
	/** The last one that was its own: what it is said to have failed with. */
	own?: Failed;
}

/** A request that failed. */
export interface Failed {
	failure: ServiceFailure;
	/** The same, worded for a site that cannot be read although others can. */
	own: ServiceFailure;
	/** What it has in common with others: the status, or what became of the connection. */
	cause: string;
	/** Whether there was a response. */
	isAnswered: boolean;
	/** Whether the login before it failed. */
	isLogin: boolean;
	/** When it was sent and with which token, and when it failed. */
	sentAt: number;
	token: number;
	at: number;
}

/** What a run does by the judge's verdicts. */
export interface Verdicts<J> {
	/** The failure is that of the site. */
	onSite(job: J): void;
	/** No site can be read anymore. @param isSame whether every site would get the same failure */
	onRun(last: Failed, isSame: boolean): void;
	/** The sites that are still to be read. */
	readonly open: ReadonlySet<J>;
	/** The same request once more, of which only the judge hears. */
	copy(job: J): J;
}

/** What a trial has shown. */
class Trial<J> {
	/** What is not the sites' own: a suspect got past it, or a good site failed with it, too. */
	readonly excused = new Set<string>();

	/** How often the token was rejected. */
	rejections = 0;

	rounds = 0;

	/** The site that was read last, once more. */
	control?: J;

	constructor(readonly start: number) {}
}

/**
 * Whose a failure is. A failure alone does not tell: it stays in doubt until a site that was sent later is accepted. If
 * nothing is accepted, the judge makes the witness it needs: a trial.
 */
export class Judge<J extends Job> {
	/** Sites that failed, and nobody knows why. */
	private readonly doubts = new Set<J>();

	/** How many failures in a row are borne, as a multiple: more if they were the sites' own. */
	private tolerance = 1;

	/** The present one, or the one before. */
	private trial = new Trial<J>(-Infinity);
	private isTrying = false;

	/** What a good site failed with, too, and when that was sent. */
	private readonly common = new Map<string, number>();

	/** The site that was read last: the control of a trial. */
	private good?: J;

	/** When the latest request was sent that was accepted with the present token. */
	private acceptedAt = -Infinity;

	/** For how many milliseconds the run was held, by cause. */
	readonly pauses = new Map<string, number>();

	constructor(
		private readonly line: Line<J>,
		private readonly session: Session,
		private readonly rateLimit: RateLimit,
		private readonly clock: Cancellation,
		private readonly longestWait: number,
		private readonly verdicts: Verdicts<J>,
	) {}

	/** Whether another site could be read or was found missing. */
	get hasWitness(): boolean {
		return this.good !== undefined;
	}

	/** The service has responded, with the site or with a refusal that is about this site alone. */
	accept(job: J, { sentAt, token }: Pick<Failed, 'sentAt' | 'token'>, isRead: boolean): void {
		const { failure } = job;
		this.doubts.delete(job);
		this.rateLimit.count(undefined, sentAt);
		this.session.accept(token, sentAt, failure);
		if (failure && this.isTrying) this.trial.excused.add(failure.cause);
		if (failure) this.prove(failure);
		this.rateLimit.heardAt = this.clock.now();
		if (token === this.session.token) this.acceptedAt = Math.max(this.acceptedAt, sentAt);
		if (isRead || !this.good) this.good = job;
	}

	/** Nobody knows yet whose this failure is. */
	fail(job: J, failed: Failed): void {
		const { cause, sentAt, token, isLogin } = failed;
		if (failed.isAnswered) this.rateLimit.count(cause, sentAt);
		job.failure = failed;
		const { control, excused, start } = this.trial;
		if (this.isTrying && (job === control || isLogin)) excused.add(cause);
		if (!job.isOpen) {
			this.common.set(cause, sentAt);
			return;
		}
		// Suspects take turns
		this.doubts.delete(job);
		this.doubts.add(job);
		const isReplaced = cause === '401' && token !== this.session.token;
		// A login must not be repeated
		if (isLogin && this.isFinal(failed)) this.verdicts.onRun(failed, true);
		else if (this.isTrying) return;
		else if (isReplaced || (sentAt <= start && excused.has(cause))) this.putBack(job);
	}

	/** It is no longer to be read. */
	drop(job: J): void {
		this.doubts.delete(job);
	}

	/** There is a new token. */
	onToken(): void {
		this.rateLimit.heardAt = this.clock.now();
		this.acceptedAt = -Infinity;
	}

	/** Counts what was proven, and finds out whether it is time for a trial. */
	check(): void {
		if (this.isTrying) return;
		for (const job of this.doubts) if (this.isProven(job)) this.count(job);
		if (this.doubts.size === 0) return;
		const isTelling = [...this.doubts].some((job) => this.isTelling(job));
		const most = this.tolerance * (isTelling ? 1 : MAX_FAILURES_IN_ROW);
		if (this.doubts.size >= most || this.line.isIdle) void this.try();
	}

	/** Whether a failure is the site's own without a trial: another was accepted since, and there is still a try left. */
	private isProven(job: J): boolean {
		const { sentAt, cause } = job.failure as Failed;
		// Of the token, a login tells
		const isOfToken = cause === 'login' || cause === '401';
		if (this.isOnly && this.line.isIdle && !isOfToken) return true;
		return sentAt <= this.acceptedAt && !this.isOfLoad(job) && !this.isLast(job);
	}

	/** Whether there is no other site whose answer could tell. */
	private get isOnly(): boolean {
		return !this.good && this.verdicts.open.size === 1;
	}

	/** Whether a failure says by itself that it may be the load's, of which nothing is known yet, or the login's. */
	private isOfLoad({ failure }: J): boolean {
		const { isLogin, cause } = failure as Failed;
		return isLogin || (this.rateLimit.isLimit(cause) && this.rateLimit.rate === Infinity);
	}

	/** Whether a failure says by itself that it may be the load's, the token's, or the run's. */
	private isTelling(job: J): boolean {
		const { cause, failure } = job.failure as Failed;
		const isOfToken = cause === '401' && !this.session.isFlaky;
		return !failure.mayPass || isOfToken || this.isOfLoad(job);
	}

	/** Whether a retry would not help. */
	private isFinal(failed: Failed): boolean {
		return !failed.failure.mayPass || this.isTooLong(failed);
	}

	/** Whether the service asks for a wait that the run does not wait for. */
	private isTooLong({ failure: { retryAfter = 0 } }: Failed): boolean {
		return retryAfter > this.longestWait;
	}

	/** Whether a site cannot be read if this failure is its own. */
	private isLast({ failure: failed, tries, waits, request: { maxRetries } }: J): boolean {
		const { failure, cause } = failed as Failed;
		if (this.isForRate(cause)) return waits + 1 >= MAX_WAITS;
		const isRefused =
			(cause === '401' && !this.session.isFlaky) || (cause === '403' && maxRetries > 0);
		return tries + 1 >= (isRefused ? 2 : failure.mayPass ? maxRetries + 1 : 1);
	}

	/** Whether a failure is a refusal for the rate, and the site only has to wait. */
	private isForRate(cause: string): boolean {
		return cause === '429' || (this.rateLimit.isLimit(cause) && this.rateLimit.rate < Infinity);
	}

	/** The failure is its own: it is tried again, or it was the last time. */
	private count(job: J): void {
		this.doubts.delete(job);
		const failed = job.failure as Failed;
		const isLimit = this.isForRate(failed.cause);
		if (!isLimit) job.own = failed;
		if (this.isLast(job) || this.isTooLong(failed)) this.verdicts.onSite(job);
		else this.backOff(job, isLimit ? ++job.waits : ++job.tries);
	}

	/** It waits alone, longer each time. */
	private backOff(job: J, failures: number): void {
		const { failure, cause, at } = job.failure as Failed;
		const { retryAfter = 0 } = failure;
		const isLimit = this.isForRate(cause);
		const most = Math.min(LONGEST_PAUSE_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
		const wait = Math.max(0, at + retryAfter - this.clock.now()) + Math.random() * most;
		void this.clock.pause(wait).then(() => {
			if (!job.isOpen) return;
			// Whether it is accepted after a pause tells of the limit
			if (isLimit) this.line.putBack(job);
			else this.line.retry(job);
		});
	}

	/**
	 * A trial: holds the line, and sends requests whose answers can tell, until one is accepted. What it excuses was not the
	 * sites' own.
	 */
	private async try(): Promise<void> {
		this.isTrying = true;
		this.line.hold();
		const start = this.clock.now();
		this.trial = new Trial(start);
		const { trial } = this;
		const { excused } = trial;
		let isOver = false;
		while (!isOver && this.doubts.size > 0) {
			await this.clock.pause(this.pauseBefore());
			if (!this.clock.isStopped) isOver = await this.sendRound();
			if (this.clock.isStopped) return;
			const last = [...this.doubts].at(-1)?.failure;
			if (!isOver && last && trial.rounds > 1 && this.clock.now() >= this.givesUpAt) {
				this.verdicts.onRun(last, last.isLogin);
				return;
			}
		}
		this.isTrying = false;
		for (const job of this.doubts) {
			const { cause, sentAt } = job.failure as Failed;
			if (!excused.has(cause) && sentAt <= this.acceptedAt) this.count(job);
			else this.putBack(job);
		}
		const [cause] = excused;
		this.tolerance = cause === undefined ? 2 * this.tolerance : Math.max(1, this.tolerance / 2);
		if (cause !== undefined)
			this.pauses.set(cause, (this.pauses.get(cause) ?? 0) + this.clock.now() - start);
		this.line.release();
	}

	/** One round of a trial. @returns whether a site was accepted, or the token is renewed */
	private async sendRound(): Promise<boolean> {
		const { trial } = this;
		trial.rounds++;
		if (this.good) trial.control ??= this.verdicts.copy(this.good);
		const suspect = this.suspect();
		const jobs = this.witnesses(suspect);
		const accepted = await Promise.all(jobs.map(async (job) => await this.line.probe(job)));
		if (this.clock.isStopped) return false;
		if (accepted.includes(true)) return true;
		trial.rejections += jobs.filter((job) => job.failure?.cause === '401').length;
		const { failure } = jobs.at(-1) as J;
		if (!failure || failure.isLogin) return false;
		const most = this.session.isFlaky ? MAX_FAILURES_IN_ROW : this.isOnly ? 1 : 2;
		if (trial.rejections >= most && !this.session.isNew) {
			trial.excused.add('401');
			if (this.session.renew(this.isOnly ? 1 : undefined)) return true;
			this.verdicts.onRun(failure, true);
			return false;
		}
		// Another site may still tell
		const isSame = suspect.failure?.cause === failure.cause && (this.good ?? this.line.isIdle);
		if (isSame && this.isFinal(failure)) this.verdicts.onRun(failure, true);
		return false;
	}

	/**
	 * Whose answer can tell: that of a suspect, which is a site that failed, and of a control, which is a site that was read
	 * before, or another one if there is none. At the same time, so that the load is the same for both.
	 */
	private witnesses(suspect: J): J[] {
		const { control, rounds } = this.trial;
		const { isLogin, at, sentAt, failure, cause } = suspect.failure as Failed;
		if (isLogin) return [suspect];
		// What hung may hang again
		const isHanging = at - sentAt >= suspect.request.timeout;
		const mustWait = at + (failure.retryAfter ?? 0) > this.clock.now();
		// If it was sent alone, it was not the load
		const isAlone = this.line.isIdle && this.doubts.size === 1 && !this.isForRate(cause);
		const witness = control ?? (isHanging && rounds % 2 === 0 ? undefined : this.other(suspect));
		if (!witness) return [suspect];
		const isEnough = isHanging || (control && (rounds > 1 || mustWait || isAlone));
		return isEnough ? [witness] : [suspect, witness];
	}

	/** A site was accepted that had failed. It may be well again by itself: if a good one was refused, too, it was the load. */
	private prove({ cause, sentAt }: Failed): void {
		const refusedAt = this.common.get(cause) ?? -Infinity;
		// A 429 says itself that it is about the load; any other status may be a site's own, beside the limit
		const since = cause === '429' ? -Infinity : this.rateLimit.lastSetAt;
		if (refusedAt > since) this.rateLimit.prove(cause, sentAt, this.isTrying);
		// In the quiet of a trial, a limit refuses nobody: a good site goes with the others
		else if (this.good && this.verdicts.open.size > 0 && REFUSALS.includes(cause))
			this.line.putBack(this.verdicts.copy(this.good));
	}

	/** One of those that nothing has excused yet; those that say something about the token or the load come first. */
	private suspect(): J {
		const rank = (job: J) => {
			const isExcused = this.trial.excused.has((job.failure as Failed).cause);
			return (isExcused ? 200 : 0) + (this.isTelling(job) ? 0 : 100) + job.tries;
		};
		return [...this.doubts].reduce((best, job) => (rank(job) < rank(best) ? job : best));
	}

	/** A site that was not tried, or another that failed. */
	private other(suspect: J): J | undefined {
		const others = [...this.doubts].filter((job) => job !== suspect);
		return this.line.take() ?? others[Math.floor(Math.random() * others.length)];
	}

	/** Milliseconds until the next round: as long as the service asks, or longer each time. */
	private pauseBefore(): number {
		const { start, control } = this.trial;
		const now = this.clock.now();
		const failures = this.failures();
		const isOfLogin = failures.some(({ isLogin }) => isLogin);
		// A token is not busy
		const isOfToken = failures.every(({ cause }) => cause === '401');
		if (isOfToken && !this.session.isNew && !this.session.isFlaky) return 0;
		// What a good site gets at this moment tells the most, unless a site has one try left, and must wait for it
		const isLast = [...this.doubts].some(
			(job) => job.failure?.failure.retryAfter && this.isLast(job),
		);
		if (!control && this.good && !isOfLogin && !isLast) return 0;
		const waits = failures.map((failed) =>
			this.isTooLong(failed) ? 0 : failed.at + (failed.failure.retryAfter ?? 0) - now,
		);
		// Accounts get locked, and services that are ill need a rest
		const growing = isOfLogin
			? Math.max(FAILED_LOGIN_PAUSE_MS, now - start)
			: Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + SHARE_OF_TRIAL * (now - start));
		// The last one is sent when the patience ends
		const left = Math.max(SHORTEST_PAUSE_MS, this.givesUpAt - now);
		return Math.max(Math.min(growing, left), ...waits);
	}

	/** The time of the clock at which a trial that was in vain ends the run. */
	private get givesUpAt(): number {
		const isNamed = this.failures().some(
			({ failure, cause }) => failure.retryAfter !== undefined || this.rateLimit.isLimit(cause),
		);
		const isLimited = isNamed || this.rateLimit.rate < Infinity;
		const patience = isLimited ? PATIENCE_WITH_LIMIT_MS : PATIENCE_MS;
		return Math.max(this.trial.start, this.rateLimit.heardAt) + patience;
	}

	private failures(): Failed[] {
		return [...this.doubts, this.trial.control].flatMap((job) => job?.failure ?? []);
	}

	/** It is nothing that the site did. If all were sent again at once, a rate limit would refuse the same ones. */
	private putBack(job: J): void {
		this.doubts.delete(job);
		const failed = job.failure as Failed;
		if (++job.waits >= MAX_WAITS) this.verdicts.onSite(job);
		else if (this.isForRate(failed.cause) && !this.isFinal(failed)) this.backOff(job, job.waits);
		else this.line.putBack(job);
	}
}
