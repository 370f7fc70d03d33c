import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Site } from './sites';

export interface Login {
	username: string;
	password: string;
}

/** What the rules need of a request. */
export interface ServiceRequest {
	method: string;
	/** As seen from the base address, percent-encoding untouched. */
	path: string;
	/** Without its question mark. */
	query: string;
	/** Names in lower case. */
	headers: IncomingHttpHeaders;
	body: string;
}

/** A response before it is written out; `json` is undefined where there is no body. */
export interface Reply {
	status: number;
	headers?: Record<string, string>;
	json: unknown;
}

export type Endpoint = 'token' | 'site' | 'other';

/** Site requests that a token is good for: without a limit, until it is expired by hand. */
export interface TokenLifetime {
	uses?: number;
}

const PARTS = ['units', 'info'];

export const refusal = (
	status: number,
	message: string,
	headers?: Record<string, string>,
): Reply => ({ status, headers, json: { message } });

/** Which endpoint a path belongs to, and the site that it names when that is digits. */
export function endpointOf(path: string): { endpoint: Endpoint; siteId?: number } {
	if (path === '/auth/token') return { endpoint: 'token' };
	const id = /^\/meta\/sites\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return { endpoint: 'other' };
	return { endpoint: 'site', siteId: /^\d+$/.test(id) ? Number(id) : undefined };
}

/** The token in an Authorization header, if there is one: docs/service.md#authentication */
export function bearerToken(authorization: unknown): string | undefined {
	return /^Bearer ([\w.~+/=-]+)$/.exec(String(authorization))?.[1];
}

/** The tokens issued so far, and whether they are still valid. */
export class Tokens {
	readonly issued: string[] = [];

	/** How often each has been used. */
	private readonly valid = new Map<string, number>();

	/** A new token that looks like a JWT. */
	issue(user: string): string {
		const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
		const claims = part({ sub: user, jti: randomUUID() });
		const signature = randomBytes(32).toString('base64url');
		const token = `${part({ alg: 'HS256', typ: 'JWT' })}.${claims}.${signature}`;
		this.valid.set(token, 0);
		this.issued.push(token);
		return token;
	}

	/** Uses the token once; false when it is unknown or used up. */
	use(token: string, { uses = Infinity }: TokenLifetime = {}): boolean {
		const used = this.valid.get(token);
		if (used === undefined) return false;
		if (used >= uses) return !this.valid.delete(token);
		this.valid.set(token, used + 1);
		return true;
	}

	expire(): void {
		this.valid.clear();
	}
}

/** Says what a request breaks of docs/openapi.yaml. */
type Contract = (exchange: { request: ServiceRequest }) => string[];

/** docs/service.md#obtain-an-access-token */
export function replyToTokenRequest(
	request: ServiceRequest,
	brokenBy: Contract,
	logins: readonly Login[],
	tokens: Tokens,
): Reply {
	const [wrong] = brokenBy({ request });
	if (wrong !== undefined) return refusal(400, `${wrong}.`);
	const { username, password } = JSON.parse(request.body) as Login;
	if (!logins.some((known) => known.username === username && known.password === password)) {
		return refusal(401, 'The username or the password is wrong.');
	}
	return {
		status: 200,
		json: { access_token: tokens.issue(username), expires_in: '3600', token_type: 'Bearer' },
	};
}

/** docs/service.md#get-a-site */
export function replyToSiteRequest(
	request: ServiceRequest,
	brokenBy: Contract,
	sites: readonly Site[],
	tokens: Tokens,
	lifetime?: TokenLifetime,
): Reply {
	const { path, query, headers } = request;
	const token = bearerToken(headers.authorization);
	if (token === undefined || !tokens.use(token, lifetime)) {
		return refusal(401, 'The access token is missing, unknown or expired.', {
			'www-authenticate': 'Bearer',
		});
	}
	const [wrong] = brokenBy({ request });
	if (wrong !== undefined) return refusal(400, `${wrong}.`);
	const { siteId } = endpointOf(path);
	const site = sites.find((candidate) => candidate.siteId === siteId);
	if (site === undefined) return refusal(404, `There is no site ${String(siteId)}.`);
	const parts = new URLSearchParams(query).get('$include')?.split(',') ?? [];
	const fields = Object.entries(site);
	const isSent = ([name]: [string, unknown]) => !PARTS.includes(name) || parts.includes(name);
	return { status: 200, json: Object.fromEntries(fields.filter(isSent)) };
}
