import { createHash, createHmac, randomBytes } from 'crypto';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeProperties,
	Icon,
} from 'n8n-workflow';

import { parseBaseUrl, toUrl } from '../nodes/AquacultureSite/service/baseUrl';
import type { BaseUrl } from '../nodes/AquacultureSite/service/baseUrl';
import {
	connectionFailure,
	loginFailures,
	ServiceFailure,
	tokenFailure,
} from '../nodes/AquacultureSite/service/failures';
import type { Answer } from '../nodes/AquacultureSite/service/failures';

// The token request uses this version (service.md, «Versioning»)
const API_VERSION = '2025-01-01';

const LOGIN_TIMEOUT = 30_000;

// No site ID is needed to see whether the token is accepted
const TEST_PATH = '/meta/sites/0';

/**
 * Milliseconds that the outcome of a token exchange is remembered: long enough for every item of a run that
 * still holds the token it replaced, and so that a refused login is not repeated.
 */
const REMEMBERED = 60_000;

/**
 * Milliseconds that a caller without any token is given a remembered one: enough for items that read the
 * credential just before n8n stored the new token. Later, n8n's credential test shall prove the login anew.
 */
const SHARED_WITH_NEW_CALLERS = 10_000;

/** So many logins, and tokens of each, are remembered at most, the latest ones. */
const REMEMBERED_AT_MOST = 100;

interface Exchange {
	/** The new token. Rejects with a ServiceFailure. */
	token: Promise<string>;
	/** Undefined while it is under way. */
	outcome?: { at: number; token?: string };
	/**
	 * The tokens it came in place of. Whoever holds another one may have it from another process of n8n, which
	 * fetched it later.
	 */
	replaced: Set<unknown>;
}

/**
 * Token exchanges under way or just done. n8n loads this module once per process for all its users, so an
 * entry can be found only with base URL, username and password together; a keyed hash keeps them from being
 * read or guessed from memory.
 */
const exchanges = new Map<string, Exchange>();
const hashKey = randomBytes(32);

function forgetOld(now: number): void {
	for (const [key, { outcome }] of exchanges) {
		if (outcome && now - outcome.at >= REMEMBERED) exchanges.delete(key);
	}
	// A Map keeps the order of insertion
	for (const key of exchanges.keys()) {
		if (exchanges.size <= REMEMBERED_AT_MOST) break;
		exchanges.delete(key);
	}
}

function keyOf(baseUrl: BaseUrl, { username, password }: ICredentialDataDecryptedObject): string {
	return createHmac('sha256', hashKey)
		.update(JSON.stringify([baseUrl.url, username, password]))
		.digest('base64');
}

/**
 * Ties a token to the login it was issued for: when somebody edits the credential, n8n keeps the old token
 * in it, which must neither stand for another password nor go to another address. (The hash is stored with
 * the token, encrypted as that, hence without the key of this process.)
 */
function loginOf(baseUrl: BaseUrl, credentials: ICredentialDataDecryptedObject): string {
	const { username, password, accessToken } = credentials;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl.url, username, password, accessToken]))
		.digest('base64');
}

/** Whether this very token was issued a moment ago. */
function isFresh(baseUrl: BaseUrl, credentials: ICredentialDataDecryptedObject): boolean {
	const outcome = exchanges.get(keyOf(baseUrl, credentials))?.outcome;
	if (outcome?.token !== credentials.accessToken) return false;
	return outcome !== undefined && Date.now() - outcome.at < SHARED_WITH_NEW_CALLERS;
}

/** What n8n takes for an expired token: it asks for a new one and comes back with that. */
class TokenOutOfDate extends Error {
	readonly response = { status: 401 };

	constructor() {
		super('The access token belongs to another login');
	}
}

/**
 * A token that differs from the one the caller had (`''` for none), from one exchange for all who ask. A
 * refused login is answered from memory: accounts get locked.
 */
