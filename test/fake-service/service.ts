import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerControl, CONTROL_PATH } from './control';
import { type Exchange, EXCHANGES } from './exchanges';
import { type Answer, changesAnswer, compose, type Fault, FaultPlan, type Faults } from './faults';
import {
	answerOther,
	answerSite,
	answerToken,
	bearerToken,
	type Endpoint,
	endpointOf,
	type Login,
	type Ruling,
	Tokens,
} from './rules';
import { sampleSites, type Site } from './sites';

/** A request as it was seen; the entry is there from its arrival on and is filled in as it goes. */
export interface RecordedRequest {
	endpoint: Endpoint;
	method: string;
	/** Path with the base path, without the query; percent-encoding untouched. */
	path: string;
	/** The query's parameters, decoded. */
	query: Record<string, string>;
	/** Path and query exactly as they were sent. */
	url: string;
	headers: http.IncomingHttpHeaders;
	body: string;
	/** Milliseconds since 1970 at its arrival. */
	at: number;
	/** The status it was answered with; undefined while it waits, or when the connection was closed instead. */
	status?: number;
	siteId?: number;
	/** Whose token it carried, or who it tried to log in, as far as that is known. */
	user?: string;
	/** The bearer token it carried, good or not. */
	token?: string;
	/** The client closed the connection before it had the whole answer. */
	aborted: boolean;
}

/** Exact from the start or the last reset, whatever is recorded. */
export interface Counts {
	requests: number;
	tokenRequests: number;
	/** Token requests answered 200. */
	logins: number;
	/** Token requests answered 400, 401 or 403. */
	refusedLogins: number;
	siteRequests: number;
	/** Site requests answered 200. */
	sitesServed: number;
	/** Site requests answered 401. */
	unauthorized: number;
	/** Requests to any other address. */
	otherRequests: number;
	/** Requests whose client gave up before it had the whole answer. */
	aborted: number;
	/** Requests of both endpoints at work right now, and the most there ever were at once. */
	inFlight: number;
	maxInFlight: number;
	byStatus: Record<number, number>;
}

export interface ServiceOptions {
	/** Default: any free port. */
	port?: number;
	/** Path of the base address, such as `/api/v2`; default none. */
	basePath?: string;
	/** Serves https with this key and certificate (PEM). */
	tls?: { key: string; cert: string };
	/** Default: the sample sites. */
	sites?: Site[];
	/** Default: the sample login. */
	login?: Login;
	moreLogins?: Login[];
	/** How many of the newest requests `requests` keeps (default 20000), or false for none. */
	record?: number | false;
	/** Offers the switches over HTTP too, under /_control. */
	control?: boolean;
}

export interface Service {
	/** `http://127.0.0.1:<port><basePath>`, without a slash at its end. */
	readonly baseUrl: string;
	readonly origin: string;
	/** The first of `logins`. A password changed here holds at once. */
	readonly login: Login;
	readonly logins: Login[];
	/** May be changed while the service runs. */
	readonly sites: Site[];
	/** May be changed while the service runs. */
	readonly faults: Faults;
	/** The newest requests, oldest first. */
	readonly requests: RecordedRequest[];
	readonly counts: Counts;
	/** Every token issued, in order. */
	readonly issuedTokens: string[];
	/** Every token issued so far is unknown from now on. */
	expireTokens(): void;
	/** Puts faults, counters, requests, tokens, logins and sites back to the start. */
	reset(): void;
	/** Stops listening and ends every open connection. */
	close(): Promise<void>;
}

/** The login of the sample data; invented. */
export const SAMPLE_LOGIN: Readonly<Login> = {
	username: 'sample-user@example.com',
	password: 'sample-password-1042',
};

const MAX_BODY_BYTES = 1_000_000;

const noCounts = (): Counts => ({
	requests: 0,
	tokenRequests: 0,
	logins: 0,
	refusedLogins: 0,
	siteRequests: 0,
	sitesServed: 0,
	unauthorized: 0,
	otherRequests: 0,
	aborted: 0,
	inFlight: 0,
	maxInFlight: 0,
	byStatus: {},
});

