// One login: username and password in exchange for a token.
import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';

import { API_VERSION } from './apiVersion';
import { parseBaseUrl, pastedText, requireText } from './baseUrl';
import { ServiceFailure } from '../messages/failures';
import { outcomeOf } from '../messages/networkFailures';
import { readTokenResponse } from '../messages/response';
import { sharedLogin } from './tokens';
import type { Login } from './tokens';

/** Milliseconds that a login may take. */
const LOGIN_TIMEOUT_MS = 30_000;

/**
 * Exchanges username and password for a token: POST {base_url}/auth/token
 * (docs/service.md#obtain-an-access-token), once for all who ask at the same time.
 *
 * @param isPoll whether a trigger polls, and nobody waits for it
 * @throws ServiceFailure
 */
export async function logIn(
	{ helpers }: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	isPoll = false,
): Promise<Login> {
	const url = parseBaseUrl(credentials.baseUrl);
	const username = pastedText(requireText(credentials.username, 'Username'));
	// A space may belong to it
	const password = requireText(credentials.password, 'Password');
	const requestToken = async () => {
		const sent = helpers.httpRequest({
			method: 'POST',
			url: `${url}/auth/token`,
			headers: { 'Content-Type': 'application/json', 'Api-Version': API_VERSION },
			body: { username, password },
			json: true,
			timeout: LOGIN_TIMEOUT_MS,
			// The timeout ends with the headers; the signal ends a body that goes on and on
			abortSignal: AbortSignal.timeout(LOGIN_TIMEOUT_MS),
			returnFullResponse: true,
			// A redirect would carry the password along
			disableFollowRedirect: true,
			skipSslCertificateValidation: credentials.allowUnauthorizedCerts === true,
		});
		// The original error holds the password and goes no further
		const response = await outcomeOf(sent, url, 'run');
		if (response instanceof ServiceFailure) throw response;
		const token = readTokenResponse(response, { url, password });
		if (token instanceof ServiceFailure) throw token;
		return token;
	};
	return await sharedLogin(url, credentials, requestToken, isPoll);
}