async function sharedExchange(
	key: string,
	refusedToken: unknown,
	exchange: () => Promise<string>,
): Promise<string> {
	const now = Date.now();
	forgetOld(now);
	const known = exchanges.get(key);
	if (known) {
		const { outcome, replaced } = known;
		if (!outcome) replaced.add(refusedToken);
		const age = outcome ? now - outcome.at : 0;
		const isNews = refusedToken === '' ? age < SHARED_WITH_NEW_CALLERS : replaced.has(refusedToken);
		if (!outcome || outcome.token === undefined || isNews) return await known.token;
	}

	const replaced = [...(known?.replaced ?? []), known?.outcome?.token, refusedToken];
	const entry: Exchange = {
		token: exchange(),
		replaced: new Set(replaced.slice(-REMEMBERED_AT_MOST)),
	};
	const forget = () => {
		if (exchanges.get(key) === entry) exchanges.delete(key);
	};
	exchanges.delete(key);
	exchanges.set(key, entry);
	try {
		const token = await entry.token;
		entry.outcome = { at: Date.now(), token };
		return token;
	} catch (failure) {
		// Only a refusal is worth remembering: a service that did not answer may do so the next moment
		if (failure instanceof ServiceFailure && isRefusal(failure)) entry.outcome = { at: Date.now() };
		else forget();
		throw failure;
	} finally {
		// Also where no other login follows, nothing stays in memory
		AbortSignal.timeout(REMEMBERED).addEventListener('abort', forget);
	}
}

function isRefusal({ httpStatus }: ServiceFailure): boolean {
	return httpStatus === 400 || httpStatus === 401 || httpStatus === 403;
}

/** The access token in an answer of the token endpoint (service.md, «Token response»), if it is one. */
function tokenIn({ statusCode, body }: Answer): string | undefined {
	if (statusCode < 200 || statusCode > 299 || typeof body !== 'object' || body === null) {
		return undefined;
	}
	const { access_token: token, token_type: type = 'Bearer' } = body as Record<string, unknown>;
	// Visible ASCII only: anything else has no place in a header
	if (typeof token !== 'string' || !/^[\x21-\x7E]+$/.test(token)) return undefined;
	return typeof type === 'string' && type.toLowerCase() === 'bearer' ? token : undefined;
}

/**
 * POST {base_url}/auth/token (service.md, «Obtain an access token»). `expires_in` has no stated unit and is
 * not read.
 *
 * @throws ServiceFailure
 */
async function requestToken(
	{ helpers }: IHttpRequestHelper,
	{ url }: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
): Promise<string> {
	const { username, password } = credentials;
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: `${url}/auth/token`,
		headers: { 'Content-Type': 'application/json', 'Api-Version': API_VERSION },
		body: { username, password },
		json: true,
		timeout: LOGIN_TIMEOUT,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would carry the password along
		disableFollowRedirect: true,
		skipSslCertificateValidation: credentials.allowUnauthorizedCerts === true,
	};
	const answer = await helpers.httpRequest(options).then(
		(response: IN8nHttpFullResponse) => response as unknown as Answer,
		// The original error holds the password and goes no further
		(error: unknown) => connectionFailure(error, url),
	);
	if (answer instanceof ServiceFailure) throw answer;
	const token = tokenIn(answer);
	if (token === undefined) throw tokenFailure(answer, [password]);
	return token;
}

/** Where a request goes, in either of n8n's two forms (`url`, `uri`); undefined where that is no address. */
function targetOf(options: IHttpRequestOptions & { uri?: string }): URL | undefined {
	const address = String(options.url ?? options.uri ?? '');
	const base = options.baseURL === undefined ? undefined : String(options.baseURL);
	return toUrl(address, base);
}

// By itself, because n8n's lint takes any field with «cert» in its name for a secret
const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		'Whether to connect even if the certificate of the service cannot be trusted. The password can then be read by others on the way.',
};

