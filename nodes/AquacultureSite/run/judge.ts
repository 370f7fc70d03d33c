import type { ServiceFailure } from '../service/messages/failures';
import type { Cancellation } from './cancellation';
import type { Line } from './line';
import type { RateLimit } from './rateLimit';
import type { Session } from './session';

// Sites may fail by themselves; this many in a row, with nothing but failures, may be the service's
const MAX_FAILURES_IN_ROW = 8;

// A service that is restarted is back within half a minute; whoever waits for a run gives up by then
const PATIENCE_MS = 30_000;

// Of a service that has named a wait, or a rate limit: it is there
const PATIENCE_WITH_LIMIT_MS = 90_000;

// A trial knocks three times a second at most, and ends a quarter too late at most
const SHORTEST_PAUSE_MS = 300;
const SHARE_OF_TRIAL = 1 / 4;

// As long as a login that failed is remembered
const LOGIN_PAUSE_MS = 2000;

// A rate limit refuses a site a few times while others get their share; one that never lets it through is none
const MAX_WAITS = 10;

// As in ky and the AWS SDKs: a site that stumbles is back within seconds
const FIRST_BACKOFF_MS = 1000;

/** What rate limits refuse with: RFC 6585, section 4, and what nginx and gateways send instead. */
const LIMIT_STATUSES = ['429', '503', '403'];

/** What the judge knows of a site that is to be read. */
export interface Job {
	readonly request: { timeout: number; maxRetries: number };
	/** Failures that were its own. */
	tries: number;
	/** When it was last sent, and with which token. */
	sentAt: number;
	token: number;
	/** What came of it last; undefined if that was a response of the service about this site. */
	failure?: Failed;
}

/** A request that failed. */
export interface Failed {
	failure: ServiceFailure;
	/** What it has in common with others: the status, or what became of the connection. */
	cause: string;
	/** Whether there was a response. */
	isAnswered: boolean;
	/** Whether the login before it failed. */
	isLogin: boolean;
	at: number;
}

/** What a run does by the judge's verdicts. */
export interface Verdicts<J> {
	/** The failure is that of the site. */
	onSite(job: J): void;
	/** No site can be read anymore. @param isSame whether every site would get the same failure */
	onRun(last: Failed, isSame: boolean): void;
	/** What was counted of this was not the sites' own. */
	forgive(cause: string): void;
	isOpen(job: J): boolean;
	/** How many sites are still to be read. */
	open(): number;
	/** The same request once more, of which only the judge hears. */
	copy(job: J): J;
}

/** What a trial has shown. */
interface Trial<J> {
	start: number;
	/** Whether the token had been accepted before. */
	isAccepted: boolean;
	rounds: number;
	/** What is not the sites' own: a suspect got past it, or a control failed with it, too. */
	excused: Set<string>;
	/** Whether the next request logs in. */
	isRenewed?: boolean;
	/** The sites for which the token was rejected. */
	rejected: Set<object>;
	/** The suspect that failed once more just before the control was accepted. */
	convicted?: J;
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

	private isTrying = false;

	private probed?: J;

	/** The site that was read last: the control of a trial. */
	private good?: J;

	/** When the latest request was sent that was accepted. */
	private acceptedAt = -Infinity;

	/** When the first trial began since something was accepted; undefined if none did. */
	private troubleSince?: number;

	/** What the last trial excused, and for which requests. */
	private excused = new Set<string>();
	private excusedUntil = -Infinity;

	/** The token with which a site was read that had been rejected with it: only a part of the service knows it. */
	private flakyToken = -1;

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

	/** The service has responded, with the site or with a refusal that is about this site alone. */
	accept(job: J, isRead: boolean): void {
		this.doubts.delete(job);
		this.session.accept(job.token);
		this.rateLimit.accept();
		this.troubleSince = undefined;
		this.acceptedAt = Math.max(this.acceptedAt, job.sentAt);
		if (isRead || !this.good) this.good = job;
		if (!this.isTrying) this.countDoubts();
	}

