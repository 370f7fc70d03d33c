import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { toWords } from './advice';
import { API_VERSION } from './apiVersion';
import { parseBaseUrl } from './baseUrl';
import type { BaseUrl } from './baseUrl';
import { connectionFailure } from './connectionFailures';
import { ServiceFailure } from './failures';
import { networkFailure, responseIn, toServiceResponse } from './networkErrors';
import type { N8nResponse } from './networkErrors';
import { serverMessage } from './serverMessage';
import { logIn } from './request';
import { isWebPage, readSiteResponse } from './response';
import type { ServiceResponse } from './response';
import { after } from './timer';

/** Milliseconds that a whole test may take: somebody waits for it. */
const TEST_TIMEOUT_MS = 25_000;

/** No service counts from it, and no ID of a real site is needed to see whether the token is accepted. */
const TEST_SITE = '0';

/**
 * What a service that works may well respond to a request for a site that does not exist: all of them mean
 * that it has accepted the token (RFC 9110, section 15.5.4 for 403).
 */
const UNKNOWN_SITE = [400, 403, 404, 410, 422];

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
	const progress = { isLoggedIn: false };
	const failure = await Promise.race([
		readAsCredential(toHttpHelper(this.helpers), credentials, progress),
		timeOver(credentials, progress),
	]).catch((error: unknown) => {
		if (error instanceof ServiceFailure) return error;
		throw error;
	});
	return failure
		? { status: 'Error', message: toDialogMessage(failure, progress.isLoggedIn) }
		: { status: 'OK', message: 'Connection successful!' };
}

/** A credential test gets none of n8n's other request helpers. It obeys the same proxies and protections. */
function toHttpHelper({ request }: ICredentialTestFunctions['helpers']): IHttpRequestHelper {
	const httpRequest = async (options: IHttpRequestOptions): Promise<N8nResponse> => {
		const { url, skipSslCertificateValidation, ...others } = options;
		const response = (await request({
			...others,
			uri: url,
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			...(skipSslCertificateValidation && { rejectUnauthorized: false }),
		})) as N8nResponse;
		// The helper returns a body that broke off as if it were empty, but then without the request
		if (!response.request) throw new BrokenOff();
		return response;
	};
	return { helpers: { httpRequest } };
}

class BrokenOff extends Error {
	readonly code = 'ECONNRESET';
}

async function timeOver(
	{ baseUrl }: ICredentialDataDecryptedObject,
	progress: { isLoggedIn: boolean },
): Promise<ServiceFailure> {
	await new Promise<void>((resolve) => after(TEST_TIMEOUT_MS, resolve));
	const scope = progress.isLoggedIn ? 'request' : 'run';
	return connectionFailure(['ETIMEDOUT'], parseBaseUrl(baseUrl).url, scope);
}

/** Logs in and reads site data, with another token if the first is rejected, as a run does. */
async function readAsCredential(
	helper: IHttpRequestHelper,
	credentials: ICredentialDataDecryptedObject,
	progress: { isLoggedIn: boolean },
): Promise<ServiceFailure | undefined> {
	const baseUrl = parseBaseUrl(credentials.baseUrl);
	const secrets = [credentials.password];
	let held = credentials;
	let response: ServiceResponse | undefined;
	while (!response || (response.statusCode === 401 && secrets.length < 3)) {
		const { accessToken } = (await logIn(helper, held)) as { accessToken: string };
		progress.isLoggedIn = true;
		secrets.push(accessToken);
		held = { ...credentials, accessToken };
		const result = await readTestSite(helper, baseUrl, held);
		if (result instanceof ServiceFailure) return result;
		response = result;
	}
	return dataFailure(response, secrets);
}

async function readTestSite(
	{ helpers }: IHttpRequestHelper,
	{ url }: BaseUrl,
	{ accessToken, allowUnauthorizedCerts }: ICredentialDataDecryptedObject,
): Promise<ServiceResponse | ServiceFailure> {
	const options: IHttpRequestOptions = {
		method: 'GET',
		url: `${url}/meta/sites/${TEST_SITE}`,
		headers: { 'Api-Version': API_VERSION, Authorization: `Bearer ${accessToken as string}` },
		json: true,
		timeout: TEST_TIMEOUT_MS,
		skipSslCertificateValidation: allowUnauthorizedCerts === true,
	};
	return await helpers
		.httpRequest(options)
		.then((full: N8nResponse) => toServiceResponse(full))
		.catch((error: unknown) => responseIn(error) ?? networkFailure(error, url));
}

/** Why a run could not read data, by the response for a site that does not exist. */
function dataFailure(response: ServiceResponse, secrets: unknown[]): ServiceFailure | undefined {
	const { statusCode, body } = response;
	// A web page says nothing about the token
	const isPage = isWebPage(body);
	const unauthorized = isPage ? 'site' : 'token';
	const result = readSiteResponse(TEST_SITE, response, { secrets, unauthorized });
	if (!(result instanceof ServiceFailure)) return undefined;
	const isRejected = !isPage && isTokenRejected(response);
	if (!isRejected) {
		if (result.subject !== 'site') return result;
		if (UNKNOWN_SITE.includes(statusCode) && !isPage) return undefined;
	}

	// Nobody has asked for this site
	const [message, advice] = isRejected ? TOKEN_REJECTED : withoutSite(response);
	const quote = serverMessage(body, secrets);
	const steps = quote === '' ? [advice] : [advice, `The service says: "${quote}"`];
	return new ServiceFailure(message, steps, { subject: 'service', httpStatus: statusCode });
}

/** A message and its advice. */
type Words = [message: string, advice: string];

const TOKEN_REJECTED: Words = [
	'The service rejected the access token for site data',
	'Ask the service operator whether this user may read it.',
];

/** By the status, or by the reason that goes with it (RFC 6750, section 3.1). */
function isTokenRejected({ statusCode, headers }: ServiceResponse): boolean {
	const challenge = headers['www-authenticate'];
	const names = (reason: string) => typeof challenge === 'string' && challenge.includes(reason);
	return statusCode === 401 || (statusCode === 403 && names('insufficient_scope'));
}

function withoutSite({ statusCode, body }: ServiceResponse): Words {
	const callOperator = "Check 'Base URL'; if it is right, contact the service operator.";
	if (isWebPage(body)) {
		return [
			'The service returned a web page instead of site data',
			"Check 'Base URL': it must be the address of the data service, not of its website. A proxy or your network's login page may be responding instead.",
		];
	}
	if (statusCode >= 400) {
		return [`The service refused to send site data (status ${statusCode})`, callOperator];
	}
	if (body === undefined || body === null || body === '') {
		return ['The response to a request for site data was empty', callOperator];
	}
	return ['The response to a request for site data contained no site', callOperator];
}

function toDialogMessage({ message, advice }: ServiceFailure, isLoggedIn: boolean): string {
	const [first = '', ...rest] = message;
	const what = isLoggedIn
		? `The login succeeded, but ${first.toLowerCase()}${rest.join('')}`
		: message;
	// Its reader has the credential open, and no options
	return `${what}. ${toWords(advice, {})}`;
}
