import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IPollFunctions,
} from 'n8n-workflow';

import { API_VERSION } from './apiVersion';
import { parseBaseUrl } from './baseUrl';
import type { BaseUrl } from './baseUrl';
import { ServiceFailure } from './failures';
import { networkFailure, responseIn, toServiceResponse } from './networkErrors';
import type { N8nResponse } from './networkErrors';
import { pastedText } from './pastedText';
import { tokenFailure, tokenIn } from './response';
import type { ServiceResponse } from './response';
import { fingerprintOf, sharedToken } from './tokens';
import type { SharedToken } from './tokens';

/** The status codes that come as errors from n8n 2.x, which alone show whether a proxy sent the response. */
const STATUSES_AS_ERRORS = Array.from({ length: 300 }, (_, index) => 300 + index).filter(
	// Otherwise n8n would log in again by itself
	(status) => status !== 401,
);

/** What n8n knows the credential by. */
export const CREDENTIAL = 'aquacultureApi';

/** Milliseconds that a login may take. */
const LOGIN_TIMEOUT_MS = 30_000;

/** What a node's execute() and a trigger's poll() get from n8n. */
export type Context = IExecuteFunctions | IPollFunctions;

/** What a login brings: what n8n stores with the credential, or what it failed with. */
export type LoginResult = Login | ServiceFailure;

interface Login {
	accessToken: string;
	tokenFingerprint: string;
	/** Milliseconds since the token was issued: others may have logged in before. */
	age: number;
}

/**
 * What a login tells the request that needs it, by the credentials that n8n hands from one to the other.
 * (n8n 1.x loses the error that a login throws.)
 */
interface LoginListener {
	started: () => void;
	ended: (result: LoginResult) => void;
	/** n8n has stored the token, and sends the request. */
	authorized: () => void;
}
const listeners = new WeakMap<object, LoginListener>();

/** To be called by n8n's `authenticate`. */
export function tellAuthorized(credentials: ICredentialDataDecryptedObject): void {
	listeners.get(credentials)?.authorized();
}

/**
 * Exchanges username and password for a token, to be called by n8n's `preAuthentication`.
 *
 * @returns what n8n stores with the credential
 * @throws ServiceFailure, whose message n8n's credential dialog shows
 */
export async function logIn(
	helper: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const listener = listeners.get(credentials);
	listener?.started();
	const { token: accessToken, age } = await exchange(helper, credentials).catch(
		(failure: unknown) => {
			if (failure instanceof ServiceFailure) listener?.ended(failure);
			throw failure;
		},
	);
	const baseUrl = parseBaseUrl(credentials.baseUrl);
	const tokenFingerprint = fingerprintOf(baseUrl, { ...credentials, accessToken });
	listener?.ended({ accessToken, tokenFingerprint, age });
	return { accessToken, tokenFingerprint };
}

async function exchange(
	helper: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
): Promise<SharedToken> {
	const baseUrl = parseBaseUrl(credentials.baseUrl);
	const { username, password } = credentials;
	const login = {
		username: pastedText(requireText(username, 'Username')),
		// A space may belong to it
		password: requireText(password, 'Password'),
	};
	return await sharedToken(baseUrl, credentials, async () => {
		const insecure = credentials.allowUnauthorizedCerts === true;
		return await requestToken(helper, baseUrl, login, insecure);
	});
}

/** @throws ServiceFailure if it is empty: the service would count it as a failed login */
function requireText(value: unknown, displayName: string): string {
	if (pastedText(value) !== '') return String(value);
	throw new ServiceFailure(
		`'${displayName}' is empty`,
		[
			{ inCredential: `enter '${displayName}'.` },
			'If an expression supplies it, check that it returns text.',
		],
		{ subject: 'credential', scope: 'run' },
	);
}

/** POST {base_url}/auth/token (docs/service.md#obtain-an-access-token). */
async function requestToken(
	{ helpers }: IHttpRequestHelper,
	{ url }: BaseUrl,
	login: { username: string; password: string },
	insecure: boolean,
): Promise<string> {
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: `${url}/auth/token`,
		headers: { 'Content-Type': 'application/json', 'Api-Version': API_VERSION },
		body: login,
		json: true,
		timeout: LOGIN_TIMEOUT_MS,
		returnFullResponse: true,
		// A redirect would carry the password along
		disableFollowRedirect: true,
		skipSslCertificateValidation: insecure,
	};
	const response = await helpers.httpRequest(options).then(
		(full: N8nResponse) => toServiceResponse(full),
		// The original error holds the password and goes no further
		(error: unknown) => responseIn(error) ?? networkFailure(error, url, 'run'),
	);
	if (response instanceof ServiceFailure) throw response;
	const token = tokenIn(response);
	if (token === undefined) throw tokenFailure(response, { url, password: login.password });
	return token;
}

/** A request for a site; `timeout` is the milliseconds that a response may take, a login aside. */
export type SiteRequestOptions = IHttpRequestOptions & { timeout: number };

/** The bounds of one request. */
export interface RequestBounds {
	/** Ends the request. */
	signal: AbortSignal;
	/** Gives the request this many milliseconds from now on. */
	setDeadline: (milliseconds: number) => void;
}

/**
 * Sends one request with the token, after a login where n8n has no token. Every response is returned, whatever
 * its status; redirects are not followed.
 *
 * @param credentials decrypted; n8n writes a renewed token into them
 * @param url the base URL, for the description of a failure
 * @param bounds `onLogin` is told of a login that failed, or when the request is sent with the new token
 */
export async function sendWithCredential(
	context: Context,
	credentials: ICredentialDataDecryptedObject,
	url: string,
	requestOptions: SiteRequestOptions,
	{ signal, setDeadline, onLogin }: RequestBounds & { onLogin: (result: LoginResult) => void },
): Promise<ServiceResponse | ServiceFailure> {
	const { timeout } = requestOptions;
	let login: LoginResult | undefined;
	const options: IHttpRequestOptions = {
		...requestOptions,
		returnFullResponse: true,
		// Every response is put into our own words, and n8n 1.x and 2.x do not do the same with a 401
		ignoreHttpStatusErrors: { ignore: true, except: STATUSES_AS_ERRORS },
		disableFollowRedirect: true,
		skipSslCertificateValidation: credentials.allowUnauthorizedCerts === true,
	};
	const listener: LoginListener = {
		started: () => setDeadline(LOGIN_TIMEOUT_MS + timeout),
		ended: (result) => {
			setDeadline(timeout);
			login = result;
			if (result instanceof ServiceFailure) onLogin(result);
		},
		authorized: () => {
			if (login && !(login instanceof ServiceFailure)) onLogin(login);
		},
	};
	listeners.set(credentials, listener);
	setDeadline(timeout);
	try {
		return (await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL,
			options,
			// Without it, n8n would read and decrypt the credential for each request
			{ credentialsDecrypted: { data: credentials } as ICredentialsDecrypted },
		)) as ServiceResponse;
	} catch (error) {
		if (login instanceof ServiceFailure) return login;
		return responseIn(error) ?? networkFailure(error, url);
	}
}

/** n8n overwrites a signal among the options by that of the execution; so ours goes in as the latter. */
function withSignal(context: Context, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/** Shows hints above the node's output; older n8n 1.x has none. */
export function addExecutionHints(context: IExecuteFunctions, messages: string[]): void {
	// n8n's types promise it for all versions
	const { addExecutionHints: add } = context as Partial<IExecuteFunctions>;
	add?.call(context, ...messages.map((message) => ({ message, location: 'outputPane' as const })));
}