	/** It is no longer to be read. */
	drop(job: J): void {
		this.doubts.delete(job);
	}

	/** There is a new token. */
	onToken(): void {
		this.troubleSince = undefined;
	}

	/** Nobody knows yet whose this failure is. */
	fail(job: J, failed: Failed): void {
		const { cause } = failed;
		const { statuses } = this.rateLimit;
		const isRefused = statuses.size > 1 ? statuses.has(cause) : LIMIT_STATUSES.includes(cause);
		// Whatever else is wrong with it, a limit let it through
		if (!isRefused && !failed.isLogin) this.rateLimit.accept();
		// A probe is refused for what was sent before it
		if (isRefused && job !== this.probed) this.rateLimit.refuse();
		if (!this.verdicts.isOpen(job)) return;
		// A login must not be repeated
		if (failed.isLogin && this.isFinal(failed)) {
			this.verdicts.onRun(failed, true);
			return;
		}
		this.doubts.delete(job);
		const isStale = job.sentAt <= this.excusedUntil && this.excused.has(cause);
		const isReplaced = cause === '401' && job.token !== this.session.token;
		if (!this.isTrying && (isStale || isReplaced)) {
			this.putBack(job);
			return;
		}
		this.doubts.add(job);
		if (this.isTelling(failed)) this.check();
		if (!this.isTrying) this.countDoubts();
		this.check();
	}

	/** Whether it is time for a trial. */
	check(): void {
		if (this.isTrying || this.doubts.size === 0) return;
		if (this.isAlone && this.line.isIdle) this.countDoubts(Infinity);
		const failures = Array.from(this.doubts, ({ failure }) => failure as Failed);
		const isTelling = failures.some((failed) => this.isTelling(failed));
		const isLoad = failures.some(({ cause, isLogin }) => isLogin || this.isLimit(cause));
		const most = isLoad ? 1 : this.tolerance * (isTelling ? 1 : MAX_FAILURES_IN_ROW);
		if (this.doubts.size >= most || this.line.isIdle) void this.try();
	}

	/** Whether a failure says by itself that it may be the token's, the load's or the run's. */
	private isTelling({ cause, isLogin, failure }: Failed): boolean {
		const isOfToken = cause === '401' && !this.isFlaky;
		return isLogin || !failure.mayPass || isOfToken || this.isLimit(cause);
	}

	/** Whether a retry would not help. */
	private isFinal({ failure: { mayPass, retryAfter = 0 } }: Failed): boolean {
		return !mayPass || retryAfter > this.longestWait;
	}

	/** Whether another site could be read or was found missing. */
	get hasWitness(): boolean {
		return this.good !== undefined;
	}

	private isLimit(cause: string): boolean {
		return this.rateLimit.statuses.has(cause);
	}

	private get isFlaky(): boolean {
		return this.flakyToken === this.session.token;
	}

	/** A site that was sent later was accepted: what failed before it failed by itself. */
	private countDoubts(acceptedAt = this.acceptedAt): void {
		for (const job of this.doubts) if (job.sentAt < acceptedAt) this.count(job);
	}

	/** Whether there is no other site whose answer could tell, and it is not about the token, of which a login tells. */
	private get isAlone(): boolean {
		const [job] = this.doubts;
		const isOfToken = job?.failure?.isLogin || job?.failure?.cause === '401';
		return !isOfToken && !this.good && this.verdicts.open() === 1;
	}

	/** The failure is its own: it waits alone and is tried again, or it was the last time. */
	private count(job: J): void {
		this.doubts.delete(job);
		const { failure, cause, at } = job.failure as Failed;
		const { retryAfter = 0 } = failure;
		const { maxRetries } = job.request;
		const isRefused =
			(cause === '401' && !this.isFlaky) || (cause === '403' && maxRetries > 0 && retryAfter === 0);
		const own = isRefused ? 2 : failure.mayPass ? maxRetries + 1 : 1;
		const most = this.isLimit(cause) ? MAX_WAITS : own;
		if (++job.tries >= most || retryAfter > this.longestWait) {
			this.verdicts.onSite(job);
			return;
		}
		const backoff = Math.random() * FIRST_BACKOFF_MS * 2 ** (job.tries - 1);
		const wait = Math.max(at + retryAfter - this.clock.now(), backoff);
		void this.clock.pause(wait).then(() => {
			if (this.verdicts.isOpen(job)) this.line.add(job, true);
		});
	}

