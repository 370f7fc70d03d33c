import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { CREDENTIAL, senderOf } from '../service/http/request';
import type { Context, Send } from '../service/http/request';
import { parseBaseUrl } from '../service/login/baseUrl';
import { belongsToOtherLogin, markExpired } from '../service/login/tokens';
import { notRequested, ofRun, ServiceFailure, waitTooLong } from '../service/messages/failures';
import type { FailureScope } from '../service/messages/failures';
import { runHints } from '../service/messages/hints';
import { mayRejectToken, readSiteResponse } from '../service/messages/response';
import type { SiteResponse } from '../service/messages/response';
import type { SitePart } from '../site/site';
import { Cancellation, StoppedError } from './cancellation';
import type { Timers } from './cancellation';
import { Judge } from './judge';
import type { Failed, Job } from './judge';
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

/** A site to read (docs/service.md#get-a-site). */
export interface SiteRequest {
	/** Digits only, see siteIds.ts. */
	siteId: string;
	parts: readonly SitePart[];
	/** A date, YYYY-MM-DD (docs/service.md#versioning). */
	apiVersion: string;
	/** Milliseconds. */
	timeout: number;
	/** Of failures that are the site's own, 0 or more. */
	maxRetries: number;
}

/** A site that is to be read, and what comes of it. */
interface SiteJob extends Job {
	readonly request: SiteRequest;
	readonly result: Promise<SiteResponse | Error>;
	readonly resolve: (result: SiteResponse | Error) => void;
}

/**
 * The sites of one run of a node: reads the credential once, and requests each site once no matter how many items need
 * it. docs/requests.md shows the way of a request.
 */
export class SiteService {
	private readonly jobs = new Map<string, SiteJob>();

	/** Those that are still to be read. */
	private readonly open = new Set<SiteJob>();

	private readonly cancellation: Cancellation;
	private readonly line: Line<SiteJob>;
	private readonly judge: Judge<SiteJob>;
	private readonly rateLimit: RateLimit;
	private readonly session: Session;

	private readonly counts = { read: 0, requests: 0 };

	/** Why no more sites are read, once the run has ended. */
	private reasonOf?: (job: SiteJob) => Error;

	/** The address of the service, without a trailing slash. */
	readonly url: string;

	/**
	 * @param canceled aborts when the execution is stopped
	 * @throws ServiceFailure if the credential's base URL is not an address
	 */
	constructor(
		{ credentials, send }: { credentials: ICredentialDataDecryptedObject; send: Send },
		private readonly limits: RunLimits,
		timers?: Timers,
		private readonly canceled?: AbortSignal,
	) {
		this.url = parseBaseUrl(credentials.baseUrl);
		if (belongsToOtherLogin(this.url, credentials)) markExpired(credentials);
		const clock = new Cancellation(timers);
		this.cancellation = clock;
		this.rateLimit = RateLimit.of(JSON.stringify([this.url, credentials.username]), clock.now);
		this.session = new Session(send, credentials, clock, () => {
			this.rateLimit.heardAt = clock.now();
			void this.line.wake();
		});
		const { session, rateLimit } = this;
		const deliver = async (job: SiteJob) => await this.deliver(job);
		const onEnd = () => this.judge.check();
		this.line = new Line(limits.maxConcurrency, clock, session, rateLimit, deliver, onEnd);
		this.judge = new Judge(this.line, session, rateLimit, clock, {
			onSite: (job) => this.settle(job, this.ownFailure(job)),
			onRun: (last) => this.giveUp(last),
			open: this.open,
		});
	}

	/**
	 * @throws ServiceFailure if the credential's base URL is not an address; n8n's own error if the node has no
	 * credential
	 */
	static async open(context: Context, limits: RunLimits): Promise<SiteService> {
		const credentials = await context.getCredentials(CREDENTIAL);
		const url = parseBaseUrl(credentials.baseUrl);
		// A poll has no such signal
		const canceled =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		const access = { credentials, send: senderOf(context, url) };
		return new SiteService(access, limits, undefined, canceled);
	}

	/**
	 * Reads a site. The same site, parts and version again give the same response without a request; while that is under
	 * way, the longest timeout and the most retries hold.
	 *
	 * @throws ServiceFailure if there is no site in the end, StoppedError if the run was stopped
	 */
	async read(request: SiteRequest): Promise<SiteResponse> {
		const key = `${request.siteId} ${request.parts.join()} ${request.apiVersion}`;
		let job = this.jobs.get(key);
		if (job) {
			const { timeout, maxRetries } = job.request;
			job.request.timeout = Math.max(timeout, request.timeout);
			job.request.maxRetries = Math.max(maxRetries, request.maxRetries);
		} else {
			let resolve!: SiteJob['resolve'];
			const result: SiteJob['result'] = new Promise((settle) => (resolve = settle));
			job = { request: { ...request }, place: this.jobs.size, tries: 0, waits: 0, result, resolve };
			this.jobs.set(key, job);
			this.begin(job);
		}
		const result = await job.result;
		if (result instanceof Error) throw result;
		return result;
	}