export class AquacultureApi implements ICredentialType {
	name = 'aquacultureApi';

	displayName = 'Aquaculture API';

	icon: Icon = {
		light: 'file:../icons/aquaculture.svg',
		dark: 'file:../icons/aquaculture.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#set-up-the-credential';

	httpRequestNode = {
		name: 'Aquaculture API',
		docsUrl:
			'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#other-endpoints-of-the-service',
		apiBaseUrlPlaceholder: 'https://api.example.com/meta/sites/1042',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of the service, as its operator gave it to you',
		},
		{
			displayName: 'Username',
			name: 'username',
			type: 'string',
			required: true,
			default: '',
			description: 'Issued by the service operator together with the password',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
		},
		ignoreSslIssues,
		{
			// Kept by n8n from one run to the next; masked, or n8n would show it to the browser
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Login of the Access Token',
			name: 'accessTokenLogin',
			type: 'hidden',
			typeOptions: { password: true },
			default: '',
		},
	];

	/**
	 * Exchanges username and password for a token. n8n calls it where it has no token, and again after a
	 * 401 (or, from the HTTP Request node, after any failed request).
	 *
	 * @throws ServiceFailure, whose message n8n's credential dialog shows
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const baseUrl = parseBaseUrl(credentials.baseUrl);
		const accessToken = await sharedExchange(
			keyOf(baseUrl, credentials),
			credentials.accessToken ?? '',
			async () => await requestToken(this, baseUrl, credentials),
		).catch((failure) => {
			loginFailures.set(credentials, failure);
			throw failure;
		});
		return { accessToken, accessTokenLogin: loginOf(baseUrl, { ...credentials, accessToken }) };
	}

	/**
	 * Adds the token, and the interface version where the request names none, if the request goes to the
	 * origin of the base URL (RFC 6454). Any other request is left as it is: the token never goes elsewhere,
	 * by a redirect neither.
	 *
	 * @throws TokenOutOfDate, upon which n8n exchanges the token
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const baseUrl = parseBaseUrl(credentials.baseUrl);
		const options = { ...requestOptions };
		const isTest = options.baseURL === credentials.baseUrl && options.url === TEST_PATH;
		if (isTest) options.baseURL = baseUrl.url;
		if (targetOf(options)?.origin !== baseUrl.origin) return options;

		const { accessTokenLogin: login = '' } = credentials;
		const isForeign = login !== '' && login !== loginOf(baseUrl, credentials);
		// A test shall prove the login, not only the token that n8n has kept
		if (isForeign || (isTest && !isFresh(baseUrl, credentials))) throw new TokenOutOfDate();

		const given = options.headers ?? {};
		const hasVersion = Object.keys(given).some((name) => name.toLowerCase() === 'api-version');
		options.headers = {
			...given,
			...(!hasVersion && { 'Api-Version': API_VERSION }),
			Authorization: `Bearer ${String(credentials.accessToken)}`,
		};
		options.sendCredentialsOnCrossOriginRedirect = false;
		if (credentials.allowUnauthorizedCerts === true) {
			options.agentOptions = { ...options.agentOptions, rejectUnauthorized: false };
		}
		return options;
	};

	/** Any answer that is no 401 shows that the token is accepted, whether or not there is a site 0. */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl}}',
			url: TEST_PATH,
			ignoreHttpStatusErrors: { ignore: true, except: [401, 502, 503, 504] },
			disableFollowRedirect: true,
			skipSslCertificateValidation: '={{$credentials.allowUnauthorizedCerts}}',
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						'The login worked, but the service does not accept the access token for site data. Ask the service operator whether this user may read it.',
				},
			},
			...[502, 503, 504].map((value) => ({
				type: 'responseCode' as const,
				properties: {
					value,
					message: `The login worked, but the service is not able to answer at the moment (status ${value}). Try again later.`,
				},
			})),
		],
	};
}
