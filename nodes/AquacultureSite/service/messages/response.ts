// Reads responses by the rules: data, or a failure.
import { asText } from '../../utils/text';
import type { Site } from '../../site/site';
import { given } from './advice';
import type { Circumstances } from './advice';
import { ServiceFailure } from './failures';
import type { FailureScope } from './failures';
import {
	findRule,
	isWebPage,
	PROXY_RULES,
	REJECTED_TOKEN_RULES,
	SITE_RULES,
	TEST_RULES,
	TOKEN_RULES,
} from './rules';
import type { Rules } from './rules';
import { serverMessage } from './serverMessage';

/** A response of the service. Header names are in lower case. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
	/** Node's request, if n8n hands it on. */
	request?: { protocol?: string; path?: string; socket?: { encrypted?: boolean } | null };
}

export interface SiteResponse extends ServiceResponse {
	body: Site;
}

/** What was requested, and with what: a token by a login, otherwise a site. */
interface Requested {
	login?: Circumstances['login'];
	siteId?: string;
	scope?: FailureScope;
	/** Texts that must not be repeated. */
	secrets: unknown[];
}

// Only a proxy sends these statuses (RFC 9110, section 15.5.8; RFC 6585, section 6) and these headers
const PROXY_STATUSES = [407, 511];
const PROXY_HEADERS = ['proxy-agent', 'proxy-authenticate', 'proxy-connection', 'x-squid-error'];

/** What proxies often say of an http address; anything else is more likely the service's. */
const PROXY_REFUSALS = [403, 502, 503, 504];

/**
 * Whether a forward proxy gave a response itself. Its connection shows it, too. For https that is one without
 * encryption: the proxy refused to CONNECT (RFC 9110, section 9.3.6). For http the proxy was sent the whole URL
 * (RFC 9112, section 3.2.2), and names itself in what it only forwards (RFC 9110, section 7.6.3).
 *
 * @param isLikelyEnough false if other sites were read, so that only what a proxy alone sends counts
 */
export function isFromProxy(
	{ statusCode, headers, body, request = {} }: ServiceResponse,
	isLikelyEnough = true,
): boolean {
	if (statusCode < 300) return false;
	if (PROXY_STATUSES.includes(statusCode)) return true;
	if (statusCode >= 400 && PROXY_HEADERS.some((name) => headers[name] !== undefined)) return true;
	const { protocol, path = '', socket } = request;
	if (protocol === 'https:') return socket ? socket.encrypted !== true : false;
	if (!isLikelyEnough || !PROXY_REFUSALS.includes(statusCode)) return false;
	const isForwarded = headers.via !== undefined || (typeof body === 'object' && body !== null);
	return /^https?:/i.test(path) && !isForwarded;
}

/** Whether the same request may succeed later. */
function mayPass(status: number, isLogin: boolean, isOfProxy: boolean, retryAfter = 0): boolean {
	// A login must not be repeated, unless it did not get to the service
	if (isLogin && isOfProxy) return [502, 503, 504].includes(status);
	// It did not arrive in time, came too early (RFC 8470) or too often, or the service or a gateway could not respond
	if ([408, 425, 429].includes(status)) return true;
	if (status >= 500 && ![501, 505, 511].includes(status)) return true;
	// With another token (401), if a limit or a proxy sent it and not the service (403), or if it names a wait
	return !isLogin && ([401, 403].includes(status) || retryAfter > 0);
}

/**
 * Retry-After in milliseconds: a number of seconds or an HTTP-date (RFC 9110, section 10.2.3), by the clock of the server
 * if the response tells it (Date, section 6.6.1); undefined if it is absent or neither.
 *
 * @param headers of the response, with names in lower case
 */
export function parseRetryAfter(headers: Record<string, unknown>): number | undefined {
	const { 'retry-after': value } = headers;
	const text = typeof value === 'string' ? value.trim() : '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = parseDate(text);
	if (date === undefined) return undefined;
	return Math.max(0, date - (parseDate(String(headers.date)) ?? Date.now()));
}

/** An HTTP-date (RFC 9110, section 5.6.7) in milliseconds. */
function parseDate(text: string): number | undefined {
	// Every HTTP-date has the name of a day and a time; Date.parse alone would read "Later 5" as a date
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
	// The asctime form names no zone and is in GMT all the same
	const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
	return Number.isNaN(date) ? undefined : date;
}

