// The test of the credential, and its messages.
import type {
	ICredentialTestFunction,
	ICredentialTestFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { toWords } from '../messages/advice';
import { parseBaseUrl } from '../login/baseUrl';
import { asFailure, ServiceFailure } from '../messages/failures';
import { logIn } from '../login/login';
import { connectionFailure, outcomeOf } from '../messages/networkFailures';
import { readTestResponse } from '../messages/response';
import type { ServiceResponse } from '../messages/response';
import { after } from '../../utils/timer';
import { authorize } from './authorization';

/** Milliseconds that a whole test may take: somebody waits for it. */
const TEST_TIMEOUT_MS = 25_000;

/** No service counts from it, and no ID of a real site is needed to see whether the token is accepted. */
const TEST_SITE = '0';

/**
 * n8n's test of the credential, run when somebody saves it: logs in and reads site data with the new token, or with
 * another one if it is rejected, as a run does.
 * A function and not n8n's declarative `test`, which can tell neither a redirect nor a web page from data,
 * shows network failures as bare codes, has no end if a service hangs, and on n8n 1.x requests no data.
 *
 * @returns what the dialog shows, which is the message alone: it holds the advice, too
 */
export const testCredential: ICredentialTestFunction = async function ({ data = {} }) {
	const { helpers } = toHttpHelper(this.helpers);
	const secrets = [data.password];
	const isLoggedIn = () => secrets.length > 1;
	const readTestSite = async () => {
		const url = parseBaseUrl(data.baseUrl);
		const request = { url: `${url}/meta/sites/${TEST_SITE}`, json: true, timeout: TEST_TIMEOUT_MS };
		let credentials = data;
		for (;;) {
			credentials = { ...data, ...(await logIn({ helpers }, credentials)) };
			secrets.push(credentials.accessToken);
			const response = await outcomeOf(helpers.httpRequest(authorize(credentials, request)), url);
			if (response instanceof ServiceFailure) return response;
			if (response.statusCode === 401 && secrets.length < 3) continue;
			return readTestResponse(TEST_SITE, response, secrets);
		}
	};
	const late = new Promise<void>((resolve) => after(TEST_TIMEOUT_MS, resolve)).then(() =>
		connectionFailure(['ETIMEDOUT'], parseBaseUrl(data.baseUrl), isLoggedIn() ? 'request' : 'run'),
	);
	const failure = await Promise.race([readTestSite(), late]).catch(asFailure);
	if (!failure) return { status: 'OK', message: 'Connection successful!' };
	const { message, advice } = failure;
	const what = isLoggedIn()
		? `The login succeeded, but ${message.charAt(0).toLowerCase()}${message.slice(1)}`
		: message;
	// Its reader has the credential open, and no options
	return { status: 'Error', message: `${what}. ${toWords(advice, {})}` };
};

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
