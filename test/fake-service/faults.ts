import { STATUS_CODES } from 'node:http';
import type { Endpoint, Ruling, TokenLifetime } from './rules';

/** Kinds of ready-made bodies: `json` is `{ "message": … }`, `broken` is JSON that ends too early. */
export type BodyKind = 'json' | 'html' | 'empty' | 'broken' | 'text';

/** A ready-made body, any JSON, any text (as text/plain), or any bytes (as application/json). */
export type Body =
	BodyKind | { json: unknown } | { text: string } | { base64: string } | Uint8Array;

/** Seconds, an HTTP-date that many seconds ahead (RFC 9110, 10.2.3), or any text as it is. */
export type RetryAfter = number | { dateInSeconds: number } | string;

/** A token bucket: `burst` requests at once (default 1), then `perSecond` of them. */
export interface RateLimit {
	perSecond: number;
	burst?: number;
	/** Default 429. */
	status?: number;
	/** How the wait until the next request is stated, in whole seconds; default `seconds`. */
	retryAfter?: 'seconds' | 'date' | 'none';
}

/**
 * What goes wrong at an endpoint, to which requests. All keys may be combined; of several faults that meet one
 * request the waits add up, the first that refuses it wins, and the changes to a good answer follow in order.
 */
export interface Fault {
	/** Only the next so many requests; the fault is taken off the list when they are used up. */
	times?: number;
	/** Lets so many requests pass first. */
	skip?: number;
	/** Only requests for this site or these sites. */
	siteId?: number | number[];
	/** Only requests of which this holds. */
	when?: (request: FaultRequest) => boolean;

	/** Milliseconds to wait before anything else. */
	latencyMs?: number | ((request: FaultRequest) => number);
	/** `reset`: the connection is destroyed instead of an answer; `hang`: no answer ever; `cut`: destroyed after half the body. */
	connection?: 'reset' | 'hang' | 'cut';
	/** Answers this instead of asking the rules (no login, no use of a token). The body is `json` unless `body` says otherwise. */
	status?: number;
	/** Answers with a Location instead: `to` is a whole URL, or an origin, where path and query stay (its own: a loop). */
	redirect?: { status: number; to: string };
	rateLimit?: RateLimit;

	// What follows changes the answer of this fault, or else an answer that is 200.
	body?: Body;
	/** Fields laid over a JSON object: unknown ones, wrong types, null. */
	merge?: Record<string, unknown>;
	/** The body is filled up to this many bytes: a JSON object by a field `padding`, others by blanks. */
	bytes?: number;
	headers?: Record<string, string>;
	retryAfter?: RetryAfter;
	/** Sends the body in small pieces: so many bytes every so many milliseconds. */
	drip?: { bytes: number; everyMs: number };
}

/** The keys of a fault, for those that come as JSON from outside. */
export const FAULT_KEYS: ReadonlyArray<keyof Fault> = [
	'times',
	'skip',
	'siteId',
	'latencyMs',
	'connection',
	'status',
	'redirect',
	'rateLimit',
	'body',
	'merge',
	'bytes',
	'headers',
	'retryAfter',
	'drip',
];

/** The switchboard: may be changed at any moment and holds from the next request on. */
export interface Faults {
	token: Fault[];
	site: Fault[];
	tokenLifetime?: TokenLifetime;
}

/** What a fault may look at. */
export interface FaultRequest {
	endpoint: Endpoint;
	method: string;
	/** Path with query, as it was sent. */
	url: string;
	siteId?: number;
	user?: string;
	token?: string;
	body: string;
}

/** An answer ready to be written. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

const sentence = (status: number) => ({
	message: `The service says: ${STATUS_CODES[status] ?? status}`,
});

const JSON_TYPE = 'application/json; charset=utf-8';

function readyMade(body: Body, status: number): { type?: string; content: Buffer } {
	const reason = STATUS_CODES[status] ?? 'Unknown';
	const of = (type: string, text: string) => ({ type, content: Buffer.from(text) });
	if (body instanceof Uint8Array) return { type: JSON_TYPE, content: Buffer.from(body) };
	switch (body) {
		case 'json':
			return of(JSON_TYPE, JSON.stringify(sentence(status)));
		case 'html':
			return of(
				'text/html; charset=utf-8',
				`<!DOCTYPE html>\n<html><head><title>${status} ${reason}</title></head><body><h1>${reason}</h1></body></html>\n`,
			);
		case 'empty':
			return { content: Buffer.alloc(0) };
		case 'broken':
			return of(JSON_TYPE, `{ "message": "The service says: ${reason}", "detail": `);
		case 'text':
			return of('text/plain; charset=utf-8', reason);
	}
	if ('text' in body) return of('text/plain; charset=utf-8', body.text);
	if ('base64' in body) return { type: JSON_TYPE, content: Buffer.from(body.base64, 'base64') };
	return of(JSON_TYPE, JSON.stringify(body.json));
}

function retryAfterText(value: RetryAfter): string {
	if (typeof value !== 'object') return String(value);
	// An HTTP-date has whole seconds only: rounded up, so that whoever waits for it never comes too early.
	const second = Math.ceil(Date.now() / 1000 + value.dateInSeconds);
	return new Date(second * 1000).toUTCString();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the fault changes a good answer, and not only when it comes. */