	/**
	 * A trial: holds the line, and sends one request at a time whose answer can tell, until one is accepted. What it
	 * excuses was not the sites' own.
	 */
	private async try(): Promise<void> {
		this.isTrying = true;
		this.line.hold();
		const start = this.clock.now();
		this.troubleSince ??= start;
		const { isAccepted } = this.session;
		const trial: Trial<J> = {
			start,
			isAccepted,
			rounds: 0,
			excused: new Set(),
			rejected: new Set(),
		};
		const { excused } = trial;
		let isOver = false;
		while (!isOver && this.doubts.size > 0) {
			await this.clock.pause(this.pauseIn(start));
			if (!this.clock.isStopped) isOver = await this.sendRound(trial);
			if (this.clock.isStopped) return;
			const last = [...this.doubts].at(-1)?.failure;
			const isSilent = this.clock.now() - this.silentSince >= this.patience;
			if (isSilent && last && !trial.isRenewed) {
				this.verdicts.onRun(last, last.isLogin);
				return;
			}
		}
		this.isTrying = false;
		this.excused = excused;
		this.excusedUntil = start;
		for (const job of this.doubts) {
			if (this.isOwn(job, trial)) this.count(job);
			else this.putBack(job);
		}
		const [cause] = excused;
		this.tolerance = cause === undefined ? 2 * this.tolerance : Math.max(1, this.tolerance / 2);
		if (cause !== undefined) {
			this.pauses.set(cause, (this.pauses.get(cause) ?? 0) + this.clock.now() - start);
		}
		this.line.release();
	}

	/**
	 * One round of a trial: first a suspect, which is a site that failed; if that fails again, a control, which is a site
	 * that was read, or another one if there is none.
	 *
	 * @returns whether one was accepted
	 */
	private async sendRound(trial: Trial<J>): Promise<boolean> {
		const { excused, rejected } = trial;
		const isFirst = trial.rounds++ === 0;
		const suspect = this.suspect(excused);
		const before = suspect.failure as Failed;
		// What takes as long as a request may take would end the trial; the control tells more, sooner
		const isSlow = before.at - suspect.sentAt >= suspect.request.timeout;
		const isRefusal = before.isLogin || before.isAnswered;
		// Once it was rejected again, only another site can tell
		const isRejected =
			before.cause === '401' && (this.session.isOld || !(isFirst || this.session.isNew));
		const isSent = (isRefusal || !(this.good || isSlow)) && !isRejected;
		if (isSent && (await this.probe(suspect))) {
			this.excuse(before.cause, trial, suspect);
			return true;
		}
		const { isLogin, isAnswered, cause } = suspect.failure ?? before;
		if (isLogin) {
			excused.add(cause);
			return false;
		}
		if (this.isLimit(before.cause) && cause !== before.cause && isAnswered) {
			// What it failed with now is beyond the limit
			this.excuse(before.cause, trial, suspect);
			if (cause !== '401') return true;
		}
		// It is known what to wait for
		if (this.isLimit(cause) && trial.rounds % 2 === 1) return false;
		const control = this.control(suspect);
		if (this.isAlone || (control && (await this.probe(control)))) {
			if (isSent) trial.convicted = suspect;
			this.rateLimit.doubt(cause);
			return true;
		}
		const last = (control ?? suspect).failure;
		if (!last) return false;
		if (control && !this.doubts.has(control)) excused.add(last.cause);
		if (cause === '401') rejected.add(suspect.request);
		if (control && last.cause === '401') rejected.add(this.good ? control : control.request);
		// A token that some servers do not know is rejected now and then
		const isWitness = control && this.good && last.cause === '401';
		const most = this.isFlaky ? MAX_FAILURES_IN_ROW : isWitness || !control ? 1 : 2;
		if (rejected.size >= most && !this.session.isNew) {
			excused.add('401');
			trial.isRenewed = this.session.renew(control ? undefined : 1);
			if (trial.isRenewed) return true;
			this.verdicts.onRun(last, true);
			return false;
		}
		// Another site may still tell
		const isSame = cause === last.cause && (this.good !== undefined || this.line.isIdle);
		if (isSame && this.isFinal(last)) this.verdicts.onRun(last, true);
		return false;
	}

