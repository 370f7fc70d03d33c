import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { CREDENTIAL, senderOf } from '../service/http/request';
import type { Context, Send } from '../service/http/request';
import { parseBaseUrl } from '../service/login/baseUrl';
import { belongsToOtherLogin, markExpired } from '../service/login/tokens';
import { notRequested, ofRun, ServiceFailure, waitTooLong } from '../service/messages/failures';
import type { FailureScope } from '../service/messages/failures';
import { runHints } from '../service/messages/hints';
import { readSiteResponse } from '../service/messages/response';
import type { SiteResponse } from '../service/messages/response';
import { Cancellation, StoppedError } from './cancellation';
import type { Timers } from './cancellation';
import type { Failed, Job } from './job';
import { Judge } from './judge';
import { Line } from './line';
import { RateLimit } from './rateLimit';
import { Session } from './session';

/** Bounds for the requests of one run. */
export interface RunLimits {
	/** Requests in flight at once, 1 to 500. */
	maxConcurrency: number;
	/** Milliseconds that the run lets itself be paused at once. */
	longestWait: number;
}

/** The sites of one run of a node: each is requested once, no matter how many items need it (docs/requests.md). */
export class SiteService {
	private readonly jobs = new Map<string, Job>();
	/** Those that are still to be read. */
	private readonly open = new Set<Job>();
	private readonly clock: Cancellation;
	private readonly line: Line;
	private readonly judge: Judge;
	private readonly rateLimit: RateLimit;
	private readonly session: Session;
	private sitesRead = 0;
	private requests = 0;
	/** Why no more sites are read, once the run has ended. */
	private reasonOf?: (job: Job) => Error;

	/**
	 * To be stopped in the end: until then, overlapping runs of the same user share its rate limit.
	 *
	 * @param url the address of the service, without a trailing slash
	 * @param canceled aborts when the execution is stopped
	 */
	constructor(
		readonly url: string,
		{ credentials, send }: { credentials: ICredentialDataDecryptedObject; send: Send },
		private readonly limits: RunLimits,
		timers?: Timers,
		private readonly canceled?: AbortSignal,
	) {
		if (belongsToOtherLogin(url, credentials)) markExpired(credentials);
		const clock = (this.clock = new Cancellation(timers));
		const user = JSON.stringify([url, credentials.username]);
		const rateLimit = (this.rateLimit = RateLimit.enter(user, clock.now));
		const session = (this.session = new Session(send, credentials, clock, () => {
			rateLimit.heardAt = clock.now();
			void this.line.wake();
		}));
		const onEnd = () => this.judge.check();
		this.line = new Line(limits.maxConcurrency, clock, session, rateLimit, this.deliver, onEnd);
		const onSite = (job: Job) => this.settle(job, this.ownFailure(job));
		this.judge = new Judge(this.line, session, rateLimit, clock, this.open, onSite, this.giveUp);
		canceled?.addEventListener('abort', this.stop);
		if (canceled?.aborted) this.stop();
	}

	/** @throws ServiceFailure if the credential's base URL is not an address; n8n's own error if there is no credential */
	static async open(context: Context, limits: RunLimits): Promise<SiteService> {
		const credentials = await context.getCredentials(CREDENTIAL);
		const url = parseBaseUrl(credentials.baseUrl);
		const send = senderOf(context, url);
		// A poll has no such signal
		const canceled =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		return new SiteService(url, { credentials, send }, limits, undefined, canceled);
	}