/** Waits, unless the connection closes first; false when it has closed. */
function wait(ms: number, response: http.ServerResponse): Promise<boolean> {
	return new Promise((resolve) => {
		if (response.destroyed) return resolve(false);
		const onClose = () => {
			clearTimeout(timer);
			resolve(false);
		};
		const timer = setTimeout(() => {
			response.off('close', onClose);
			resolve(true);
		}, ms);
		response.once('close', onClose);
	});
}

/** The body as text, or undefined when it is too large; throws when the client goes away meanwhile. */
async function readBody(request: http.IncomingMessage): Promise<string | undefined> {
	const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
	if (encoding === undefined && (length === undefined || length === '0')) return '';
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size <= MAX_BODY_BYTES) chunks.push(chunk);
	}
	return size <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString() : undefined;
}

/** The username of a token request, for the record only. */
function usernameIn(body: string): string | undefined {
	try {
		const { username } = JSON.parse(body) as { username?: unknown };
		return typeof username === 'string' ? username : undefined;
	} catch {
		return undefined;
	}
}

/** Answers whose connection a fault has closed, so that it is not taken for the client's doing. */
const closedByFault = new WeakSet<http.ServerResponse>();

function closeByFault(response: http.ServerResponse): void {
	closedByFault.add(response);
	const { socket } = response;
	// A TLS socket cannot send a TCP reset itself; its client sees the connection end.
	if (socket && 'encrypted' in socket) socket.destroy();
	else socket?.resetAndDestroy();
}

async function write(
	answer: Answer,
	response: http.ServerResponse,
	faults: readonly Fault[],
	lastByteGiven: () => void,
): Promise<void> {
	const { status, headers, body } = answer;
	// RFC 9110, 15.3.5 and 15.4.5: these two never carry a body.
	const bodiless = status === 204 || status === 304;
	if (bodiless) delete headers['content-type'];
	else headers['content-length'] ??= String(body.length);
	response.writeHead(status, headers);

	if (faults.some(({ connection }) => connection === 'cut')) {
		lastByteGiven();
		closedByFault.add(response);
		response.flushHeaders();
		response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
		return;
	}
	let rest = bodiless ? Buffer.alloc(0) : body;
	const drip = bodiless ? undefined : faults.find((fault) => fault.drip)?.drip;
	if (drip) {
		for (let from = 0; from < body.length - drip.bytes; from += drip.bytes) {
			response.write(body.subarray(from, from + drip.bytes));
			if (!(await wait(drip.everyMs, response))) return;
			rest = body.subarray(from + drip.bytes);
		}
	}
	lastByteGiven();
	response.end(rest);
}

