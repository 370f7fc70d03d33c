import { asText } from '../site/site';
import type { Site } from '../site/site';
import { ServiceFailure } from './failures';
import type { FailureScope } from './failures';
import { PROXY_RULES, REJECTED_TOKEN, SITE_RULES, TOKEN_RULES } from './responseRules';
import type { ResponseRule } from './responseRules';
import { parseRetryAfter } from './retryAfter';
import { serverMessage } from './serverMessage';
import { stepsFor } from './steps';

/** A response of the service. Header names are in lower case. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
	/** Whether the connection shows that a forward proxy gave it, and not the service. */
	isFromProxy?: boolean;
}

/** A response that holds a site. */
export interface SiteResponse extends ServiceResponse {
	body: Site;
}

// Only a proxy sends these statuses (RFC 9110, section 15.5.8; RFC 6585, section 6) and these headers
const PROXY_STATUSES = [407, 511];
const PROXY_HEADERS = ['proxy-agent', 'proxy-authenticate', 'proxy-connection', 'x-squid-error'];

function isFromProxy({ statusCode, headers, isFromProxy: isKnown }: ServiceResponse): boolean {
	return (
		isKnown === true ||
		PROXY_STATUSES.includes(statusCode) ||
		(statusCode >= 400 && PROXY_HEADERS.some((name) => headers[name] !== undefined))
	);
}

/** What a 401 is about: this user may not read the site, or the token is rejected, for this site or for the whole run. */
export type Unauthorized = 'site' | 'token' | 'run';

export function isWebPage(body: unknown): boolean {
	return typeof body === 'string' && /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(body);
}

/** What nginx, Apache, Go and Tomcat say of plain HTTP on a port for HTTPS; all of them with status 400. */
const NEEDS_HTTPS =
	/plain HTTP request was sent to HTTPS port|plain HTTP to an SSL-enabled|HTTP request to an HTTPS server|host and port requires TLS/i;

const IS_BODY = {
	empty: (body: unknown) => body === undefined || body === null || body === '',
	'web page': isWebPage,
	'asks for HTTPS': (body: unknown) => typeof body === 'string' && NEEDS_HTTPS.test(body),
};

/** What else goes into a failure. */
interface Details {
	siteId?: string;
	/** The address and the password of a login. */
	login?: Login;
	/** Texts that must not be repeated. */
	secrets: unknown[];
	scope: FailureScope;
}

/** What a login was sent with. */
export interface Login {
	/** The base URL. */
	url: string;
	password: string;
}

/** The one place where a response becomes a failure: with its status, its Retry-After and the words in it. */
function toFailure(
	response: ServiceResponse,
	rules: ResponseRule[],
	{ siteId = '', login, secrets, scope }: Details,
): ServiceFailure {
	const { statusCode, headers, body } = response;
	const isOfProxy = isFromProxy(response);
	const rule = (isOfProxy ? PROXY_RULES : rules).find(
		(each) =>
			(each.status?.test(String(statusCode)) ?? true) &&
			(each.body === undefined || IS_BODY[each.body](body)),
	);
	// The last rule of each table fits everything
	const { subject, message, advice, retry = 'no' } = rule as ResponseRule;
	const retryAfter = parseRetryAfter(headers['retry-after']);
	const quote = serverMessage(body, secrets);
	const speaker = isOfProxy ? 'proxy' : 'service';
	return new ServiceFailure(
		message.replace('{site}', siteId).replace('{status}', String(statusCode)),
		[
			...stepsFor(advice, { login, retryAfter, location: headers.location }),
			...(quote === '' ? [] : [`The ${speaker} says: "${quote}"`]),
		],
		{
			subject,
			// What a proxy refuses, it refuses for every site
			scope: isOfProxy && retry === 'no' ? 'run' : scope,
			// That of the service: a login that did not get there was not rejected
			httpStatus: isOfProxy ? undefined : statusCode,
			retry,
			retryAfter,
		},
	);
}

/**
 * Why a response of the token endpoint gives no token (docs/service.md#obtain-an-access-token). Its status
 * codes are not specified; 400, 401 and 403 count as a rejected login, but neither a proxy's nor a web page.
 */
export function tokenFailure(response: ServiceResponse, login: Login): ServiceFailure {
	return toFailure(response, TOKEN_RULES, { login, secrets: [login.password], scope: 'run' });
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
 * @param unauthorized what a 401 is about: this user may not read the site, or the token is rejected, for this site or for all
 */
export function readSiteResponse(
	siteId: string,
	response: ServiceResponse,
	{ secrets, unauthorized }: { secrets: unknown[]; unauthorized?: Unauthorized },
): SiteResponse | ServiceFailure {
	const { statusCode, body } = response;
	const hasData = statusCode < 300 || statusCode === 304;
	if (hasData && isSite(siteId, body)) return response as SiteResponse;
	const isToken = statusCode === 401 && unauthorized !== 'site';
	return toFailure(response, isToken ? [REJECTED_TOKEN] : SITE_RULES, {
		siteId,
		secrets,
		scope: unauthorized === 'run' ? 'run' : 'request',
	});
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
