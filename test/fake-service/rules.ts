import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Site } from './sites';

/** A username and password that the service knows. */
export interface Login {
	username: string;
	password: string;
}

/** What the rules need of a request; header names in lower case, `query` without its question mark. */
export interface Asked {
	method: string;
	/** Path below the base address, percent-encoding untouched. */
	path: string;
	query: string;
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

/** An answer before it is written out; `json` is undefined where there is no body. */
export interface Ruling {
	status: number;
	headers?: Record<string, string>;
	json: unknown;
}

export type Endpoint = 'token' | 'site' | 'other';

/** How long tokens live; both limits may hold, none means until they are expired by hand. */
export interface TokenLifetime {
	/** Site requests a token is good for. */
	uses?: number;
	/** Milliseconds from the login on. */
	ms?: number;
}

const CURRENT_VERSION = '2025-01-01';
const KNOWN_VERSIONS = [CURRENT_VERSION, '2023-01-01'];
const PARTS = ['units', 'info'] as const;

const refusal = (status: number, message: string, headers?: Record<string, string>): Ruling => ({
	status,
	headers,
	json: { message },
});

/** Which endpoint a path below the base address belongs to, and the site it names when that is digits. */
export function endpointOf(path: string): { endpoint: Endpoint; siteId?: number } {
	if (path === '/auth/token') return { endpoint: 'token' };
	const id = /^\/meta\/sites\/([^/]+)$/.exec(path)?.[1];
	if (id === undefined) return { endpoint: 'other' };
	return { endpoint: 'site', siteId: /^\d+$/.test(id) ? Number(id) : undefined };
}

/** The token in an Authorization header (service.md, «Authentication», step 2), if there is one. */
export function bearerToken(authorization: string | undefined): string | undefined {
	return /^Bearer ([\w.~+/=-]+)$/.exec(authorization ?? '')?.[1];
}

/** The tokens issued so far: who they belong to and whether they still hold. */
export class Tokens {
	/** Every token ever issued, in order. */
	readonly issued: string[] = [];

	private readonly known = new Map<string, { user: string; uses: number; issuedAt: number }>();
	private readonly key = randomBytes(32);

	issue(user: string): string {
		const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
		const issuedAt = Date.now();
		const claims = { sub: user, iat: Math.floor(issuedAt / 1000), jti: randomUUID() };
		const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
		const token = `${text}.${createHmac('sha256', this.key).update(text).digest('base64url')}`;
		this.known.set(token, { user, uses: 0, issuedAt });
		this.issued.push(token);
		return token;
	}

	owner(token: string): string | undefined {
		return this.known.get(token)?.user;
	}

	/** Uses the token once; false when it is unknown or its lifetime is over. */
	use(token: string, lifetime: TokenLifetime = {}): boolean {
		const found = this.known.get(token);
		if (found === undefined) return false;
		const { uses = Infinity, ms = Infinity } = lifetime;
		if (found.uses >= uses || Date.now() - found.issuedAt >= ms) {
			this.known.delete(token);
			return false;
		}
		found.uses += 1;
		return true;
	}

	/** Every token issued so far is unknown from now on. */
	expire(): void {
		this.known.clear();
	}

