// The test of the credential, and its messages.
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { toWords } from '../messages/advice';
import { API_VERSION } from '../login/apiVersion';
import { parseBaseUrl } from '../login/baseUrl';
import { asFailure, ServiceFailure } from '../messages/failures';
import { logIn } from '../login/login';
import { connectionFailure, outcomeOf } from '../messages/networkFailures';
import { readTestResponse } from '../messages/response';
import type { ServiceResponse } from '../messages/response';
import { after } from '../../utils/timer';

/** Milliseconds that a whole test may take: somebody waits for it. */
const TEST_TIMEOUT_MS = 25_000;

/** No service counts from it, and no ID of a real site is needed to see whether the token is accepted. */
const TEST_SITE = '0';

/**
 * n8n's test of the credential, run when somebody saves it: logs in and reads site data with the new token.
 * A function and not n8n's declarative `test`, which can tell neither a redirect nor a web page from data,
 * shows network failures as bare codes, has no end if a service hangs, and on n8n 1.x requests no data.
 *
 * @returns what the dialog shows, which is the message alone: it holds the advice, too
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data: credentials = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	let isLoggedIn = false;
	const late = new Promise<void>((resolve) => after(TEST_TIMEOUT_MS, resolve)).then(() => {
		const url = parseBaseUrl(credentials.baseUrl);
		return connectionFailure(['ETIMEDOUT'], url, isLoggedIn ? 'request' : 'run');
	});
	const read = readTestSite(toHttpHelper(this.helpers), credentials, () => (isLoggedIn = true));
	const failure = await Promise.race([read, late]).catch(asFailure);
	return failure
		? { status: 'Error', message: toDialogMessage(failure, isLoggedIn) }
		: { status: 'OK', message: 'Connection successful!' };
}

/** A credential test gets none of n8n's other request helpers. It obeys the same proxies and protections. */
function toHttpHelper({ request }: ICredentialTestFunctions['helpers']): IHttpRequestHelper {
	const httpRequest = async (options: IHttpRequestOptions): Promise<ServiceResponse> => {
		const { url, skipSslCertificateValidation, ...others } = options;
		const response = (await request({
			...others,
			uri: url,
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			...(skipSslCertificateValidation && { rejectUnauthorized: false }),
		})) as ServiceResponse;
		// The helper returns a body that broke off as if it were empty, but then without the request
		if (response.request) return response;
		throw Object.assign(new Error('The body broke off'), { code: 'ECONNRESET' });
	};
	return { helpers: { httpRequest } };
}

/**
 * Logs in and reads site data, with another token if the first is rejected, as a run does.
 *
 * @throws ServiceFailure if the login fails
 */
async function readTestSite(
	{ helpers }: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	onLogin: () => void,
): Promise<ServiceFailure | undefined> {
	const url = parseBaseUrl(credentials.baseUrl);
	const secrets = [credentials.password];
	let { accessToken = '' } = credentials;
	for (;;) {
		({ accessToken } = await logIn({ helpers }, { ...credentials, accessToken }));
		onLogin();
		secrets.push(accessToken);
		const options: IHttpRequestOptions = {
			url: `${url}/meta/sites/${TEST_SITE}`,
			headers: { 'Api-Version': API_VERSION, Authorization: `Bearer ${accessToken}` },
			json: true,
			timeout: TEST_TIMEOUT_MS,
			skipSslCertificateValidation: credentials.allowUnauthorizedCerts === true,
		};
		const response = await outcomeOf(helpers.httpRequest(options), url);
		if (response instanceof ServiceFailure) return response;
		if (response.statusCode === 401 && secrets.length < 3) continue;
		return readTestResponse(TEST_SITE, response, secrets);
	}
}

function toDialogMessage({ message, advice }: ServiceFailure, isLoggedIn: boolean): string {
	const first = message.charAt(0).toLowerCase();
	const what = isLoggedIn ? `The login succeeded, but ${first}${message.slice(1)}` : message;
	// Its reader has the credential open, and no options
	return `${what}. ${toWords(advice, {})}`;
}
