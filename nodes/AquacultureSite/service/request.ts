import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';

import { API_VERSION } from './apiVersion';
import { parseBaseUrl } from './baseUrl';
import type { BaseUrl } from './baseUrl';
import { connectionFailure, notSent, ServiceFailure } from './failures';
import type { FailureScope } from './failures';
import { tokenFailure, tokenIn } from './response';
import type { ServiceResponse } from './response';
import { sharedToken, tokenFingerprint } from './tokens';

/** What n8n knows the credential by. */
export const CREDENTIAL = 'aquacultureApi';

/** Milliseconds that a login may take. */
export const LOGIN_TIMEOUT_MS = 30_000;

/** What a node's execute() and a trigger's poll() get from n8n. */
export type Context = IExecuteFunctions | IPollFunctions;

/** Why a login failed, by the credential that n8n handed on: n8n 1.x loses the error that was thrown. */
const loginFailures = new WeakMap<object, ServiceFailure>();

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
	const baseUrl = parseBaseUrl(credentials.baseUrl);
	const accessToken = await sharedToken(
		baseUrl,
		credentials,
		async () => await requestToken(helper, baseUrl, credentials),
	).catch((failure: unknown) => {
		if (failure instanceof ServiceFailure) loginFailures.set(credentials, failure);
		throw failure;
	});
	return {
		accessToken,
		accessTokenLogin: tokenFingerprint(baseUrl, { ...credentials, accessToken }),
	};
}

/** POST {base_url}/auth/token (docs/service.md#obtain-an-access-token). */
async function requestToken(
	{ helpers }: IHttpRequestHelper,
	{ url }: BaseUrl,
	{ username, password, allowUnauthorizedCerts }: ICredentialDataDecryptedObject,
): Promise<string> {
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: `${url}/auth/token`,
		headers: { 'Content-Type': 'application/json', 'Api-Version': API_VERSION },
		body: { username, password },
		json: true,
		timeout: LOGIN_TIMEOUT_MS,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would carry the password along
		disableFollowRedirect: true,
		skipSslCertificateValidation: allowUnauthorizedCerts === true,
	};
	const response = await helpers.httpRequest(options).then(
		(full: IN8nHttpFullResponse) => full as unknown as ServiceResponse,
		// The original error holds the password and goes no further
		(error: unknown) => networkFailure(error, url, 'login'),
	);
	if (response instanceof ServiceFailure) throw response;
	const token = tokenIn(response);
	if (token === undefined) throw tokenFailure(response, [password]);
	return token;
}

/**
 * Sends one request with the token, after a login where n8n has no token or the service rejects it. Every
 * response is returned, whatever its status; redirects are not followed.
 *
 * @param credentials decrypted; n8n writes a renewed token into them
 * @param baseUrl for the description of a failure
 * @param signal ends the request
 */
export async function sendWithCredential(
	context: Context,
	credentials: ICredentialDataDecryptedObject,
	{ url }: BaseUrl,
	requestOptions: IHttpRequestOptions,
	signal: AbortSignal,
): Promise<ServiceResponse | ServiceFailure> {
	const options: IHttpRequestOptions = {
		...requestOptions,
		returnFullResponse: true,
		// Every response is put into our own words; only a 401 must reach n8n, which then renews the token
		ignoreHttpStatusErrors: { ignore: true, except: [401] },
		disableFollowRedirect: true,
		skipSslCertificateValidation: credentials.allowUnauthorizedCerts === true,
	};
	const send = async (how: IHttpRequestOptions) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL,
			how,
			// Without it, n8n would read and decrypt the credential for each request
			{ credentialsDecrypted: { data: credentials } as ICredentialsDecrypted },
		)) as ServiceResponse;
	try {
		const response = await send(options);
		// n8n 1.x knows no exception from `ignore`: there, a 401 comes as any other response
		return response.statusCode === 401
			? await send({ ...options, ignoreHttpStatusErrors: false })
			: response;
	} catch (error) {
		return loginFailures.get(credentials) ?? thrownResponse(error) ?? networkFailure(error, url);
	}
}

/** n8n overwrites a signal among the options by that of the execution; so ours goes in as the latter. */
function withSignal(context: Context, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/** The response that n8n threw: a 401, in n8n 1.x any after it. n8n keeps no more of it than status and body. */
function thrownResponse(error: unknown): ServiceResponse | undefined {
	const { httpCode, context } = error as {
		httpCode?: string | null;
		context?: { data?: unknown };
	};
	const statusCode = Number(httpCode);
	return statusCode >= 400 ? { statusCode, headers: {}, body: context?.data } : undefined;
}

/** Only the codes of the error and n8n's own refusals are read: the error of a request carries the request. */
function networkFailure(error: unknown, url: string, scope?: FailureScope): ServiceFailure {
	const codes = errorCodes(error);
	if (codes.length > 0) return connectionFailure(codes, url, scope);
	return notSent(error instanceof Error ? error.message : '', url, scope);
}

function errorCodes(error: unknown, depth = 0): string[] {
	if (depth > 5 || error === null || typeof error !== 'object') return [];
	// n8n 1.x keeps the code of the network as `httpCode`, and nothing else of the error
	const { code, httpCode, cause, errors } = error as Record<string, unknown>;
	return [
		...[code, httpCode].filter(
			(value): value is string => typeof value === 'string' && /^[A-Z]/.test(value),
		),
		...errorCodes(cause, depth + 1),
		...(Array.isArray(errors) ? errors.flatMap((entry) => errorCodes(entry, depth + 1)) : []),
	];
}

/** Shows hints above the node's output; older n8n 1.x has none. */
export function addExecutionHints(context: IExecuteFunctions, messages: string[]): void {
	// n8n's types promise it for all versions
	const { addExecutionHints: add } = context as Partial<IExecuteFunctions>;
	add?.call(context, ...messages.map((message) => ({ message, location: 'outputPane' as const })));
}
