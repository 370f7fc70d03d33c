import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { SitePart } from '../site/site';
import { parseBaseUrl } from './baseUrl';
import type { BaseUrl } from './baseUrl';
import { formatDuration, ServiceFailure } from './failures';
import { Pace } from './pace';
import { Rate } from './rate';
import { CREDENTIAL } from './request';
import type { Context } from './request';
import { readSiteResponse } from './response';
import type { SiteResponse } from './response';
import { Retries } from './retries';
import { Session } from './session';
import { Stopping } from './stopping';

/** Bounds for the requests of one run. */
export interface RunLimits {
	/** Requests in flight at once, 1 to 500. */
	maxConcurrency: number;
	/** Milliseconds the run lets itself be held back at once by Retry-After. */
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
	maxRetries: number;
}

/**
 * The sites of one run of a node: reads the credential once, requests each site once no matter how many
 * items need it, at a pace that the service can handle, with the retries that make sense.
 */
export class SiteService {
	private readonly responses = new Map<string, Promise<SiteResponse>>();

	private readonly requested = new Set<string>();

	private readonly stopping = new Stopping();

	private readonly pace: Pace;

	private readonly retries: Retries;

	private readonly session: Session;

	private constructor(
		context: Context,
		credentials: ICredentialDataDecryptedObject,
		private readonly baseUrl: BaseUrl,
		{ maxConcurrency, longestWait }: RunLimits,
	) {
		const { stopping } = this;
		this.session = new Session(context, credentials, baseUrl, stopping);
		// Services limit users, not addresses
		const rate = new Rate(JSON.stringify([baseUrl.url, credentials.username]));
		this.pace = new Pace(maxConcurrency, stopping, stopping.signal, rate);
		this.retries = new Retries(this.pace, longestWait, stopping, stopping.signal);
		// A poll has no such signal
		const canceled =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		canceled?.addEventListener('abort', () => this.stop());
		if (canceled?.aborted) this.stop();
	}

	/**
	 * @throws ServiceFailure where the credential's base URL is not an address; n8n's own error where the node
	 * has no credential
	 */
	static async open(context: Context, limits: RunLimits): Promise<SiteService> {
		const credentials = await context.getCredentials(CREDENTIAL);
		return new SiteService(context, credentials, parseBaseUrl(credentials.baseUrl), limits);
	}

	/** The address of the service, without a trailing slash. */
	get url(): string {
		return this.baseUrl.url;
	}

	/**
	 * Reads a site. The same site, parts and version again give the same response without a request.
	 *
	 * @throws ServiceFailure where there is no site in the end, StoppedError where the run was stopped
	 */
	async read(request: SiteRequest): Promise<SiteResponse> {
		const key = `${request.siteId} ${request.parts.join()} ${request.apiVersion}`;
		let response = this.responses.get(key);
		if (!response) {
			response = this.retries.run(async () => await this.request(request), request.maxRetries);
			this.responses.set(key, response);
		}
		return await response;
	}

	/** Whether a request for the site was sent; not where the service had been given up before its turn. */
	hasRequested(siteId: string): boolean {
		return this.requested.has(siteId);
	}

	/** Starts no more requests and ends those under way. */
	stop(): void {
		this.stopping.stop();
	}

	/** What a person should know about how the run went; empty where there is nothing to report. */
	hints(): string[] {
		const { count, milliseconds } = this.pace.pauses;
		const { slowedTo } = this.pace.rate;
		const hints = [];
		if (count > 0) {
			hints.push(
				`The service was busy: the run paused ${times(count)}, for ${formatDuration(milliseconds)} in total. Lowering 'Max Concurrency' under 'Options' may prevent this.`,
			);
		}
		if (slowedTo < Infinity) {
			hints.push(
				`To stay within what the service accepts, the run sent about ${formatRate(slowedTo)}.`,
			);
		}
		if (this.retries.count > 0) hints.push(`Requests were retried ${times(this.retries.count)}.`);
		return hints;
	}

	/** One request, without retries. */
	private async request({ siteId, parts, apiVersion, timeout }: SiteRequest) {
		this.requested.add(siteId);
		const include = parts.length > 0 ? `?$include=${parts.join(',')}` : '';
		const { response, isClosed } = await this.session.send({
			url: `${this.url}/meta/sites/${siteId}${include}`,
			headers: { 'Api-Version': apiVersion },
			json: true,
			timeout,
		});
		if (response instanceof ServiceFailure) return response;
		return readSiteResponse(siteId, response, {
			secrets: [...this.session.secrets],
			isClosed,
		});
	}
}

function formatRate(perSecond: number): string {
	const whole = Math.round(perSecond);
	return `${whole} request${whole === 1 ? '' : 's'} per second`;
}

function times(count: number): string {
	return count === 1 ? 'once' : `${count} times`;
}
