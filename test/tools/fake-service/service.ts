import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { hold } from '../helpers/connections';
import { control, CONTROL_PATH } from './control';
import { loadContract } from './contract';
import { type Exchange, EXCHANGES } from './exchanges';
import {
	changesResponse,
	compose,
	type Fault,
	FaultPlan,
	type FaultRequest,
	type ServiceResponse,
} from './faults';
import {
	bearerToken,
	endpointOf,
	type Login,
	refusal,
	type Reply,
	replyToSiteRequest,
	replyToTokenRequest,
	type ServiceRequest,
	Tokens,
} from './rules';
import { sampleSites, type Site } from './sites';

/** A request as it was received; the entry exists from its arrival on and is completed on the way. */
export interface RecordedRequest extends FaultRequest, ServiceRequest {
	/** Milliseconds since 1970 at its arrival. */
	at: number;
	/** The status of its response; undefined while it waits, or when the connection was closed instead. */
	status: number | undefined;
}

/** Exact since the start, whatever is recorded. */
class Counts {
	requests = 0;
	tokenRequests = 0;
	logins = 0;
	/** Token requests that got a 400, 401 or 403. */
	refusedLogins = 0;
	siteRequests = 0;
	/** Site requests that got a 200. */
	sitesServed = 0;
	unauthorized = 0;
	otherRequests = 0;
	/** Requests whose connection was closed before the client had the whole response. */
	aborted = 0;
	/** Requests being handled right now, and the most at any one time. */
	inFlight = 0;
	maxInFlight = 0;
}

export interface ServiceOptions {
	port?: number;
	/** Path of the base address, such as `/api/v2`; default none. */
	basePath?: string;
	/** Serves https with this key and certificate (PEM). */
	tls?: { key: string; cert: string };
	sites?: Site[];
	login?: Login;
	/** How many of the newest requests `requests` keeps; default 20000. */
	record?: number;
	/** Whether it can be changed over HTTP as well: control.ts */
	control?: boolean;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** The login of the sample data; invented. */
const SAMPLE_LOGIN: Login = {
	username: 'sample-user@example.com',
	password: 'sample-password-1042',
};

/** Read once, by the first service. */
let contract: ReturnType<typeof loadContract> | undefined;

/** Waits, unless the connection closes first; false when it has closed. */
async function wait(
	{ socket }: http.ServerResponse,
	ms: number,
	closed: AbortSignal,
): Promise<boolean> {
	if (closed.aborted || !socket) return false;
	const goOn = hold(socket);
	return await new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer);
			closed.removeEventListener('abort', end);
			goOn();
			resolve(!closed.aborted);
		};
		const timer = setTimeout(end, ms);
		closed.addEventListener('abort', end);
	});
}

async function write(
	{ status, headers, body }: ServiceResponse,
	response: http.ServerResponse,
	faults: readonly Fault[],
	closed: AbortSignal,
	beforeLastByte: () => void,
): Promise<void> {
	// RFC 9110, 15.3.5 and 15.4.5: these two never have a body.
	if (status === 204 || status === 304) {
		const { 'content-type': _type, ...others } = headers;
		beforeLastByte();
		response.writeHead(status, others).end();
		return;
	}
	response.writeHead(status, { 'content-length': String(body.length), ...headers });
	if (faults.some(({ connection }) => connection === 'cut')) {
		beforeLastByte();
		response.flushHeaders();
		response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
		return;
	}
	let sent = 0;
	const drip = faults.find((fault) => fault.drip)?.drip;
	while (drip && sent < body.length - drip.bytes) {
		response.write(body.subarray(sent, (sent += drip.bytes)));
		if (!(await wait(response, drip.everyMs, closed))) return;
	}
	beforeLastByte();
	response.end(body.subarray(sent));
}

/**
 * Starts a stand-in for the service on 127.0.0.1. It follows docs/service.md and refuses everything that is not in there.
 * Its sites can change, and faults can be switched on, while it runs.
 *
 * @throws what listening throws, such as EADDRINUSE
 */
