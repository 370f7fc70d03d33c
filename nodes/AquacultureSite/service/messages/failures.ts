// A failure with its message and its advice.
import { formatDuration, given, inOptions, toWords, tryLater } from './advice';
import type { Advice } from './advice';

/** What a failure is about: the credential to open, one site, or the service as a whole. */
export type FailureSubject = 'credential' | 'site' | 'service';

/** `request`: it is about one site. `run`: it is about all of them, or nothing tells whose it is. */
export type FailureScope = 'request' | 'run';

/**
 * Something that kept us from the data, worded for the person who must fix it: `message` says what
 * happened, `description` what to do now. Holds neither a secret nor the failed request.
 *
 * Its status is called `httpStatus` because n8n replaces the message of any error that carries `status`,
 * `statusCode` or `httpCode` with its own text.
 */
export class ServiceFailure extends Error {
	override readonly name = 'ServiceFailure';
	readonly advice: Advice;
	readonly subject: FailureSubject;
	/** Whether the same request may succeed later. */
	readonly mayPass: boolean;
	readonly scope: FailureScope;
	/** What it has in common with others: the status, or what became of the connection. */
	readonly kind: string;
	/** The status code of the service's response, if there was one. */
	readonly httpStatus?: number;
	/** Milliseconds that the service asked to wait (Retry-After), if it did. */
	readonly retryAfter?: number;
	/** Whether it may mean that the token has ended. */
	readonly isRejection: boolean;

	/** @param details by default, it is about one request and does not pass */
	constructor(
		message: string,
		advice: string | Advice,
		details: Pick<ServiceFailure, 'subject'> & Partial<ServiceFailure>,
	) {
		super(message);
		this.advice = typeof advice === 'string' ? [advice] : advice;
		this.subject = details.subject;
		this.mayPass = details.mayPass ?? false;
		this.scope = details.scope ?? 'request';
		this.kind = details.kind ?? message;
		this.httpStatus = details.httpStatus;
		this.retryAfter = details.retryAfter;
		this.isRejection = details.isRejection ?? false;
	}

	/** Whether it is about this site without a doubt: a good status without a site may come with a maintenance page. */
	get isOfSite(): boolean {
		const isRefused = this.httpStatus !== undefined && this.httpStatus >= 400;
		return this.subject === 'site' && isRefused && !this.mayPass && !this.isRejection;
	}

	/** What to do now, in words for any reader. */
	get description(): string {
		return toWords(this.advice);
	}
}

/** What was thrown, if it is a failure; anything else is thrown on. */
export function asFailure(error: unknown): ServiceFailure {
	if (error instanceof ServiceFailure) return error;
	throw error;
}

/** Milliseconds that a failed login is not repeated, unless the service asks for a longer wait. */
export const FAILED_LOGIN_PAUSE_MS = 2_000;

/** Status codes of the token endpoint that count as a rejected login: repeated, it may lock the account. */
export const REJECTED_LOGIN = [400, 401, 403];

/**
 * The service asks for a longer wait than a run can afford.
 *
 * @param longestWait milliseconds
 */
export function waitTooLong(
	{ retryAfter = 0, httpStatus, scope, isRejection }: ServiceFailure,
	longestWait: number,
): ServiceFailure {
	return new ServiceFailure(
		`The service asked to retry after ${formatDuration(retryAfter)}`,
		given({ retryAfter }, [
			tryLater(),
			`The node waits at most ${formatDuration(longestWait)}.`,
			inOptions('If this happens often, run the workflow less often.'),
		]),
		{ subject: 'service', scope, httpStatus, retryAfter, isRejection },
	);
}

/** The same failure of a site that was requested, when no site can be read. */
export function ofRun({ message, advice, subject, httpStatus }: ServiceFailure): ServiceFailure {
	return new ServiceFailure(message, advice, { subject, scope: 'run', httpStatus });
}

/**
 * The result for a site that was not requested, because no site can be read anymore.
 *
 * @param sitesRead how many sites the run had read by then
 */
export function notRequested(last: ServiceFailure, sitesRead: number): ServiceFailure {
	const { subject, httpStatus, message, advice } = last;
	const read = sitesRead === 1 ? '1 site was read' : `${sitesRead} sites were read`;
	const isRefusal = httpStatus !== undefined && httpStatus < 500;
	const state = isRefusal ? 'refusing requests' : httpStatus ? 'unavailable' : 'not responding';
	return new ServiceFailure(
		`Not requested because the service is ${state}`,
		[`${read} before that.`, message, ...advice],
		{ subject, scope: 'run', httpStatus },
	);
}
