import { FAILED_LOGIN_PAUSE_MS } from '../service/messages/failures';
import { CONNECTION_RULES } from '../service/messages/rules';
import type { Cancellation } from './cancellation';
import type { Failed, Job } from './job';
import type { Line } from './line';
import { isRefusal } from './rateLimit';
import type { RateLimit } from './rateLimit';
import type { Session } from './session';

// A service that is restarted is back within half a minute; whoever waits for a run gives up by then
const PATIENCE_MS = 30_000;
// Of a service that has named a wait, or a rate limit: it is there
const PATIENCE_WITH_LIMIT_MS = 90_000;

// A trial knocks three times a second at most, and ends a quarter, or ten seconds, too late at most
const SHORTEST_PAUSE_MS = 300;
const SHARE_OF_TRIAL = 1 / 4;
const LONGEST_PAUSE_MS = 10_000;

// A rate limit refuses a site a few times while others get their share, and one of two servers may not know the token: so
// many in a row, once in 256 times, are not by chance
const MAX_BY_CHANCE = 8;

// As in ky and the AWS SDKs: a site that stumbles is back within seconds
const FIRST_BACKOFF_MS = 1000;

/** Whether nobody answers, or nobody can ask. */
const isSilent = (cause: string): boolean =>
	cause === 'login' || cause === CONNECTION_RULES.late.message;

/**
 * Whose a failure is. A failure alone does not tell: it stays in doubt until a control is accepted that was sent later, a
 * site that was read before. What the control failed with, too, was not the site's own.
 */
export class Judge {
	/** Sites that failed, and nobody knows why. */
	private readonly doubts = new Set<Job>();
	/** How many of them make a trial: more if they were the sites' own, or a part of the service does not know the token. */
	private tolerance = 1;
	/** The site that was read last, or found missing, once more. */
	control?: Job;
	private isTrying = false;
	/** Of the present trial, or the one before: when it began, and how often the token was rejected. */
	private startedAt = -Infinity;
	private rejections = 0;
	/** What was not the sites' own, if they were sent until then; all else is. */
	private readonly excused = new Set<string>();
	private witnessAt = -Infinity;
	/** When the latest request was sent that was accepted. */
	private acceptedAt = -Infinity;
	/** For how many milliseconds the run was held, by cause. */
	readonly pauses = new Map<string, number>();

	/**
	 * @param open the sites that are still to be read
	 * @param onSite the verdict that a failure is the site's own, for good
	 * @param onRun the verdict that no site can be read anymore
	 */
	constructor(
		private readonly line: Line,
		private readonly session: Session,
		private readonly rateLimit: RateLimit,
		private readonly clock: Cancellation,
		private readonly open: ReadonlySet<Job>,
		private readonly onSite: (job: Job) => void,
		private readonly onRun: (last: Failed) => void,
	) {}

	/** The service has responded, with the site or with a refusal that is about this site alone. */
	accept(job: Job, { sentAt, token }: Pick<Failed, 'sentAt' | 'token'>, isRead: boolean): void {
		const { failure } = job;
		// That a site is missing may be said without a look at the token. The control can be read, so what it was rejected with
		// is not its own
		const isWitness = isRead || this.session.isProven;
		if (isWitness) this.session.accept(token, sentAt, failure ?? this.control?.failure);
		if (this.open.has(job)) this.session.futileLogins = 0;
		this.rateLimit.accept(sentAt);
		if (isRead) this.line.adapt(sentAt, job.request.timeout);
		if (failure) {
			const { cause } = failure;
			if (this.isTrying) this.excused.add(cause);
			const isControl = job === this.control;
			const isOfToken = ['401', 'login'].includes(cause) || this.session.isOfOldToken(failure);
			const isForRate = !isOfToken && this.rateLimit.prove(failure, isControl);
			if (isControl && !isForRate && !isOfToken) this.line.halve();
		}
		this.acceptedAt = Math.max(this.acceptedAt, sentAt);
		// In a trial, the control itself may be what fails, if one that was sent after it is read. That one takes its place,
		// with what it failed with
		const isLater = !this.isTrying || sentAt >= (this.control?.failure?.sentAt ?? Infinity);
		const isBetter = (isRead && isLater) || (!this.control && isWitness);
		if (isBetter) this.control = { ...job, failure: this.control?.failure };
	}

	/** Nobody knows yet whose this failure is. */
	fail(job: Job, failed: Failed): void {
		const isLogin = failed.cause === 'login';
		job.failure = failed;
		if (this.isTrying && (job === this.control || isLogin)) this.excused.add(failed.cause);
		if (this.open.has(job)) this.doubts.add(job);
		// A login must not be repeated
		if (isLogin && !failed.failure.mayPass) this.onRun(failed);
	}