	/**
	 * Reads a site. The same site, parts and version again give the same response without a request; while that is under
	 * way, the longest timeout and the most retries hold.
	 *
	 * @throws ServiceFailure if there is no site in the end, StoppedError if the run was stopped
	 */
	async read(request: Job['request']): Promise<SiteResponse> {
		const key = `${request.siteId} ${request.parts.join()} ${request.apiVersion}`;
		let job = this.jobs.get(key);
		if (job) {
			job.request.timeout = Math.max(job.request.timeout, request.timeout);
			job.request.maxRetries = Math.max(job.request.maxRetries, request.maxRetries);
		} else {
			let resolve!: Job['resolve'];
			const result: Job['result'] = new Promise((settle) => (resolve = settle));
			job = { request: { ...request }, place: this.jobs.size, tries: 0, waits: 0, result, resolve };
			this.jobs.set(key, job);
			this.open.add(job);
			if (this.reasonOf) this.settle(job, this.reasonOf(job));
			else this.line.add(job);
		}
		const result = await job.result;
		if (result instanceof Error) throw result;
		return result;
	}

	/** Starts no more requests and ends those under way. */
	readonly stop = (): void => this.end(() => new StoppedError());

	/** What a person should know about how the run went; empty if there is nothing to report. */
	hints(): string[] {
		return runHints(this.judge.pauses, this.rateLimit.rate, this.requests - this.jobs.size);
	}

	/** What came of a site: the response, or why there is none. */
	private settle(job: Job, result: SiteResponse | Error): void {
		if (!this.open.delete(job)) return;
		if (!(result instanceof Error)) this.sitesRead++;
		job.resolve(result);
	}

	/** Ends the run: each site that is left gets its reason. */
	private end(reasonOf: (job: Job) => Error): void {
		if (this.reasonOf) return;
		this.reasonOf = reasonOf;
		this.clock.stop();
		this.canceled?.removeEventListener('abort', this.stop);
		this.rateLimit.leave();
		for (const job of this.open) this.settle(job, reasonOf(job));
	}

	/** No site can be read: those that were requested keep their own failure, unless the login or a token was it. */
	private readonly giveUp = ({ failure, cause, until }: Failed): void => {
		const same = ofRun(failure);
		// Those that are under way have been requested
		const others = until === Infinity ? same : notRequested(failure, this.sitesRead);
		this.end((job) => {
			if (cause === 'login') return same;
			// A token that ends says nothing about a site that hangs
			if (cause === '401') return job.own ? this.ownFailure(job) : same;
			if (!job.failure) return others;
			// Nobody knows whether that was the token's
			if (job.failure.cause === '401') return same;
			return ofRun(job.failure.failure);
		});
	};

	/** Sends a request once, and tells the judge what came of it. @returns whether the service accepted it */
	private readonly deliver = async (job: Job): Promise<boolean> => {
		this.requests++;
		try {
			const { response, secrets, isLogin, ...sent } = await this.session.request(job.request);
			const inWords = (scope: FailureScope) =>
				readSiteResponse(job.request.siteId, response, { scope, secrets });
			const result = inWords('run');
			const isRead = !(result instanceof ServiceFailure);
			if (isRead || result.isOfSite) {
				this.judge.accept(job, sent, isRead);
				this.settle(job, isRead ? result : inWords('request'));
				return true;
			}
			const { retryAfter = 0, isRejection } = result;
			const { longestWait } = this.limits;
			const isTooLong = retryAfter > longestWait;
			const inTime = (each: ServiceFailure) => (isTooLong ? waitTooLong(each, longestWait) : each);
			this.judge.fail(job, {
				failure: inTime(result),
				siteFailure: () => inTime(inWords('request') as ServiceFailure),
				cause: isLogin ? 'login' : isRejection && !this.session.isProven ? '401' : result.kind,
				...sent,
				until: isTooLong ? Infinity : this.clock.now() + retryAfter,
			});
		} catch (error) {
			// n8n's own, or the run was stopped
			this.settle(job, error as Error);
		}
		return false;
	};

	/** Why a site cannot be read. If nothing else got through, it may be a proxy's. */
	private ownFailure(job: Job): ServiceFailure {
		const { failure, siteFailure } = (job.own ?? job.failure) as Failed;
		return this.judge.control ? siteFailure() : failure;
	}
}
