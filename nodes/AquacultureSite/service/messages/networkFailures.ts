// What n8n's and Node's errors show of the network, and of a proxy in between.
import { toUrl } from '../../utils/url';
import { given } from './advice';
import type { Circumstances } from './advice';
import { ServiceFailure } from './failures';
import type { FailureScope } from './failures';
import type { ServiceResponse } from './response';
import { CONNECTION_RULES, findRule, NOT_SENT_RULES } from './rules';
import type { Rule } from './rules';

/** What n8n, axios and Node make of a request that failed. It holds the request with its secrets, too. */
interface RequestError {
	message?: string;
	description?: string;
	code?: unknown;
	/** In n8n's own error, a status or a code of the network; all that n8n 1.x keeps, with the messages. */
	httpCode?: unknown;
	messages?: string[];
	request?: ServiceResponse['request'];
	response?: { status: number; headers: Record<string, unknown>; data?: unknown };
	cause?: unknown;
	errors?: unknown;
}

/** The error, its causes and those of a bundle, outermost first. */
function chainOf(error: unknown, depth = 0): RequestError[] {
	if (depth > 5 || error === null || typeof error !== 'object') return [];
	const { cause, errors } = error as RequestError;
	const bundle: unknown[] = Array.isArray(errors) ? errors : [];
	return [error, ...[cause, ...bundle].flatMap((inner) => chainOf(inner, depth + 1))];
}

/** What came of a request to the base URL: a response, or why there is none; `scope` is 'run' for a login. */
export async function outcomeOf(sent: Promise<unknown>, url: string, scope?: FailureScope) {
	return await (sent as Promise<ServiceResponse>).catch(
		(error: unknown) => responseIn(error) ?? networkFailure(error, url, scope),
	);
}

/**
 * The response in an error: one that n8n counts as an error, or a refusal that was cut off, such as the page of
 * a proxy, of which Node's agents read only the beginning. Undefined if there was none, or data was cut off.
 */
export function responseIn(error: unknown): ServiceResponse | undefined {
	const chain = chainOf(error);
	const { response, request } = chain.find((each) => each.response) ?? {};
	const status = response?.status ?? Number(chain[0]?.httpCode);
	const { headers = {}, data: body } = response ?? {};
	const isResponse = status >= (body === undefined ? 300 : 100);
	return isResponse ? { statusCode: status, headers, body, request } : undefined;
}

/**
 * Why a request got no response: the network, a proxy, or n8n itself. Only the codes of the error, the address
 * in it and n8n's own refusals are read.
 */
export function networkFailure(error: unknown, url: string, scope?: FailureScope): ServiceFailure {
	const chain = chainOf(error);
	const texts = chain.flatMap(({ message = '', messages = [] }) => [message, ...messages]);
	// Before there was a connection to the service (RFC 9110, section 9.3.6)
	if (texts.some((text) => /\bproxy\b.*\bCONNECT response\b/i.test(text))) {
		return toFailure(NOT_SENT_RULES.proxyEnded, url, scope);
	}
	const proxy = texts.map((text) => otherTarget(text, url)).find(Boolean);
	if (proxy !== undefined) return toFailure(NOT_SENT_RULES.proxyUnreached, url, scope, { proxy });
	const codes = chain
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.filter((code): code is string => typeof code === 'string' && /^([A-Z]|\d+$)/.test(code));
	if (codes.length > 0) return connectionFailure(codes, url, scope);
	const [{ message = '', description = '' } = {}] = chain;
	const reason = [message, description].filter(Boolean).join(' ');
	return toFailure(NOT_SENT_RULES.blocked, url, scope, { reason });
}

/** Node says where it tried to connect to: if that is not the service, it is a proxy. */
function otherTarget(text: string, url: string): string | undefined {
	const { hostname = '', port, protocol } = toUrl(url) ?? {};
	const [, name] = /^getaddrinfo \w+ (\S+)/.exec(text) ?? [];
	if (name !== undefined) return name === hostname ? undefined : name;
	const [, address, number] = /^connect \w+ (\S+):(\d+)/.exec(text) ?? [];
	const own = port || (protocol === 'https:' ? '443' : '80');
	return number === undefined || number === own ? undefined : `${address}:${number}`;
}

/** Why a request got no complete response, by the network's error codes. */
export function connectionFailure(codes: string[], url: string, scope?: FailureScope) {
	return toFailure(findRule(CONNECTION_RULES, codes), url, scope);
}

function toFailure(
	{ message, advice, isFinal = false }: Rule,
	url: string,
	scope: FailureScope | undefined,
	details: Circumstances = {},
): ServiceFailure {
	const known = { ...details, login: scope === 'run' ? { url } : undefined };
	return new ServiceFailure(message, [...given(known, advice), `The service's address is ${url}`], {
		subject: 'service',
		mayPass: !isFinal,
		scope: isFinal ? 'run' : scope,
	});
}