	/** Decides what can be decided. @returns whether a trial finds out about the rest */
	check(): boolean {
		if (this.isTrying) return true;
		for (const job of this.doubts) {
			const isOwn = this.isOwn(job.failure as Failed);
			if (isOwn !== undefined) this.decide(job, isOwn);
		}
		if (this.doubts.size === 0) return false;
		// A timeout has passed in which nothing was accepted: each failure would take as long again
		const isNobodyThere = isSilent(this.last.cause) && this.last.sentAt > this.acceptedAt;
		const isDue = this.line.isIdle || isNobodyThere || this.doubts.size >= this.tolerance;
		if (isDue) void this.try();
		return isDue;
	}

	/** Whether a failure is the site's own; undefined if nobody knows. */
	private isOwn(failed: Failed): boolean | undefined {
		const { cause, sentAt } = failed;
		const isTold = sentAt <= this.witnessAt;
		if (this.session.isOfOldToken(failed) || (isTold && this.excused.has(cause))) return false;
		if (cause === '401' && !this.session.isProven) return undefined;
		// That of the only site is its own; of the token, a login tells
		const isAlone = this.isOnly && cause !== 'login' && cause !== '401';
		return isTold || isAlone || undefined;
	}

	/** Whether there is no other site whose answer could tell. */
	private get isOnly(): boolean {
		return !this.control && this.open.size === 1;
	}

	/** How often a site may fail with this by itself. */
	private triesOf({ failure, cause }: Failed, maxRetries: number): number {
		if (cause === '401') return this.maxRejections;
		// A firewall or a gateway under maintenance says the same of all sites, for a while
		const isFinal = cause === '403' || !failure.mayPass;
		return 1 + (isFinal ? Math.min(1, maxRetries) : maxRetries);
	}

	/** Rejections in a row that are not by chance. */
	private get maxRejections(): number {
		return this.session.isFlaky ? MAX_BY_CHANCE : 2;
	}

	/** It is tried again, or it was the last time. @param isOwn whether the failure is its own */
	private decide(job: Job, isOwn: boolean): void {
		this.doubts.delete(job);
		const failed = job.failure as Failed;
		const isForRate = failed.cause === '429' || this.rateLimit.statuses.has(failed.cause);
		const isTry = isOwn && !isForRate;
		if (isTry) job.own = failed;
		// Before others are sent: too many would be. Another status may be the site's own, so that site must be accepted first
		if (failed.cause === '429' && failed.until < Infinity) this.rateLimit.prove(failed, false);
		const count = isTry ? ++job.tries : ++job.waits;
		const most = isTry ? this.triesOf(failed, job.request.maxRetries) : MAX_BY_CHANCE;
		if (count >= most || (isOwn && failed.until === Infinity)) this.onSite(job);
		else if (this.session.isOfOldToken(failed)) this.line.add(job);
		// Sent again at once, it might only fail again
		else void this.backOff(job, count);
	}

