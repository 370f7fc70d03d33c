// Adds the token to requests, but only to requests to the service.
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { API_VERSION } from '../login/apiVersion';
import { toUrl } from '../../utils/url';
import { parseBaseUrl } from '../login/baseUrl';
import { belongsToOtherLogin } from '../login/tokens';

/**
 * The request with the token, and with the interface version unless it names one, if it goes to the origin of
 * the base URL (RFC 6454). Any other request is left as it is: the token never goes elsewhere, not by a
 * redirect either.
 *
 * @param request in either of n8n's two forms, with `url` or `uri`
 * @throws ServiceFailure if the base URL is not an address; what n8n takes for an expired token if it is out of date
 */
export function authorize(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions & { uri?: string },
): IHttpRequestOptions {
	const url = parseBaseUrl(credentials.baseUrl);
	const target = toUrl(String(request.url || request.uri), request.baseURL);
	if (target?.origin !== new URL(url).origin) return request;
	if (belongsToOtherLogin(url, credentials)) {
		// n8n requests a new one and tries again with that
		const response = { status: 401 };
		throw Object.assign(new Error('The access token belongs to another login'), { response });
	}

	const { headers = {}, agentOptions } = request;
	const hasVersion = Object.keys(headers).some((name) => name.toLowerCase() === 'api-version');
	return {
		...request,
		headers: {
			...headers,
			...(!hasVersion && { 'Api-Version': API_VERSION }),
			Authorization: `Bearer ${credentials.accessToken as string}`,
		},
		sendCredentialsOnCrossOriginRedirect: false,
		...(credentials.allowUnauthorizedCerts === true && {
			agentOptions: { ...agentOptions, rejectUnauthorized: false },
			// The same for n8n 1.x
			skipSslCertificateValidation: true,
		}),
	};
}
