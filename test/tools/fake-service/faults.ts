import { STATUS_CODES } from 'node:http';
import { type Endpoint, refusal, type Reply, type TokenLifetime } from './rules';

/** An address at which nothing listens: the port is that of the discard protocol (RFC 863), long out of use. */
export const DESERTED = 'http://127.0.0.1:9';

/** Kinds of ready-made bodies: `json` is `{ "message": … }`, `broken` is JSON that ends too early. */
export type BodyKind = 'json' | 'html' | 'empty' | 'broken';

/** A ready-made body, any JSON, any text (as text/plain), or any bytes (as application/json). */
export type Body = BodyKind | { json: unknown } | { text: string } | Uint8Array;

/** Seconds, those at the moment of the response, an HTTP-date that many seconds ahead (RFC 9110, 10.2.3), or any text as it is. */
export type RetryAfter = number | (() => number) | { dateInSeconds: number } | string;

/**
 * What goes wrong at an endpoint, for which requests. All keys can be combined. When several faults apply to one request,
 * their latencies add up, the first one that replaces the response wins, and all changes to a 200 response apply in order.
 */
export interface Fault {
	/** Only this many requests; the fault is removed after the last one. */
	times?: number;
	/** Lets this many requests pass first. */
	skip?: number;
	siteId?: number | number[];
	when?: (request: FaultRequest) => boolean;

	latencyMs?: number | ((request: FaultRequest) => number);
	/** `reset` destroys the connection instead of responding, `hang` never responds, `cut` destroys it after half the body. */
	connection?: 'reset' | 'hang' | 'cut';
	/** Responds with this status; the rules are not applied. The body is `json` unless `body` says otherwise. */
	status?: number;
	/** Responds with a Location: `to` is a whole URL, or an origin, which the path and query are added to. */
	redirect?: { status: number; to: string };
	/** The response of `status` repeats the token or the password of the request, plain and encoded. */
	echo?: boolean;

	// The following change the response of this fault, or otherwise a 200 response of the rules.
	body?: Body;
	/** Fields to add to a JSON object, or to replace in it. */
	merge?: Record<string, unknown>;
	/** Fills the body up to this many bytes, with spaces. */
	bytes?: number;
	headers?: Record<string, string>;
	retryAfter?: RetryAfter;
	/** Sends the body in pieces of this many bytes, with this many milliseconds between them. */
	drip?: { bytes: number; everyMs: number };
}

/** Can be changed at any time; changes apply from the next request on. */
export interface Faults {
	token: Fault[];
	site: Fault[];
	tokenLifetime?: TokenLifetime;
}

/** What a fault can depend on. */
export interface FaultRequest {
	endpoint: Endpoint;
	method: string;
	/** Path with query, as it was sent. */
	url: string;
	siteId?: number;
	token?: string;
	body: string;
}

export interface ServiceResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

const JSON_TYPE = 'application/json; charset=utf-8';

const reasonOf = (status: number) => STATUS_CODES[status] ?? String(status);

const reply = (status: number): Reply => refusal(status, `${reasonOf(status)}.`);

function echoOf({ token, body }: FaultRequest): string {
	const secret = token ?? (JSON.parse(body) as { password: string }).password;
	const base64 = Buffer.from(secret).toString('base64');
	return `Rejected: ${secret} ${encodeURIComponent(secret)} ${base64} ${JSON.stringify(secret)}`;
}

function readyMade(body: Body, status: number): [content: string | Uint8Array, type?: string] {
	const reason = reasonOf(status);
	if (body instanceof Uint8Array) return [body, JSON_TYPE];
	switch (body) {
		case 'json':
			return [JSON.stringify(reply(status).json), JSON_TYPE];
		case 'html':
			return [
				`<!DOCTYPE html>\n<html><head><title>${status} ${reason}</title></head><body><h1>${reason}</h1></body></html>\n`,
				'text/html; charset=utf-8',
			];
		case 'empty':
			return [''];
		case 'broken':
			return [`{ "message": "${reason}.", "detail": `, JSON_TYPE];
	}
	if ('text' in body) return [body.text, 'text/plain; charset=utf-8'];
	return [JSON.stringify(body.json), JSON_TYPE];
}

function retryAfterText(value: RetryAfter): string {
	if (typeof value === 'function') return String(value());
	if (typeof value !== 'object') return String(value);
	// An HTTP-date has whole seconds only: rounded up, so that nobody who waits for it comes too early.
	const second = Math.ceil(Date.now() / 1000 + value.dateInSeconds);
	return new Date(second * 1000).toUTCString();
}

/** Whether the fault changes a response, and not only when it arrives. */
export const changesResponse = (fault: Fault): boolean =>
	['body', 'merge', 'bytes', 'headers', 'retryAfter'].some((key) => key in fault);

/** Turns a reply into the response, with what the faults change in it. */
export function compose({ status, headers: first, json }: Reply, faults: Fault[]): ServiceResponse {
	let body: Body = { json };
	let bytes = 0;
	const headers = { ...first };
	for (const fault of faults) {
		body = fault.body ?? body;
		if (fault.merge && typeof body === 'object' && 'json' in body) {
			body = { json: { ...(body.json as object), ...fault.merge } };
		}
		bytes = fault.bytes ?? bytes;
		for (const [name, value] of Object.entries(fault.headers ?? {})) {
			headers[name.toLowerCase()] = value;
		}
		if (fault.retryAfter !== undefined) headers['retry-after'] = retryAfterText(fault.retryAfter);
	}

	const [content, type] = readyMade(body, status);
	if (type !== undefined) headers['content-type'] ??= type;
	const padding = Buffer.alloc(Math.max(0, bytes - Buffer.byteLength(content)), ' ');
	return { status, headers, body: Buffer.concat([Buffer.from(content), padding]) };
}

/** Counts how many requests each fault has applied to. */
export class FaultPlan {
	readonly faults: Faults = { token: [], site: [] };

	private readonly requests = new Map<Fault, number>();

	/** The faults that apply to this request, which counts as one of their `times`. */
	take(request: FaultRequest): Fault[] {
		const { endpoint, siteId: requested } = request;
		if (endpoint === 'other') return [];
		return [...this.faults[endpoint]].filter((fault) => {
			const { siteId, when, skip = 0, times = Infinity } = fault;
			if (siteId !== undefined && ![siteId].flat().some((id) => id === requested)) return false;
			if (when && !when(request)) return false;
			const count = (this.requests.get(fault) ?? 0) + 1;
			this.requests.set(fault, count);
			if (count >= skip + times) {
				this.faults[endpoint] = this.faults[endpoint].filter((other) => other !== fault);
				this.requests.delete(fault);
			}
			return count > skip && count <= skip + times;
		});
	}

	/** What the fault replies in place of the rules, if it does. */
	replacement(fault: Fault, request: FaultRequest, ownOrigin: string): Reply | undefined {
		const { redirect, status } = fault;
		if (redirect) {
			const target = new URL(redirect.to, ownOrigin);
			const isOrigin = redirect.to === target.origin || redirect.to === `${target.origin}/`;
			const location = isOrigin ? target.origin + request.url : target.href;
			return refusal(redirect.status, 'Moved.', { location });
		}
		if (status === undefined) return undefined;
		return fault.echo ? refusal(status, echoOf(request)) : reply(status);
	}
}
