import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { API_VERSION } from './apiVersion';
import { parseBaseUrl, toUrl } from './baseUrl';
import { tellAuthorized } from './request';
import { belongsToOtherLogin } from './tokens';

/** n8n takes it for an expired token: it requests a new one and tries again with that. */
class TokenOutOfDate extends Error {
	readonly response = { status: 401 };

	constructor() {
		super('The access token belongs to another login');
	}
}

/** Where a request goes, in either of n8n's two forms (`url`, `uri`); undefined if that is not an address. */
function targetOf(options: IHttpRequestOptions & { uri?: string }): URL | undefined {
	return toUrl(options.url || (options.uri ?? ''), options.baseURL);
}

/**
 * The request with the token, and with the interface version unless it names one, if it goes to the origin of
 * the base URL (RFC 6454). Any other request is left as it is: the token never goes elsewhere, not by a
 * redirect either.
 *
 * @throws ServiceFailure if the base URL is not an address; TokenOutOfDate, upon which n8n renews the token
 */
export function authorize(
	credentials: ICredentialDataDecryptedObject,
	requestOptions: IHttpRequestOptions,
): IHttpRequestOptions {
	const baseUrl = parseBaseUrl(credentials.baseUrl);
	const options = { ...requestOptions };
	if (targetOf(options)?.origin !== baseUrl.origin) return options;
	if (belongsToOtherLogin(baseUrl, credentials)) throw new TokenOutOfDate();

	const { accessToken } = credentials;
	const given = options.headers ?? {};
	const hasVersion = Object.keys(given).some((name) => name.toLowerCase() === 'api-version');
	options.headers = {
		...given,
		...(!hasVersion && { 'Api-Version': API_VERSION }),
		Authorization: `Bearer ${typeof accessToken === 'string' ? accessToken : ''}`,
	};
	options.sendCredentialsOnCrossOriginRedirect = false;
	if (credentials.allowUnauthorizedCerts === true) {
		options.agentOptions = { ...options.agentOptions, rejectUnauthorized: false };
	}
	tellAuthorized(credentials);
	return options;
}
