import { NodeApiError, sleep } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHttpRequestOptions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';

import { parseBaseUrl } from './baseUrl';
import type { BaseUrl } from './baseUrl';
import {
	connectionFailure,
	duration,
	loginFailures,
	ServiceFailure,
	siteFailure,
} from './failures';
import type { Answer } from './failures';
import { Pace, StoppedError } from './pace';
import type { Site, SitePart } from '../site/site';

const CREDENTIAL = 'aquacultureApi';

// Full jitter: a random share of 1, 2, 4, … seconds
const FIRST_BACKOFF = 1000;
const LONGEST_BACKOFF = 30_000;

// A login that the request needs first may take as long again, and a body that never ends has to end
const LOGIN_ALLOWANCE = 30_000;

// A rate limit that lets others through, but never this one, is no rate limit
const REFUSALS_AT_MOST = 20;

// One site may well be closed with a 401; three in a row say that no token is accepted
const REFUSED_TOKENS_AT_MOST = 3;

/** What the node's options say about the requests of one run. */
export interface RunLimits {
	/** Requests under way at once, 1 to 100. */
	maxConcurrency: number;
	/** Milliseconds the run lets itself be held back at once by Retry-After. */
	longestWait: number;
}

/** A site to read: service.md, «Get a site». */
export interface SiteRequest {
	/** Digits only, see siteIds.ts. */
	siteId: string;
	parts: readonly SitePart[];
	/** A date, YYYY-MM-DD (service.md, «Versioning»). */
	apiVersion: string;
	/** Milliseconds. */
	timeout: number;
	maxRetries: number;
}

export interface SiteAnswer extends Answer {
	body: Site;
}

type Context = IExecuteFunctions | IPollFunctions;

/**
 * The way to the service for one run of a node: reads the credential once, asks for each site once however
 * many items want it, keeps to a pace that the service bears, retries what is worth retrying, and tells
 * what went wrong as {@link ServiceFailure}.
 */
export class SiteService {
	private readonly answers = new Map<string, Promise<SiteAnswer>>();

	private readonly stopping = new AbortController();

	/** Requests and waits under way. */
	private readonly endedByStop = new Set<AbortController>();

	private readonly pace: Pace;

	/** A login that was refused: it is not asked for again in this run. */
	private loginFailure?: ServiceFailure;

	/** A wait too long to sit out: until then the service is left alone, and this is why. */
	private closedUntil = 0;

	private closedBy?: ServiceFailure;

	private answered = 0;

	private refusedTokens = 0;

	/** Whether the service is down for longer than retries last: then each site is asked for once only. */
	private down = false;

	private retries = 0;

	private constructor(
		private readonly context: Context,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly baseUrl: BaseUrl,
		private readonly limits: RunLimits,
	) {
		this.stopping.signal.addEventListener('abort', () => {
			for (const underWay of this.endedByStop) underWay.abort();
		});
		this.pace = new Pace(limits.maxConcurrency, this.stopping.signal);
		const cancelled =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		cancelled?.addEventListener('abort', () => this.stop());
		if (cancelled?.aborted) this.stop();
	}

	/**
	 * @throws ServiceFailure where the credential's base URL is no address; n8n's own error where the node
	 * has no credential
	 */
	static async open(context: Context, limits: RunLimits): Promise<SiteService> {
		const credentials = await context.getCredentials(CREDENTIAL);
		return new SiteService(context, credentials, parseBaseUrl(credentials.baseUrl), limits);
	}

	/** The address of the service, without a slash at its end. */
	get url(): string {
		return this.baseUrl.url;
	}

	/**
	 * Reads a site. Asked for the same site, parts and version again, gives the same answer without a request.
	 *
	 * @throws ServiceFailure where there is no site in the end, StoppedError where the run was stopped
	 */
	async read(request: SiteRequest): Promise<SiteAnswer> {
		const key = `${request.siteId} ${request.parts.join()} ${request.apiVersion}`;
		let answer = this.answers.get(key);
		if (!answer) {
			answer = this.readPersistently(request);
			this.answers.set(key, answer);
		}
		return await answer;
	}