	/** Starts no more requests and ends those under way. */
	readonly stop = (): void => this.end(() => new StoppedError());

	/** What a person should know about how the run went; empty if there is nothing to report. */
	hints(): string[] {
		const retries = this.counts.requests - this.jobs.size;
		return runHints(this.judge.pauses, this.rateLimit.rate, retries);
	}

	private begin(job: SiteJob): void {
		if (this.canceled?.aborted) this.stop();
		if (this.reasonOf) {
			job.resolve(this.reasonOf(job));
			return;
		}
		if (this.open.size === 0) {
			this.canceled?.addEventListener('abort', this.stop);
			this.rateLimit.enter();
		}
		this.open.add(job);
		this.line.add(job);
	}

	/** What came of a site: the response, or why there is none. */
	private settle(job: SiteJob, result: SiteResponse | Error): void {
		if (!this.open.delete(job)) return;
		if (!(result instanceof Error)) this.counts.read++;
		job.resolve(result);
		// Nothing is kept of a run that has ended
		if (this.open.size > 0) return;
		this.line.clear();
		this.cancellation.abort();
		this.canceled?.removeEventListener('abort', this.stop);
		this.rateLimit.leave();
	}

	/** Ends the run: each site that is left gets its reason. */
	private end(reasonOf: (job: SiteJob) => Error): void {
		this.reasonOf ??= reasonOf;
		this.cancellation.stop();
		this.line.clear();
		for (const job of this.open) this.settle(job, reasonOf(job));
	}

	/** No site can be read: those that were requested keep their own failure, unless the login or a token was it. */
	private giveUp({ failure, cause, until }: Failed): void {
		const same = ofRun(failure);
		// Those that are under way have been requested
		const others = until === Infinity ? same : notRequested(failure, this.counts.read);
		this.end((job) => {
			if (cause === 'login') return same;
			// A token that ends says nothing about a site that hangs
			if (cause === '401') return job.own ? this.ownFailure(job) : same;
			if (!job.failure) return others;
			// Nobody knows whether that was the token's
			if (job.failure.cause === '401') return same;
			return ofRun(job.failure.failure);
		});
	}

	/** Sends a request once, and tells the judge what came of it. @returns whether the service accepted it */
	private async deliver(job: SiteJob): Promise<boolean> {
		const { siteId, parts, apiVersion, timeout } = job.request;
		const include = parts.length > 0 ? `?$include=${parts.join(',')}` : '';
		const url = `${this.url}/meta/sites/${siteId}${include}`;
		const options = { url, headers: { 'Api-Version': apiVersion }, json: true, timeout };
		this.counts.requests++;
		const sentAt = this.cancellation.now();
		try {
			const { response, token, isLogin } = await this.session.request(options);
			if (this.cancellation.isStopped) return false;
			const secrets = [...this.session.secrets];
			const isReceived = !(response instanceof ServiceFailure);
			const inWords = (scope: FailureScope) =>
				isReceived ? readSiteResponse(siteId, response, { scope, secrets }) : response;
			const result = inWords('run');
			const isFailure = result instanceof ServiceFailure;
			const isRejection = isReceived && isFailure && mayRejectToken(response);
			const isOfToken = isRejection && this.session.mayHaveEnded(token);
			// It is about this site without a doubt; a good status without a site may be a maintenance page
			const isFinal = isReceived && response.statusCode >= 400 && !isRejection;
			const isOwn = isFinal && isFailure && !result.mayPass && result.subject === 'site';
			if (!isFailure || isOwn) {
				this.judge.accept(job, { sentAt, token }, !isFailure);
				this.settle(job, isOwn ? inWords('request') : result);
				return true;
			}
			const status = isOfToken ? 401 : isReceived ? response.statusCode : result.message;
			// A refusal that names a wait is about the load (RFC 9110, section 10.2.3)
			const isOfRate = status === 403 && result.retryAfter !== undefined;
			const cause = isLogin ? 'login' : isOfRate ? '429' : String(status);
			const { retryAfter = 0 } = result;
			const { longestWait } = this.limits;
			const isTooLong = retryAfter > longestWait;
			const until = isTooLong ? Infinity : this.cancellation.now() + retryAfter;
			const inTime = (each: ServiceFailure) => (isTooLong ? waitTooLong(each, longestWait) : each);
			const failure = inTime(result);
			const siteFailure = () => inTime(inWords('request') as ServiceFailure);
			this.judge.fail(job, { failure, siteFailure, cause, isRejection, sentAt, token, until });
		} catch (error) {
			// n8n's own, or the run was stopped
			this.settle(job, error as Error);
		}
		return false;
	}

	/** Why a site cannot be read. If nothing else got through, it may be a proxy's. */
	private ownFailure(job: SiteJob): ServiceFailure {
		const { failure, siteFailure } = (job.own ?? job.failure) as Failed;
		return this.judge.control ? siteFailure() : failure;
	}
}
