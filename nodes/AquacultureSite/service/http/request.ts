// One request for a site through n8n, the login before it, and what differs in them between n8n 1.x and 2.x.
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { asFailure, ServiceFailure } from '../messages/failures';
import { logIn } from '../login/login';
import { outcomeOf } from '../messages/networkFailures';
import type { ServiceResponse } from '../messages/response';
import type { SitePart } from '../../site/site';
import { needsLogin } from '../login/tokens';
import type { Login } from '../login/tokens';

/** The status codes that come as errors from n8n 2.x, which alone show whether a proxy sent the response. */
const STATUSES_AS_ERRORS = Array.from({ length: 300 }, (_, index) => 300 + index).filter(
	// Otherwise n8n would log in again by itself
	(status) => status !== 401,
);

/** What n8n knows the credential by. */
export const CREDENTIAL = 'aquacultureApi';

/** What a node's execute() and a trigger's poll() get from n8n. */
export type Context = IExecuteFunctions | IPollFunctions;

/** What is requested of a site (docs/service.md#get-a-site). */
export interface SiteRequest {
	/** Digits only, see siteIds.ts. */
	siteId: string;
	parts: readonly SitePart[];
	/** A date, YYYY-MM-DD (docs/service.md#versioning). */
	apiVersion: string;
	/** Milliseconds that the response may take, a login aside. */
	timeout: number;
}

/** The bounds of one request. */
export interface RequestBounds {
	/** Ends the request. */
	signal: AbortSignal;
	/** Gives the request this many milliseconds from now on. */
	setDeadline: (milliseconds: number) => void;
}

/**
 * Sends one request with the token, after a login if there is none. Every response is returned, whatever its status;
 * redirects are not followed.
 *
 * @param credentials decrypted; n8n writes a renewed token into them
 * @param bounds `onLogin` is told what came of a login, if there was one
 */
export type Send = (
	credentials: ICredentialDataDecryptedObject,
	request: SiteRequest,
	bounds: RequestBounds & { onLogin: (result: Login | ServiceFailure) => void },
) => Promise<ServiceResponse | ServiceFailure>;

/**
 * What sends the requests of a node.
 *
 * @param url the base URL
 */
export function senderOf(context: Context, url: string): Send {
	// A test event is for a person who waits
	const isPoll = 'getActivationMode' in context && context.getMode() !== 'manual';
	return async (credentials, request, { signal, setDeadline, onLogin }) => {
		const { siteId, parts, apiVersion, timeout } = request;
		if (needsLogin(credentials)) {
			// Before n8n does, which then finds the result remembered, and stores it: n8n 1.x loses the failure of a login
			const login = await logIn(context, credentials, isPoll).catch(asFailure);
			onLogin(login);
			if (login instanceof ServiceFailure) return login;
		}
		setDeadline(timeout);
		const include = parts.length > 0 ? `?$include=${parts.join(',')}` : '';
		const response = context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL,
			{
				url: `${url}/meta/sites/${siteId}${include}`,
				headers: { 'Api-Version': apiVersion },
				json: true,
				timeout,
				returnFullResponse: true,
				// Every response is put into our own words, and n8n 1.x and 2.x do not do the same with a 401
				ignoreHttpStatusErrors: { ignore: true, except: STATUSES_AS_ERRORS },
				disableFollowRedirect: true,
			},
			// Without it, n8n would read and decrypt the credential for each request
			{ credentialsDecrypted: { data: credentials } as ICredentialsDecrypted },
		);
		return await outcomeOf(response, url);
	};
}

/** n8n overwrites a signal among the options by that of the execution; so ours goes in as the latter. */
function withSignal(context: Context, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}