	/** Starts no more requests and ends those under way. */
	stop(): void {
		this.stopping.abort();
	}

	/** What a person should know about how the run went; empty where there is nothing to tell. */
	remarks(): string[] {
		const { count, milliseconds } = this.pace.pauses;
		const remarks = [];
		if (count > 0) {
			remarks.push(
				`The service was busy: the run paused ${times(count)}, for ${duration(milliseconds)} in all. A lower 'Max Concurrency' under 'Options' may avoid this.`,
			);
		}
		if (this.retries > 0) remarks.push(`Requests were repeated ${times(this.retries)}.`);
		return remarks;
	}

	private async readPersistently(request: SiteRequest): Promise<SiteAnswer> {
		let answeredBefore = 0;
		let tries = 0;
		for (let attempt = 0; ; attempt++) {
			const place = await this.pace.take(attempt > 0);
			// Not those that were answered while this one had to wait for its turn
			if (attempt === 0) answeredBefore = this.answered;
			const answer = this.known() ?? (await this.ask(request));
			if (!(answer instanceof ServiceFailure)) {
				this.answered++;
				this.refusedTokens = 0;
				this.down = false;
				this.pace.give(place, 'well');
				return answer;
			}
			tries++;
			const othersGotThrough = this.answered > answeredBefore;
			if (answer.httpStatus === 429 && othersGotThrough && attempt < REFUSALS_AT_MOST) {
				// The service limits the rate, and this one has only to wait for its turn
				tries = 1;
				answeredBefore = this.answered;
			}
			const lastTry = this.down || tries > request.maxRetries;
			const overloaded = answer.retry === 'slower';
			// The first site that finds the service down does not close it to a second one
			const failure = overloaded ? this.slowDown(answer, tries - 1) : answer;
			this.down ||= lastTry && answer.retry !== 'no' && !othersGotThrough;
			this.pace.give(place, overloaded ? 'overloaded' : 'otherwise');
			if (this.stopping.signal.aborted) throw new StoppedError();
			if (lastTry || failure.retry === 'no') throw failure;
			this.retries++;
			// Overload holds back the whole run, by its pace; a broken connection this request alone
			if (!overloaded) await this.waitAlone(backoff(tries - 1));
		}
	}

	/** Lets the others go on; ends at once when the run is stopped. */
	private async waitAlone(milliseconds: number): Promise<void> {
		// A signal of its own: Node warns of a leak where more than ten listen to the same one
		const wait = new AbortController();
		this.endedByStop.add(wait);
		const stopped = new Promise<void>((resolve) => {
			wait.signal.addEventListener('abort', () => resolve());
		});
		// In n8n 1.x this takes no signal: it goes on there, and nobody waits for it
		const slept = sleep(milliseconds, wait.signal).catch(() => undefined);
		await Promise.race([slept, stopped]);
		this.endedByStop.delete(wait);
	}

	/** What is known to go wrong without asking: too many wrong logins lock an account. */
	private known(): ServiceFailure | undefined {
		return this.loginFailure ?? (Date.now() < this.closedUntil ? this.closedBy : undefined);
	}

	/**
	 * Holds back the whole run; or, where that would take too long or has not helped, leaves the service
	 * alone for that time.
	 */
	private slowDown(failure: ServiceFailure, attempt: number): ServiceFailure {
		const wait = failure.retryAfter ?? backoff(attempt);
		const isTooLong = wait > this.limits.longestWait;
		if (!isTooLong && !this.down) {
			this.pace.pause(wait);
			return failure;
		}
		const final = isTooLong
			? new ServiceFailure(
					`The service asks to wait ${duration(wait)}`,
					`A run waits ${duration(this.limits.longestWait)} at most. Run the workflow again after that time, or less often.`,
					{ about: 'service', httpStatus: failure.httpStatus },
				)
			: failure;
		this.closedUntil = Date.now() + wait;
		this.closedBy = final;
		return final;
	}

