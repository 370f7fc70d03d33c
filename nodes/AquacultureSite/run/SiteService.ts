import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { parseBaseUrl } from '../service/login/baseUrl';
import {
	FAILED_LOGIN_PAUSE_MS,
	notRequested,
	ServiceFailure,
	waitTooLong,
} from '../service/messages/failures';
import { CREDENTIAL, senderOf } from '../service/http/request';
import type { Context, Send } from '../service/http/request';
import { readSiteResponse } from '../service/messages/response';
import type { SiteResponse } from '../service/messages/response';
import { belongsToOtherLogin, markExpired } from '../service/login/tokens';
import type { SitePart } from '../site/site';
import { Cancellation } from './cancellation';
import type { Timers } from './cancellation';
import { CircuitBreaker } from './circuitBreaker';
import { ConcurrencyLimit } from './concurrencyLimit';
import { runHints } from './hints';
import { RateLimit } from './rateLimit';
import { retry } from './retry';
import type { Result } from './retry';
import { Session } from './session';

/** Bounds for the requests of one run. */
export interface RunLimits {
	/** Requests in flight at once, 1 to 500. */
	maxConcurrency: number;
	/** Milliseconds that the run lets itself be paused at once. */
	longestWait: number;
}

/** What a run reads its sites with. */
export interface Access {
	/** Decrypted. */
	credentials: ICredentialDataDecryptedObject;
	send: Send;
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
	maxRetries: number;
}

/** One request that was sent. */
interface Sent {
	/** In milliseconds of the clock. */
	at: number;
	isRetry: boolean;
	maxRetries: number;
}

/**
 * The sites of one run of a node: reads the credential once, and requests each site once no matter how many items need
 * it. docs/requests.md shows the way of a request.
 */
export class SiteService {
	private readonly responses = new Map<string, Promise<SiteResponse>>();

	private readonly requested = new Set<string>();

	private readonly cancellation: Cancellation;

	private readonly breaker: CircuitBreaker;

	private readonly rateLimit: RateLimit;

	private readonly concurrencyLimit: ConcurrencyLimit;

	private readonly session: Session;

	private readonly counts = { read: 0, retries: 0 };

	/** @throws ServiceFailure if the credential's base URL is not an address */
	constructor(
		{ credentials, send }: Access,
		private readonly limits: RunLimits,
		timers?: Timers,
	) {
		const baseUrl = parseBaseUrl(credentials.baseUrl);
		this.url = baseUrl.url;
		this.cancellation = new Cancellation(timers);
		const now = () => this.cancellation.now();
		this.breaker = new CircuitBreaker(now);
		this.rateLimit = new RateLimit(now);
		const gates = [this.breaker, this.rateLimit];
		this.concurrencyLimit = new ConcurrencyLimit(limits.maxConcurrency, this.cancellation, gates);
		if (belongsToOtherLogin(baseUrl, credentials)) markExpired(credentials);
		this.session = new Session(send, credentials, this.cancellation);
	}

	/** The address of the service, without a trailing slash. */
	readonly url: string;

	/**
	 * @throws ServiceFailure if the credential's base URL is not an address; n8n's own error if the node has no
	 * credential
	 */
	static async open(context: Context, limits: RunLimits): Promise<SiteService> {
		const credentials = await context.getCredentials(CREDENTIAL);
		const { url } = parseBaseUrl(credentials.baseUrl);
		const service = new SiteService({ credentials, send: senderOf(context, url) }, limits);
		// A poll has no such signal
		const canceled =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		canceled?.addEventListener('abort', () => service.stop());
		if (canceled?.aborted) service.stop();
		return service;
	}

	/**
	 * Reads a site. The same site, parts and version again give the same response without a request.
	 *
	 * @throws ServiceFailure if there is no site in the end, StoppedError if the run was stopped
	 */
	async read(request: SiteRequest): Promise<SiteResponse> {
		const key = `${request.siteId} ${request.parts.join()} ${request.apiVersion}`;
		let response = this.responses.get(key);
		if (!response) {
			response = this.request(request);
			this.responses.set(key, response);
		}
		return await response;
	}

	/** Whether a request for the site was sent; not if the service had been given up before. */
	hasRequested(siteId: string): boolean {
		return this.requested.has(siteId);
	}

	/** Starts no more requests and ends those under way. */
	stop(): void {
		this.concurrencyLimit.close(this.cancellation.stop());
	}

	/** What a person should know about how the run went; empty if there is nothing to report. */
	hints(): string[] {
		return runHints(this.breaker.paused, this.rateLimit.rate, this.counts.retries);
	}

