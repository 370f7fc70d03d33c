import { toUrl } from './baseUrl';
import { connectionFailure, notSent, proxyClosed, proxyUnreachable } from './connectionFailures';
import type { FailureScope, ServiceFailure } from './failures';
import type { ServiceResponse } from './response';

/** A response as n8n hands it on; with `request` also from its older helper. */
export interface N8nResponse extends ServiceResponse {
	request?: SentRequest;
}

/** Node's request. */
interface SentRequest {
	protocol?: string;
	path?: string;
	socket?: { encrypted?: boolean } | null;
}

/** What n8n, axios and Node make of a request that failed. It holds the request with its secrets, too. */
interface RequestError {
	message?: string;
	description?: string;
	code?: unknown;
	/** In n8n's own error, a status or a code of the network; all that n8n 1.x keeps, with the messages. */
	httpCode?: unknown;
	messages?: string[];
	request?: SentRequest;
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

/** What proxies often say of an http address; anything else is more likely the service's. */
const PROXY_REFUSALS = [403, 502, 503, 504];

/**
 * Whether the connection shows that a forward proxy gave a response itself. For https that is one without
 * encryption: the proxy refused to CONNECT (RFC 9110, section 9.3.6). For http the proxy was sent the whole URL
 * (RFC 9112, section 3.2.2), and names itself in what it only forwards (RFC 9110, section 7.6.3).
 */
function isOfProxy(
	{ protocol, path = '', socket }: SentRequest,
	{ statusCode, headers, body }: ServiceResponse,
): boolean {
	if (protocol === 'https:') return socket ? socket.encrypted !== true : false;
	const isForwarded = headers.via !== undefined || (typeof body === 'object' && body !== null);
	return /^https?:/i.test(path) && PROXY_REFUSALS.includes(statusCode) && !isForwarded;
}

/** The response with what its connection shows. */
export function toServiceResponse({ request, ...response }: N8nResponse): ServiceResponse {
	return request && response.statusCode >= 300
		? { ...response, isFromProxy: isOfProxy(request, response) }
		: response;
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
	const isCutOff = body === undefined;
	if (!(status >= (isCutOff ? 300 : 100))) return undefined;
	return toServiceResponse({ statusCode: status, headers, body, request });
}

/**
 * Why a request got no response: the network, a proxy, or n8n itself. Only the codes of the error, the address
 * in it and n8n's own refusals are read.
 */
export function networkFailure(error: unknown, url: string, scope?: FailureScope): ServiceFailure {
	const chain = chainOf(error);
	const texts = chain.flatMap(({ message = '', messages = [] }) => [message, ...messages]);
	if (texts.some((text) => /\bproxy\b.*\bCONNECT response\b/i.test(text))) {
		return proxyClosed(url, scope);
	}
	const proxy = texts.map((text) => otherTarget(text, url)).find(Boolean);
	if (proxy !== undefined) return proxyUnreachable(proxy, scope);
	const codes = chain
		.flatMap(({ code, httpCode }) => [code, httpCode])
		.filter((code): code is string => typeof code === 'string' && /^([A-Z]|\d+$)/.test(code));
	if (codes.length > 0) return connectionFailure(codes, url, scope);
	const [{ message = '', description = '' } = {}] = chain;
	return notSent([message, description].filter(Boolean).join(' '), url);
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