export async function startService(options: ServiceOptions = {}) {
	const brokenBy = await (contract ??= loadContract());
	const { basePath = '', tls, record = 20_000 } = options;
	const sites = structuredClone(options.sites ?? sampleSites());
	const logins = [{ ...(options.login ?? SAMPLE_LOGIN) }];
	const plan = new FaultPlan();
	const counts = new Counts();
	const requests: RecordedRequest[] = [];
	const tokens = new Tokens();

	const server = tls ? https.createServer(tls) : http.createServer();
	server.listen(options.port ?? 0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;

	/** Records and counts a request. `leave` ends its part in `inFlight`. */
	function arrive(request: http.IncomingMessage, response: http.ServerResponse) {
		const { method = '', url = '', headers } = request;
		const [path = '', ...query] = url.split('?');
		const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '';
		const entry: RecordedRequest = {
			...endpointOf(below),
			method,
			path: below,
			query: query.join('?'),
			url,
			headers,
			body: '',
			at: Date.now(),
			status: undefined,
			token: bearerToken(headers.authorization),
		};
		if (requests.push(entry) > record) requests.shift();

		counts.requests += 1;
		counts[`${entry.endpoint}Requests`] += 1;
		counts.inFlight += 1;
		counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
		let isInFlight = true;
		const closing = new AbortController();
		/** To be called just before the last byte, so that the client's next request never counts beside this one. */
		const leave = () => {
			if (isInFlight) counts.inFlight -= 1;
			isInFlight = false;
		};
		response.once('close', () => {
			leave();
			closing.abort();
			if (!response.writableFinished) counts.aborted += 1;
		});
		const countStatus = (status: number) => {
			entry.status = status;
			if (entry.endpoint === 'token') {
				if (status === 200) counts.logins += 1;
				if ([400, 401, 403].includes(status)) counts.refusedLogins += 1;
			}
			if (entry.endpoint === 'site') {
				if (status === 200) counts.sitesServed += 1;
				if (status === 401) counts.unauthorized += 1;
			}
		};
		return { entry, countStatus, leave, closed: closing.signal };
	}

	/** The reply to a request, and the faults that change it. */
	function replyTo(entry: RecordedRequest, faults: Fault[]): [Reply, Fault[]] {
		for (const fault of faults) {
			const replacement = plan.replacement(fault, entry, origin);
			if (replacement) return [replacement, [fault]];
		}
		if (entry.endpoint === 'other') return [refusal(404, 'There is nothing at this address.'), []];
		const reply =
			entry.endpoint === 'token'
				? replyToTokenRequest(entry, brokenBy, logins, tokens)
				: replyToSiteRequest(entry, brokenBy, sites, tokens, plan.faults.tokenLifetime);
		return [reply, reply.status === 200 ? faults.filter(changesResponse) : []];
	}

	const publish = (exchange: Exchange) => channel(EXCHANGES).publish(exchange);

	async function handle(request: http.IncomingMessage, response: http.ServerResponse) {
		const { entry, countStatus, leave, closed } = arrive(request, response);
		entry.body = await text(request);
		publish({ request: entry });

		const faults = plan.take(entry);
		for (const { latencyMs = 0 } of faults) {
			const ms = typeof latencyMs === 'function' ? latencyMs(entry) : latencyMs;
			if (ms > 0 && !(await wait(response, ms, closed))) return;
		}
		if (faults.some(({ connection }) => connection === 'hang')) {
			if (response.socket) closed.addEventListener('abort', hold(response.socket));
			return;
		}
		if (faults.some(({ connection }) => connection === 'reset')) {
			leave();
			response.socket?.resetAndDestroy();
			return;
		}

		const [reply, changes] = replyTo(entry, faults);
		const composed = compose(reply, changes);
		if (changes.length === 0) {
			publish({ request: entry, response: { ...composed, body: composed.body.toString() } });
		}
		countStatus(composed.status);
		await write(composed, response, faults, closed, leave);
	}

	const service = {
		origin,
		/** `http://127.0.0.1:<port><basePath>`, without a slash at its end. */
		baseUrl: origin + basePath,
		/** The first of `logins`. These, the sites and the faults can be changed while the service runs. */
		get login() {
			return logins[0] ?? SAMPLE_LOGIN;
		},
		logins,
		sites,
		faults: plan.faults,
		requests,
		counts,
		issuedTokens: tokens.issued,
		expireTokens: () => tokens.expire(),
		/** Told of each change by control(). */
		onControl: undefined as ((what: string) => void) | undefined,
		async close() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};

	server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
		const { url = '' } = request;
		if (options.control && url.startsWith(CONTROL_PATH)) {
			const isKnown = control(service, url.slice(CONTROL_PATH.length));
			response.writeHead(isKnown ? 200 : 404).end();
			return;
		}
		handle(request, response).catch((error: unknown) => {
			// Either the client left while it was sending, or a fault cannot be carried out
			if (!response.destroyed && !response.headersSent) response.writeHead(500).end(String(error));
			else response.destroy();
		});
	});
	return service;
}