	/**
	 * The whole way of a request: to its turn in the line, to the service with the token of the run, and back to the end of
	 * the line if it is to be sent again.
	 */
	private async request(request: SiteRequest): Promise<SiteResponse> {
		const { siteId, maxRetries } = request;
		let failure: ServiceFailure | undefined;
		const send = async (isRetry: boolean) => {
			const sent = { at: this.cancellation.now(), isRetry, maxRetries };
			this.requested.add(siteId);
			if (isRetry) this.counts.retries++;
			const result = this.assess(await this.exchange(request), sent);
			if ('value' in result) return result;
			({ failure } = result);
			if (this.breaker.isGivenUp) throw this.end(failure);
			return result;
		};
		const inTurn = async (isRetry: boolean) =>
			await this.concurrencyLimit.run(async () => await send(isRetry));
		try {
			return await retry(inTurn, maxRetries, async (wait) => await this.cancellation.pause(wait));
		} catch (error) {
			// What became of a request that was sent says more than that it was not sent again
			const isOfRun = !(error instanceof ServiceFailure) || error.scope === 'run';
			throw isOfRun ? error : (failure ?? error);
		}
	}

	/** Sends a request once, and reads its response. */
	private async exchange(request: SiteRequest): Promise<SiteResponse | ServiceFailure> {
		const { siteId, parts, apiVersion, timeout } = request;
		const include = parts.length > 0 ? `?$include=${parts.join(',')}` : '';
		const { response, unauthorized } = await this.session.request({
			url: `${this.url}/meta/sites/${siteId}${include}`,
			headers: { 'Api-Version': apiVersion },
			json: true,
			timeout,
		});
		if (response instanceof ServiceFailure) return response;
		const secrets = [...this.session.secrets];
		return readSiteResponse(siteId, response, { secrets, unauthorized });
	}

	/** What a result says about the service, beside its site. */
	private assess(result: SiteResponse | ServiceFailure, sent: Sent): Result<SiteResponse> {
		if (!(result instanceof ServiceFailure)) {
			this.counts.read++;
			this.concurrencyLimit.grow();
			this.accept(sent);
			return { value: result };
		}
		if (result.retry !== 'no') return this.assessPassing(result, sent);
		if (result.scope === 'run') this.breaker.giveUp();
		else this.accept(sent);
		return { failure: result, isLoad: false };
	}

	/** The service has responded: it is there. */
	private accept({ at, isRetry }: Sent): void {
		this.rateLimit.accept(at, { isRetry, isProbe: this.breaker.isProbe(at) });
		this.breaker.succeed(at);
	}

	/** A failure that may pass. */
	private assessPassing(failure: ServiceFailure, sent: Sent): Result<never> {
		const { breaker, rateLimit } = this;
		const { longestWait } = this.limits;
		const { retry: kind, scope, retryAfter = 0 } = failure;
		const isLogin = scope === 'run';
		const isRefusal = !isLogin && kind !== 'retry';
		const { at, isRetry } = sent;
		const isSure = kind === 'rateLimited';
		if (isRefusal) rateLimit.refuse({ isRetry, isStale: breaker.isStale(at), isSure });
		// A 429 is about load; a 503 may be about its site alone, unless most of the others are refused, too
		const isLoad = isLogin || isSure || (isRefusal && rateLimit.isLimiting);
		if (retryAfter > longestWait) {
			if (isLoad) breaker.giveUp();
			else breaker.fail(at, isRetry);
			return { failure: waitTooLong(failure, longestWait, isLoad), isLoad };
		}
		if (isLogin) this.pauseLogins(retryAfter, sent);
		else if (!isLoad) breaker.fail(at, isRetry);
		else breaker.pause(at, retryAfter, isSure ? longestWait : undefined);
		return { failure, isLoad };
	}

	/** A login failed: for every request that waited for it, it is one and the same. */
	private pauseLogins(retryAfter: number, { at, maxRetries }: Sent): void {
		const isLast = !this.breaker.isStale(at) && this.breaker.openings >= maxRetries;
		if (isLast) this.breaker.giveUp();
		else this.breaker.pause(at, Math.max(FAILED_LOGIN_PAUSE_MS, retryAfter));
	}

	/** The service was given up. Those that wait fail after the one that found it out: n8n shows the first that failed. */
	private end(failure: ServiceFailure): ServiceFailure {
		const reason = failure.scope === 'run' ? failure : notRequested(failure, this.counts.read);
		void this.cancellation.pause(0).then(() => this.concurrencyLimit.close(reason));
		return failure;
	}
}