/** The one place where a response becomes a failure: with its status, its Retry-After and the words in it. */
function toFailure(
	response: ServiceResponse,
	rules: Rules,
	{ login, siteId = '', scope, secrets }: Requested,
): ServiceFailure {
	const { statusCode, headers, body } = response;
	const status = String(statusCode);
	const isOfProxy = isFromProxy(response, scope !== 'request');
	const rule = findRule(isOfProxy ? PROXY_RULES : rules, [status], body);
	const retryAfter = parseRetryAfter(headers);
	const known = { statusCode, login, retryAfter, location: headers.location };
	const said = serverMessage(body, secrets);
	const quote = said && `The ${isOfProxy ? 'proxy' : 'service'} says: "${said}"`;
	const message = rule.message.replace('{site}', siteId).replace('{status}', status);
	return new ServiceFailure(message, [...given(known, rule.advice), quote], {
		subject: isOfProxy ? 'service' : (rule.subject ?? (login ? 'credential' : 'site')),
		scope,
		// A refusal that names a wait is about the load (RFC 9110, section 10.2.3)
		kind: statusCode === 403 && retryAfter !== undefined ? '429' : status,
		// That of the service: a login that did not get there was not rejected
		httpStatus: isOfProxy ? undefined : statusCode,
		mayPass: mayPass(statusCode, login !== undefined, isOfProxy, retryAfter),
		retryAfter,
		isRejection: !login && mayRejectToken(response, retryAfter),
	});
}

/**
 * The access token in a response of the token endpoint (docs/service.md#token-response), or why there is none. Its
 * status codes are not specified; 400, 401 and 403 count as a rejected login, but neither a proxy's nor a web page.
 * `expires_in` has no stated unit and is not read.
 */
export function readTokenResponse(
	response: ServiceResponse,
	login: NonNullable<Circumstances['login']>,
): string | ServiceFailure {
	const { statusCode, body } = response;
	const isGood = statusCode >= 200 && statusCode < 300;
	const fields = (isGood ? Object(body) : {}) as Record<string, unknown>;
	const { access_token: token, token_type: type = 'Bearer' } = fields;
	const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
	// Visible ASCII only: anything else has no place in a header
	if (isBearer && typeof token === 'string' && /^[\x21-\x7E]+$/.test(token)) return token;
	return toFailure(response, TOKEN_RULES, { login, scope: 'run', secrets: [login.password] });
}

/** Whatever else comes with a good status (a maintenance notice, another site) must not pass for this site. */
function isSite(siteId: string, response: ServiceResponse): response is SiteResponse {
	const { statusCode, body } = response;
	if (statusCode >= 300 && statusCode !== 304) return false;
	if (body === null || typeof body !== 'object' || !('siteId' in body)) return false;
	return asText(body.siteId) === siteId;
}

/**
 * What the site endpoint responded: the site, or why there is none (docs/service.md#get-a-site).
 *
 * @param scope whose it is: of this site only if others could be read; then it is neither the token's nor a proxy's
 * @param secrets texts that must not be repeated
 */
export function readSiteResponse(
	siteId: string,
	response: ServiceResponse | ServiceFailure,
	{ scope, secrets }: { scope: FailureScope; secrets: unknown[] },
): SiteResponse | ServiceFailure {
	if (response instanceof ServiceFailure || isSite(siteId, response)) return response;
	const isToken = response.statusCode === 401 && scope === 'run';
	const rules = isToken ? REJECTED_TOKEN_RULES : SITE_RULES;
	return toFailure(response, rules, { siteId, scope, secrets });
}

/**
 * Whether a response may mean that the token has ended. Which status says so is not specified (docs/service.md#errors): it
 * should be 401 (RFC 6750, section 3.1), but may be any that does not say that there is no such site, or that the load or a
 * proxy was the reason.
 */
function mayRejectToken({ statusCode, body }: ServiceResponse, retryAfter?: number): boolean {
	const isOther = /^([35]|404|407|408|410|425|429)/.test(String(statusCode)) || isWebPage(body);
	return statusCode === 401 || (!isOther && retryAfter === undefined);
}

/**
 * What a service that works may well respond to a request for a site that does not exist: all of them mean
 * that it has accepted the token (RFC 9110, section 15.5.4 for 403).
 */
const UNKNOWN_SITE = [400, 403, 404, 410, 422];

/** Why a run could not read data, by the response for a site that nobody has asked for; undefined if it could. */
export function readTestResponse(siteId: string, response: ServiceResponse, secrets: unknown[]) {
	const { statusCode, headers, body } = response;
	if (isSite(siteId, response)) return undefined;
	const failure = toFailure(response, TEST_RULES, { secrets });
	// The reason that names the token (RFC 6750, section 3.1)
	const isToken = String(headers['www-authenticate']).includes('insufficient_scope');
	const isUnknown = UNKNOWN_SITE.includes(statusCode) && !isToken && !isWebPage(body);
	return isUnknown && failure.subject !== 'service' ? undefined : failure;
}