	/** A suspect was accepted: what it failed with was not its own. */
	private excuse(cause: string, { excused, start, isAccepted }: Trial<J>, { sentAt }: J): void {
		excused.add(cause);
		if (cause === '401' && isAccepted) this.flakyToken = this.session.token;
		if (!LIMIT_STATUSES.includes(cause)) return;
		if (!this.rateLimit.statuses.has(cause)) this.verdicts.forgive(cause);
		this.rateLimit.resume(cause, sentAt, start);
	}

	private async probe(job: J): Promise<boolean> {
		this.probed = job;
		return await this.line.probe(job);
	}

	/** By what a trial has shown. */
	private isOwn(job: J, { excused, convicted }: Trial<J>): boolean {
		const { cause } = job.failure as Failed;
		if (job === convicted) return true;
		// A limit lets one through and refuses another: it takes a trial of its own
		return !excused.has(cause) && job.sentAt < this.acceptedAt && !this.isLimit(cause);
	}

	/** One of those that nothing has excused yet; those that say something about the token or the load come first. */
	private suspect(excused: Set<string>): J {
		const rank = ({ failure, tries }: J) => {
			const isExcused = excused.has(failure?.cause ?? '');
			return (isExcused ? 200 : 0) + (failure && this.isTelling(failure) ? 0 : 100) + tries;
		};
		return [...this.doubts].reduce((best, job) => (rank(job) < rank(best) ? job : best));
	}

	/** The site that was read last; otherwise one that was not tried, or another that failed. */
	private control(suspect: J): J | undefined {
		if (this.good) return this.verdicts.copy(this.good);
		const others = [...this.doubts].filter((job) => job !== suspect);
		return this.line.take() ?? others[Math.floor(Math.random() * others.length)];
	}

	/** Milliseconds until the next round: as long as the service asks, or longer each time. */
	private pauseIn(start: number): number {
		const now = this.clock.now();
		const failures = Array.from(this.doubts, ({ failure }) => failure as Failed);
		// A token is not busy
		const isOfToken = failures.every(({ cause }) => cause === '401');
		if (isOfToken && !this.session.isNew && !this.isFlaky) return 0;
		const waits = failures.map(({ failure: { retryAfter = 0 }, at }) =>
			retryAfter > this.longestWait ? 0 : at + retryAfter - now,
		);
		// Accounts get locked, and services that are ill need a rest
		const isLogin = failures.some((failed) => failed.isLogin);
		const growing = isLogin
			? Math.max(LOGIN_PAUSE_MS, 3 * (now - start))
			: SHORTEST_PAUSE_MS + SHARE_OF_TRIAL * (now - start);
		// The last one is sent when the patience ends
		const left = Math.max(SHORTEST_PAUSE_MS, this.silentSince + this.patience - now);
		return Math.max(Math.min(growing, left), ...waits);
	}

	/** Since when nothing was accepted: a trial begins when the first request has failed. */
	private get silentSince(): number {
		return (this.troubleSince ??= this.clock.now());
	}

	private get patience(): number {
		const isNamed = [...this.doubts].some(
			({ failure }) =>
				failure?.failure.retryAfter !== undefined || this.isLimit(failure?.cause ?? ''),
		);
		return isNamed || this.rateLimit.rate < Infinity ? PATIENCE_WITH_LIMIT_MS : PATIENCE_MS;
	}

	/** It is nothing that the site did. */
	private putBack(job: J): void {
		this.doubts.delete(job);
		this.line.putBack(job);
	}
}