	/** It waits alone: until all servers should know the token, or longer each time, with full jitter. */
	private async backOff(job: Job, failures: number): Promise<void> {
		const failed = job.failure as Failed;
		const longest = Math.min(LONGEST_PAUSE_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
		// A site alone meets no others
		const jitter = this.isOnly ? 1 : Math.random();
		const wait = failed.cause === '401' ? this.session.unknownFor : jitter * longest;
		await this.clock.pause(this.waitOf(failed) + wait);
		if (this.open.has(job)) this.line.add(job);
	}

	/** A trial: holds the line, and sends controls until one is accepted. */
	private async try(): Promise<void> {
		this.isTrying = true;
		this.line.hold(true);
		this.startedAt = this.clock.now();
		this.rejections = 0;
		this.excused.clear();
		const { control } = this;
		if (control) control.failure = undefined;
		for (let isOver = false, round = 1; !isOver && this.doubts.size > 0; round++) {
			// The first one goes at once, so that the load is the same for both
			if (round > 1) await this.clock.pause(this.pauseBefore());
			if (!this.clock.isStopped) isOver = await this.sendRound(round);
			if (this.clock.isStopped) return;
		}
		this.isTrying = false;
		// A control that was found only now was not sent with them: a pause may be all that they needed
		for (const job of !control && this.control ? this.doubts : [])
			if (!isSilent((job.failure as Failed).cause)) this.decide(job, false);
		const [cause] = this.excused;
		const isByChance = cause === '401' && this.session.isFlaky;
		this.tolerance = cause === undefined || isByChance ? 2 * this.tolerance : 1;
		const paused = this.clock.now() - this.startedAt;
		if (cause !== undefined) this.pauses.set(cause, (this.pauses.get(cause) ?? 0) + paused);
		if (!this.check()) this.line.hold(false);
	}

	/** @returns whether a control was accepted, or the token is to be renewed; if not, and it is the last one, the run ends */
	private async sendRound(round: number, isLast = false): Promise<boolean> {
		// Of the only site, a login tells
		if (this.isOnly && this.last.cause === '401' && this.session.unknownFor === 0)
			return this.renew(this.last);
		const { control } = this;
		// A limit may let one through at once, or every second one: both must be accepted. Otherwise, one is enough
		const isBoth = control && round === 1 && isRefusal(this.last.cause);
		const probes = this.witnesses(round);
		const answers = probes.map(async (job) => await this.line.probe(job));
		const accepted = isBoth ? Promise.all(answers) : Promise.any(answers);
		const isAccepted = await accepted.then(() => true).catch(() => false);
		if (isAccepted) {
			this.witnessAt = this.acceptedAt;
			return true;
		}
		// If a site was read meanwhile, it can tell
		if (control !== this.control || this.clock.isStopped || this.doubts.size === 0) return false;
		const failures = [...new Set(probes)].flatMap(({ failure }) => failure ?? []);
		return await this.conclude(failures, round, isLast);
	}

	/** Nothing was accepted. @returns whether the token is to be renewed, or it was the only site's own */
	private async conclude(failures: Failed[], round: number, isLast: boolean): Promise<boolean> {
		const rejected = failures.filter(
			({ failure, cause }) => failure.isRejection && !this.rateLimit.statuses.has(cause),
		);
		this.rejections += rejected.length;
		const last = rejected[0] ?? failures.at(-1) ?? this.last;
		if (this.rejections >= this.maxRejections && this.session.unknownFor === 0) {
			if (last.cause === '401') return this.renew(last);
			// Of another status, a login tells: if it was the token's, the control is accepted at once. A 403 may be a limit's:
			// three pauses tell; of the others, a second login tells if somebody else's had ended the new token
			const mayBeLimit = last.cause === '403';
			const isTold = !mayBeLimit || round > 3;
			if (isTold && this.session.renew(mayBeLimit ? 1 : 2)) return await this.sendRound(round);
		}
		if (this.isOnly && this.isOwn(last)) return true;
		const isPutOff = failures.length > 0 && failures.every(({ until }) => until === Infinity);
		const isInVain = round > 1 && (isPutOff || this.clock.now() >= this.givesUpAt);
		if (!isInVain && (!isLast || last.cause === 'login')) return false;
		// A login tells, if it may be the token's after all
		const mayBeToken = failures.some(({ failure, until }) => !failure.mayPass && until < Infinity);
		if (mayBeToken && this.session.renew(1)) return await this.sendRound(round, true);
		this.onRun(last);
		return false;
	}

	/** The token is renewed; if that would not help, the run ends. In both cases, the trial is over. */
	private renew(last: Failed): true {
		if (!this.session.renew(this.isOnly ? 1 : undefined)) this.onRun(last);
		return true;
	}

	private get last(): Failed {
		return [...this.doubts].at(-1)?.failure as Failed;
	}

	/**
	 * The control; before the patience ends, three other sites as well. If none was read yet, one that failed in its place,
	 * and another one. Three others if nobody answers: some servers may be silent, and there is time for few rounds.
	 */
	private witnesses(round: number): Job[] {
		const { control } = this;
		const { cause } = this.last;
		const isTwice = isSilent(cause) || isRefusal(cause);
		if (control && round === 1 && isTwice) return [control, control];
		const [suspect, ...others] = this.doubts;
		const isBroad = isSilent(cause) || (control && this.clock.now() >= this.givesUpAt);
		const count = cause === 'login' ? 0 : isBroad ? 3 : control ? 0 : 1;
		const more = Array.from({ length: count }, () => this.line.take(others));
		const jobs = [control ?? suspect, ...more].flatMap((job) => job ?? []);
		for (const job of jobs) this.doubts.delete(job);
		return jobs;
	}

	/** Milliseconds until the next round: as long as the service asks, or longer each time. */
	private pauseBefore(): number {
		const failures = this.failures();
		// A token is not busy
		const isOfToken = failures.every(({ cause }) => cause === '401');
		if (isOfToken && this.session.unknownFor === 0) return 0;
		const elapsed = this.clock.now() - this.silentSince;
		// Accounts get locked, and services that are ill need a rest
		const forLogin = Math.max(FAILED_LOGIN_PAUSE_MS, elapsed);
		const forOthers = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + SHARE_OF_TRIAL * elapsed);
		const growing = this.last.cause === 'login' ? forLogin : forOthers;
		// The last one is sent when the patience ends
		const left = Math.max(SHORTEST_PAUSE_MS, this.givesUpAt - this.clock.now());
		return Math.max(Math.min(growing, left), ...failures.map((each) => this.waitOf(each)));
	}

	/** Milliseconds that the service asks to wait, unless that is too long. */
	private waitOf({ until }: Failed): number {
		return until === Infinity ? 0 : Math.max(0, until - this.clock.now());
	}

	/** The time of the clock at which a trial that was in vain ends the run. */
	private get givesUpAt(): number {
		const isNamed = this.failures().some(
			({ failure }) => failure.retryAfter !== undefined || failure.httpStatus === 429,
		);
		const isLimited = isNamed || this.rateLimit.rate < Infinity;
		return this.silentSince + (isLimited ? PATIENCE_WITH_LIMIT_MS : PATIENCE_MS);
	}

	/** The time of the clock since when the present trial has been in vain. */
	private get silentSince(): number {
		return Math.max(this.startedAt, this.rateLimit.heardAt);
	}

	private failures(): Failed[] {
		return [...this.doubts, this.control].flatMap((job) => job?.failure ?? []);
	}
}