/**
 * Starts a stand-in for the service on 127.0.0.1: service.md to the letter, and stricter where service.md is silent (what
 * it does not name is refused), over sites that may change, with faults that can be switched on while it runs.
 * Throws what listening throws, such as EADDRINUSE.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { basePath = '', tls, record = 20_000 } = options;
	const firstSites = options.sites ?? sampleSites();
	const firstLogins = [options.login ?? SAMPLE_LOGIN, ...(options.moreLogins ?? [])];
	const sites = structuredClone(firstSites);
	const logins = structuredClone(firstLogins) as Login[];
	const counts = noCounts();
	const requests: RecordedRequest[] = [];
	const tokens = new Tokens();
	const plan = new FaultPlan();
	let round = 0;
	let closing = false;

	const server = tls ? https.createServer(tls) : http.createServer();
	server.listen(options.port ?? 0, '127.0.0.1');
	await new Promise<void>((resolve, reject) => {
		server.once('listening', resolve).once('error', reject);
	});
	const { port } = server.address() as AddressInfo;
	const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;

	/** Takes the request into the record and the counters; says where it is to go. */
	function arrive(request: http.IncomingMessage, response: http.ServerResponse) {
		const url = request.url!;
		const cut = url.indexOf('?');
		const path = cut < 0 ? url : url.slice(0, cut);
		const query = cut < 0 ? '' : url.slice(cut + 1);
		const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '';
		const token = bearerToken(request.headers.authorization);
		const seen: RecordedRequest = {
			...endpointOf(below),
			method: request.method!,
			path,
			query: Object.fromEntries(new URLSearchParams(query)),
			url,
			headers: request.headers,
			body: '',
			at: Date.now(),
			status: undefined,
			token,
			user: token === undefined ? undefined : tokens.owner(token),
			aborted: false,
		};
		if (record !== false) {
			requests.push(seen);
			if (requests.length > record) requests.shift();
		}
		counts.requests += 1;
		counts[`${seen.endpoint}Requests`] += 1;

		// A request that began before a reset must not touch the counters after it.
		const ownRound = round;
		let working = true;
		counts.inFlight += 1;
		counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
		/** Called just before the last byte is given, so that the client's next request never counts beside this one. */
		const leave = () => {
			if (working && ownRound === round) counts.inFlight -= 1;
			working = false;
		};
		response.once('close', () => {
			if (!response.writableFinished && !closedByFault.has(response) && !closing) {
				seen.aborted = true;
				if (ownRound === round) counts.aborted += 1;
			}
			leave();
		});
		const answered = (status: number) => {
			seen.status = status;
			if (ownRound !== round) return;
			counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1;
			if (seen.endpoint === 'token') {
				if (status === 200) counts.logins += 1;
				if ([400, 401, 403].includes(status)) counts.refusedLogins += 1;
			}
			if (seen.endpoint === 'site') {
				if (status === 200) counts.sitesServed += 1;
				if (status === 401) counts.unauthorized += 1;
			}
		};
		return { seen, asked: { path: below, query }, answered, leave };
	}
	function rule(seen: RecordedRequest, asked: { path: string; query: string }): Ruling {
		const { method, headers, body } = seen;
		const whole = { ...asked, method, headers, body };
		if (seen.endpoint === 'token') return answerToken(whole, logins, tokens);
		if (seen.endpoint === 'other') return answerOther();
		return answerSite(whole, sites, tokens, plan.faults.tokenLifetime);
	}

	async function handle(request: http.IncomingMessage, response: http.ServerResponse) {
		const { seen, asked, answered, leave } = arrive(request, response);
		const body = await readBody(request);
		seen.body = body ?? '';
		if (seen.endpoint === 'token') seen.user = usernameIn(seen.body);

		const published = { ...asked, method: seen.method, headers: seen.headers, body: seen.body };
		exchanges.publish({ request: published });
		const faults = plan.take(seen);
		for (const { latencyMs = 0 } of faults) {
			const ms = typeof latencyMs === 'function' ? latencyMs(seen) : latencyMs;
			if (ms > 0 && !(await wait(ms, response))) return;
		}
		if (faults.some(({ connection }) => connection === 'hang')) return;
		if (faults.some(({ connection }) => connection === 'reset')) {
			leave();
			closeByFault(response);
			return;
		}

		let ruling: Ruling | undefined;
		let changes: Fault[] = [];
		for (const fault of faults) {
			ruling = plan.instead(fault, seen, origin);
			if (ruling) {
				changes = [fault];
				break;
			}
		}
		if (!ruling) {
			ruling =
				body === undefined
					? { status: 413, json: { message: 'The body is too large.' } }
					: rule(seen, asked);
			if (ruling.status === 200) changes = faults.filter(changesAnswer);
		}
		const answer = compose(ruling, changes);
		if (changes.length === 0) {
			exchanges.publish({
				request: published,
				response: { ...answer, body: answer.body.toString() },
			});
		}
		answered(answer.status);
		await write(answer, response, faults, leave);
	}

	const service: Service = {
		origin,
		baseUrl: origin + basePath,
		get login() {
			return logins[0]!;
		},
		logins,
		sites,
		faults: plan.faults,
		requests,
		counts,
		issuedTokens: tokens.issued,
		expireTokens: () => tokens.expire(),
		reset() {
			round += 1;
			plan.reset();
			tokens.reset();
			requests.length = 0;
			Object.assign(counts, noCounts());
			sites.splice(0, Infinity, ...structuredClone(firstSites));
			logins.splice(0, Infinity, ...structuredClone(firstLogins));
		},
		async close() {
			closing = true;
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};

	server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
		const work =
			options.control && request.url!.startsWith(CONTROL_PATH)
				? readBody(request).then((body) => answerControl(service, request, body, response))
				: handle(request, response);
		work.catch((error: Error) => {
			// Either the client left while it was sending, or a fault given by a test cannot be carried out.
			if (response.headersSent || response.destroyed) {
				response.destroy();
				return;
			}
			response.writeHead(500, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ message: `The stand-in cannot do that: ${error.message}` }));
		});
	});
	return service;
}
