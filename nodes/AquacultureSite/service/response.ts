import { asText } from '../site/site';
import type { Site } from '../site/site';
import { formatDuration, ServiceFailure } from './failures';
import type { FailureScope, FailureSubject, Retry } from './failures';
import { quoteOf } from './quote';

/** A response of the service. Header names are in lower case. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** A response that holds a site. */
export interface SiteResponse extends ServiceResponse {
	body: Site;
}

const CHECK_BASE_URL =
	"Open the credential and check 'Base URL': it must be the address of the data service, not of its website.";
const TRY_LATER = 'Try again later; if this persists, contact the service operator.';

/**
 * Retry-After in milliseconds: a number of seconds or an HTTP-date (RFC 9110, section 10.2.3);
 * undefined where it is absent or neither.
 */
export function parseRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	const text = typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	// Every HTTP-date has the name of a day and a time; Date.parse alone would read "Later 5" as a date
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
	// The asctime form names no zone and is in GMT all the same
	const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function isWebPage(body: unknown): boolean {
	return typeof body === 'string' && /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(body);
}

/** The status codes at which a retry makes sense, and how. */
function retryFor(statusCode: number): Retry {
	if (statusCode === 429) return 'rateLimited';
	if (statusCode === 503) return 'overloaded';
	return statusCode === 502 || statusCode === 504 ? 'retry' : 'no';
}

/** What a response means, before it is worded for n8n. */
interface Finding {
	subject: FailureSubject;
	message: string;
	advice: string;
	optionAdvice?: string;
}

/** The one place where a response becomes a failure: with its status, its Retry-After and the service's words. */
function toFailure(
	{ statusCode, headers, body }: ServiceResponse,
	{ subject, message, advice, optionAdvice }: Finding,
	secrets: unknown[],
	scope: FailureScope,
): ServiceFailure {
	const quote = quoteOf(body, secrets);
	return new ServiceFailure(
		message,
		quote === '' ? advice : `${advice} The service says: "${quote}"`,
		{
			subject,
			scope,
			optionAdvice: scope === 'run' ? undefined : optionAdvice,
			httpStatus: statusCode,
			retry: retryFor(statusCode),
			retryAfter: parseRetryAfter(headers['retry-after']),
		},
	);
}

function redirectTarget(location: unknown): string {
	try {
		// The origin alone: the path and query of a redirect may hold anything
		return ` It redirects to ${new URL(String(location)).origin}`;
	} catch {
		return '';
	}
}

/** What both endpoints' responses have in common; undefined where the status says nothing of that kind. */
function commonFinding({ statusCode, headers }: ServiceResponse): Finding | undefined {
	const retryAfter = parseRetryAfter(headers['retry-after']);
	const wait =
		retryAfter === undefined ? '' : `It asked for a wait of ${formatDuration(retryAfter)}. `;
	// 304 is no redirect (RFC 9110, section 15.4.5): like any response without a body, it is no data
	if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
		return {
			subject: 'credential',
			message: 'The service redirects to another address',
			advice: `The redirect was not followed. If the service has moved, open the credential and enter its new address in 'Base URL'.${redirectTarget(headers.location)}`,
		};
	}
	if (statusCode === 429) {
		return {
			subject: 'service',
			message: 'The service is receiving too many requests',
			advice: `${wait}Run the workflow less often, or request fewer sites at a time.`,
			optionAdvice: "Lowering 'Max Concurrency' under 'Options' can help too.",
		};
	}
	if (statusCode >= 500) {
		return {
			subject: 'service',
			message: `The service is unavailable (status ${statusCode})`,
			advice: `The cause is the service, not your workflow. ${wait}${TRY_LATER}`,
		};
	}
	return undefined;
}

function tokenFinding(response: ServiceResponse): Finding {
	const { statusCode, body } = response;
	const subject = 'credential';
	if ([400, 401, 403].includes(statusCode)) {
		return {
			subject,
			message: 'The service rejected the username or password',
			advice:
				"Open the credential, re-enter 'Username' and 'Password', and save. The same login is not retried for one minute, so that the account is not locked.",
		};
	}
	if (statusCode === 404 || statusCode === 405) {
		return {
			subject,
			message: 'No login endpoint was found at this address',
			advice: "Open the credential and check 'Base URL': it is the part before '/auth/token'.",
		};
	}
	const common = commonFinding(response);
	if (common) return common;
	if (statusCode >= 400) {
		return {
			subject,
			message: `The service refused the login (status ${statusCode})`,
			advice:
				"Open the credential and check 'Base URL', 'Username' and 'Password'. If they are right, contact the service operator.",
		};
	}
	return {
		subject,
		message: isWebPage(body)
			? 'The login returned a web page'
			: 'The login response contains no access token',
		advice: `${CHECK_BASE_URL} If it is right, contact the service operator.`,
	};
}