	/** As new: nothing issued, nothing known. */
	reset(): void {
		this.expire();
		this.issued.length = 0;
	}
}

/** service.md, «Versioning»: a date YYYY-MM-DD of the calendar, among those the endpoint knows. */
function versionRefusal(
	value: string | string[] | undefined,
	known: readonly string[],
): Ruling | undefined {
	if (value === undefined) return refusal(400, 'The header Api-Version is missing.');
	const text = String(value);
	const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
	// A day such as 02-30 is either invalid or rolls over, so it must read the same again.
	if (date === undefined || isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) {
		return refusal(400, 'The header Api-Version is not a date in the form YYYY-MM-DD.');
	}
	return known.includes(text)
		? undefined
		: refusal(400, `Version ${text} is not supported here. Supported: ${known.join(', ')}.`);
}

/** service.md, «Obtain an access token». */
export function answerToken(asked: Asked, logins: readonly Login[], tokens: Tokens): Ruling {
	if (asked.method !== 'POST') {
		return refusal(405, 'The token endpoint takes POST only.', { allow: 'POST' });
	}
	if (asked.query !== '') return refusal(400, 'The token endpoint takes no query.');
	const wrongVersion = versionRefusal(asked.headers['api-version'], [CURRENT_VERSION]);
	if (wrongVersion) return wrongVersion;
	if (!/^application\/json *(;|$)/i.test(String(asked.headers['content-type'] ?? ''))) {
		return refusal(400, 'The header Content-Type must be application/json.');
	}

	let body: unknown;
	try {
		body = JSON.parse(asked.body);
	} catch {
		return refusal(400, 'The body is not valid JSON.');
	}
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		return refusal(400, 'The body must be a JSON object.');
	}
	const { username, password, ...others } = body as Record<string, unknown>;
	if (typeof username !== 'string' || typeof password !== 'string') {
		return refusal(400, 'The body must hold username and password, both text.');
	}
	const unknown = Object.keys(others)[0];
	if (unknown !== undefined) return refusal(400, `The body has an unknown field: ${unknown}.`);

	if (!logins.some((login) => login.username === username && login.password === password)) {
		return refusal(401, 'The username or the password is wrong.');
	}
	return {
		status: 200,
		json: { access_token: tokens.issue(username), expires_in: '3600', token_type: 'Bearer' },
	};
}

/** The parts that `$include` names, or why the query is refused (service.md, «Get a site»). */
function parseInclude(query: string): ReadonlyArray<(typeof PARTS)[number]> | Ruling {
	const parameters = [...new URLSearchParams(query)];
	const unknown = parameters.find(([name]) => name !== '$include');
	if (unknown) return refusal(400, `The query has an unknown parameter: ${unknown[0]}.`);
	if (parameters.length === 0) return [];
	if (parameters.length > 1) return refusal(400, '$include may be given once only.');
	const names = parameters[0]![1].split(',');
	const wrong = names.find((name) => !PARTS.some((part) => part === name));
	if (wrong !== undefined) return refusal(400, `$include takes units and info, not '${wrong}'.`);
	return PARTS.filter((part) => names.includes(part));
}

/** service.md, «Get a site». */
export function answerSite(
	asked: Asked,
	sites: readonly Site[],
	tokens: Tokens,
	lifetime?: TokenLifetime,
): Ruling {
	if (asked.method !== 'GET') {
		return refusal(405, 'The site endpoint takes GET only.', { allow: 'GET' });
	}
	const token = bearerToken(asked.headers.authorization as string | undefined);
	if (token === undefined || !tokens.use(token, lifetime)) {
		return refusal(401, 'The access token is missing, unknown or expired.', {
			'www-authenticate': 'Bearer',
		});
	}
	const wrongVersion = versionRefusal(asked.headers['api-version'], KNOWN_VERSIONS);
	if (wrongVersion) return wrongVersion;
	if (asked.body !== '') return refusal(400, 'The site endpoint takes no body.');
	const parts = parseInclude(asked.query);
	if ('status' in parts) return parts;
	const { siteId } = endpointOf(asked.path);
	if (siteId === undefined) return refusal(400, 'The site ID must be a whole number.');

	const site = sites.find((candidate) => candidate.siteId === siteId);
	if (site === undefined) return refusal(404, `There is no site ${siteId}.`);
	const { info, units, ...always } = site;
	return {
		status: 200,
		json: {
			...always,
			...(parts.includes('info') && { info }),
			...(parts.includes('units') && { units }),
		},
	};
}

/** Every other address: service.md specifies none. */
export const answerOther = (): Ruling => refusal(404, 'There is nothing at this address.');