export const changesAnswer = (fault: Fault): boolean =>
	['body', 'merge', 'bytes', 'headers', 'retryAfter'].some((key) => key in fault);

/** Writes a ruling out as an answer, with what the faults change of it. */
export function compose(ruling: Ruling, changes: readonly Fault[]): Answer {
	const { status } = ruling;
	let json = ruling.json;
	let other: ReturnType<typeof readyMade> | undefined;
	let bytes = 0;
	const headers: Record<string, string> = { ...ruling.headers };
	for (const change of changes) {
		if (change.body !== undefined) {
			const isJson = isObject(change.body) && 'json' in change.body;
			if (isJson) json = (change.body as { json: unknown }).json;
			other = isJson ? undefined : readyMade(change.body, status);
		}
		if (change.merge && isObject(json)) json = { ...json, ...change.merge };
		if (change.bytes !== undefined) bytes = change.bytes;
		for (const [name, value] of Object.entries(change.headers ?? {})) {
			headers[name.toLowerCase()] = value;
		}
		if (change.retryAfter !== undefined) headers['retry-after'] = retryAfterText(change.retryAfter);
	}

	if (!other && isObject(json) && bytes > 0) {
		const missing = bytes - Buffer.byteLength(JSON.stringify({ ...json, padding: '' }));
		json = { ...json, padding: 'x'.repeat(Math.max(0, missing)) };
	}
	let { type, content } = other ?? readyMade({ json }, status);
	if (content.length < bytes) {
		content = Buffer.concat([content, Buffer.alloc(bytes - content.length, ' ')]);
	}
	if (type !== undefined) headers['content-type'] ??= type;
	return { status, headers, body: content };
}

/** Remembers how often each fault was met and how full each rate limit is. */
export class FaultPlan {
	readonly faults: Faults = { token: [], site: [] };

	private met = new Map<Fault, number>();
	private buckets = new Map<RateLimit, { level: number; at: number }>();

	reset(): void {
		Object.assign(this.faults, { token: [], site: [], tokenLifetime: undefined });
		this.met.clear();
		this.buckets.clear();
	}

	/** The faults that meet this request; each of them is used once by it. */
	take(request: FaultRequest): Fault[] {
		const { endpoint } = request;
		if (endpoint === 'other' || this.faults[endpoint].length === 0) return [];
		return [...this.faults[endpoint]].filter((fault) => {
			if (fault.siteId !== undefined && ![fault.siteId].flat().includes(request.siteId!))
				return false;
			if (fault.when && !fault.when(request)) return false;
			const met = (this.met.get(fault) ?? 0) + 1;
			this.met.set(fault, met);
			const { skip = 0, times = Infinity } = fault;
			if (met >= skip + times) {
				this.faults[endpoint] = this.faults[endpoint].filter((other) => other !== fault);
				this.met.delete(fault);
			}
			return met > skip && met <= skip + times;
		});
	}

	/** What the fault answers in place of the rules, if it does. */
	instead(fault: Fault, request: FaultRequest, ownOrigin: string): Ruling | undefined {
		const refused = fault.rateLimit && this.overLimit(fault.rateLimit);
		if (refused) return refused;
		if (fault.redirect) {
			const { status, to } = fault.redirect;
			const target = new URL(to, ownOrigin);
			const isOrigin = to === target.origin || to === `${target.origin}/`;
			const location = isOrigin ? target.origin + request.url : target.href;
			return { status, headers: { location }, json: { message: 'Moved.' } };
		}
		if (fault.status === undefined) return undefined;
		return { status: fault.status, json: sentence(fault.status) };
	}

	private overLimit(limit: RateLimit): Ruling | undefined {
		const { perSecond, burst = 1, status = 429, retryAfter = 'seconds' } = limit;
		const now = performance.now();
		const bucket = this.buckets.get(limit) ?? { level: burst, at: now };
		const level = Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
		this.buckets.set(limit, { level: level >= 1 ? level - 1 : level, at: now });
		if (level >= 1) return undefined;

		const seconds = Math.ceil((1 - level) / perSecond);
		const stated: Record<string, RetryAfter | undefined> = {
			seconds,
			date: { dateInSeconds: seconds },
			none: undefined,
		};
		const value = stated[retryAfter];
		return {
			status,
			headers: value === undefined ? {} : { 'retry-after': retryAfterText(value) },
			json: { message: `At most ${perSecond} requests a second, please.` },
		};
	}
}