/**
 * Why a response of the token endpoint gives no token (docs/service.md#obtain-an-access-token). Its status
 * codes are not specified; 400, 401 and 403 count as a rejected login.
 */
export function tokenFailure(response: ServiceResponse, secrets: unknown[]): ServiceFailure {
	return toFailure(response, tokenFinding(response), secrets, 'run');
}

function siteFinding(
	siteId: string,
	response: ServiceResponse,
	isClosed: boolean,
): Finding | undefined {
	const { statusCode, body } = response;
	const subject = 'site';
	if (statusCode === 401 && !isClosed) {
		return {
			subject: 'credential',
			message: 'The service rejected a newly issued access token',
			advice:
				'The login succeeded, but the renewed access token was rejected as well. Ask the service operator whether this user may read site data, and whether access tokens expire within seconds.',
		};
	}
	if (statusCode === 401 || statusCode === 403) {
		return {
			subject,
			message: `This user has no access to site ${siteId}`,
			advice: 'Ask the service operator for access, or remove the site ID.',
		};
	}
	if (statusCode === 404) {
		return {
			subject,
			message: `Site ${siteId} was not found`,
			advice: 'Check the site ID. The site does not exist, or this user may not see it.',
		};
	}
	const common = commonFinding(response);
	if (common) return common;
	if (statusCode >= 400) {
		return {
			subject,
			message: `The service rejected the request for site ${siteId} (status ${statusCode})`,
			advice: "Check the site ID, and 'API Version' under 'Options'.",
		};
	}
	if (isSite(siteId, body)) return undefined;
	if (body === undefined || body === null || body === '') {
		return { subject, message: `The response for site ${siteId} is empty`, advice: TRY_LATER };
	}
	if (isWebPage(body)) {
		return {
			subject,
			message: `The service returned a web page instead of site ${siteId}`,
			advice: `${CHECK_BASE_URL} A proxy or your network's login page may be responding instead.`,
		};
	}
	return {
		subject,
		message: `The response for site ${siteId} is not valid`,
		advice: `It does not contain this site. ${TRY_LATER}`,
	};
}

/** Whatever else comes with a good status (a maintenance notice, another site) must not pass for this site. */
function isSite(siteId: string, body: unknown): body is Site {
	if (body === null || typeof body !== 'object' || !('siteId' in body)) return false;
	const { siteId: received } = body;
	// A number this large has lost its last digits when the JSON was read
	const isInexact = typeof received === 'number' && received > Number.MAX_SAFE_INTEGER;
	return isInexact ? received === Number(siteId) : asText(received) === siteId;
}

/**
 * What the site endpoint responded: the site, or why there is none (docs/service.md#get-a-site).
 *
 * @param secrets texts that must not be repeated
 * @param isClosed whether a 401 is about this site alone, because its token is good for others
 */
export function readSiteResponse(
	siteId: string,
	response: ServiceResponse,
	{ secrets, isClosed }: { secrets: unknown[]; isClosed: boolean },
): SiteResponse | ServiceFailure {
	const finding = siteFinding(siteId, response, isClosed);
	if (!finding) return response as SiteResponse;
	const isToken = response.statusCode === 401 && !isClosed;
	return toFailure(response, finding, secrets, isToken ? 'token' : 'request');
}

/**
 * The access token in a response of the token endpoint (docs/service.md#token-response), if there is one.
 * `expires_in` has no stated unit and is not read.
 */
export function tokenIn({ statusCode, body }: ServiceResponse): string | undefined {
	if (statusCode < 200 || statusCode > 299 || typeof body !== 'object' || body === null) {
		return undefined;
	}
	const { access_token: token, token_type: type = 'Bearer' } = body as Record<string, unknown>;
	// Visible ASCII only: anything else has no place in a header
	if (typeof token !== 'string' || !/^[\x21-\x7E]+$/.test(token)) return undefined;
	return typeof type === 'string' && type.toLowerCase() === 'bearer' ? token : undefined;
}