	private async ask(request: SiteRequest): Promise<SiteAnswer | ServiceFailure> {
		let answer: Answer;
		try {
			answer = await this.send(request);
		} catch (error) {
			if (error instanceof ServiceFailure) {
				if (error.retry === 'no') this.loginFailure = error;
				return error;
			}
			const refusal = thrownAnswer(error);
			if (!refusal) return connectionFailure(error, this.baseUrl.url);
			answer = refusal;
		}
		const failure = siteFailure(request.siteId, answer, this.secrets());
		if (failure?.httpStatus === 401 && ++this.refusedTokens >= REFUSED_TOKENS_AT_MOST) {
			this.loginFailure = failure;
		}
		return failure ?? (answer as SiteAnswer);
	}

	private async send({ siteId, parts, apiVersion, timeout }: SiteRequest): Promise<Answer> {
		const include = parts.length > 0 ? `?$include=${parts.join(',')}` : '';
		const options: IHttpRequestOptions = {
			method: 'GET',
			url: `${this.baseUrl.url}/meta/sites/${siteId}${include}`,
			headers: { 'Api-Version': apiVersion },
			json: true,
			timeout,
			returnFullResponse: true,
			// Every answer is told in our own words; only a 401 has to reach n8n, which renews the token then
			ignoreHttpStatusErrors: { ignore: true, except: [401] },
			disableFollowRedirect: true,
			skipSslCertificateValidation: this.credentials.allowUnauthorizedCerts === true,
		};
		const request = new AbortController();
		this.endedByStop.add(request);
		AbortSignal.timeout(timeout + LOGIN_ALLOWANCE).addEventListener('abort', () => request.abort());
		// A copy for each request: n8n reads from it which token was refused, and puts the new one into it
		const used = { ...this.credentials };
		const token = used.accessToken;
		const ask = async (how: IHttpRequestOptions) =>
			(await this.context.helpers.httpRequestWithAuthentication.call(
				withSignal(this.context, request.signal),
				CREDENTIAL,
				how,
				{ credentialsDecrypted: { data: used } as ICredentialsDecrypted },
			)) as Answer;
		try {
			const answer = await ask(options);
			// n8n 1.x knows no exception from «ignore»: there, a 401 comes as any other answer
			return answer.statusCode === 401
				? await ask({ ...options, ignoreHttpStatusErrors: false })
				: answer;
		} catch (error) {
			throw loginFailures.get(used) ?? error;
		} finally {
			this.endedByStop.delete(request);
			// Not where another request has renewed it meanwhile: a slow one must not bring an older token back
			if (this.credentials.accessToken === token) Object.assign(this.credentials, used);
		}
	}

	private secrets(): unknown[] {
		return [this.credentials.password, this.credentials.accessToken];
	}
}

/** n8n ends a request by the signal of the execution; ours ends it also when the run stops on its own. */
function withSignal<T extends Context>(context: T, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/** The answer that n8n has thrown: a 401, in n8n 1.x any after it. n8n keeps no more of it than status and body. */
function thrownAnswer(error: unknown): Answer | undefined {
	const { httpCode, context } = error as {
		httpCode?: string | null;
		context?: { data?: unknown };
	};
	const statusCode = Number(httpCode);
	return statusCode >= 400 ? { statusCode, headers: {}, body: context?.data } : undefined;
}

function backoff(attempt: number): number {
	return Math.random() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** attempt);
}

function times(count: number): string {
	return count === 1 ? 'once' : `${count} times`;
}

/**
 * A failure as n8n shows it: with the item it belongs to, and with the name of the credential to open.
 * Made from scratch, because n8n's own error holds the request with its token.
 */
export function toNodeApiError(
	node: INode,
	{ message, description, about, httpStatus }: ServiceFailure,
	itemIndex?: number,
): NodeApiError {
	const name = node.credentials?.[CREDENTIAL]?.name;
	const named = about === 'credential' && name !== undefined;
	const text = named ? `${message}: credential "${name}"` : message;
	const error = new NodeApiError(
		node,
		{},
		{
			message: text,
			description: named
				? description.replace('Open the credential', `Open the credential "${name}"`)
				: description,
			...(httpStatus !== undefined && { httpCode: String(httpStatus) }),
			itemIndex,
		},
	);
	// n8n replaces a message that happens to hold a word such as ENOTFOUND, and a credential may have any name
	error.message = text;
	return error;
}
