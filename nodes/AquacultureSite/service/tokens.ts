import { createHash, createHmac, randomBytes } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { BaseUrl } from './baseUrl';
import { FAILED_LOGIN_PAUSE_MS, ServiceFailure } from './failures';

/**
 * Milliseconds that the result of a token exchange is remembered: long enough for every item of a run that
 * still holds the token it replaced, and so that a rejected login is not repeated.
 */
const REMEMBERED_MS = 60_000;

/**
 * Milliseconds that a caller without any token is given a remembered one: enough for items that read the
 * credential just before n8n stored the new token. Later, n8n's credential test must prove the login anew.
 */
const SHARED_WITH_NEW_CALLERS_MS = 10_000;

/** The most logins that are remembered, and the most tokens of each; the latest ones stay. */
const MAX_REMEMBERED = 100;

interface Exchange {
	/** The new token. Rejects with a ServiceFailure. */
	token: Promise<string>;
	/** Undefined while it is under way; without a token where the login failed. */
	settled?: { at: number; token?: string };
	/**
	 * The tokens it replaced. Whoever holds another one may have it from another process of n8n, which
	 * fetched it later.
	 */
	replaced: Set<unknown>;
}

/**
 * Token exchanges under way or just settled. n8n loads this module once per process for all its users, so an
 * entry can be found only with base URL, username and password together; a keyed hash keeps them from being
 * read or guessed from memory.
 */
const exchanges = new Map<string, Exchange>();
const hashKey = randomBytes(32);

function cacheKey(
	baseUrl: BaseUrl,
	{ username, password }: ICredentialDataDecryptedObject,
): string {
	return createHmac('sha256', hashKey)
		.update(JSON.stringify([baseUrl.url, username, password]))
		.digest('base64');
}

/**
 * Ties a token to the login it was issued for: when somebody edits the credential, n8n keeps the old token
 * in it, which must neither stand for another password nor go to another address. (The hash is stored
 * encrypted beside the token and outlives this process, so it is made without the process's key.)
 */
export function tokenFingerprint(
	baseUrl: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
): string {
	const { username, password, accessToken } = credentials;
	return createHash('sha256')
		.update(JSON.stringify([baseUrl.url, username, password, accessToken]))
		.digest('base64');
}

/** Whether the credential's token belongs to another login than the one that stands in it now. */
export function isOfOtherLogin(
	baseUrl: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	const { accessTokenLogin: fingerprint = '' } = credentials;
	return fingerprint !== '' && fingerprint !== tokenFingerprint(baseUrl, credentials);
}

/** Makes n8n renew the token before it sends the next request with these credentials. */
export function markExpired(credentials: ICredentialDataDecryptedObject): void {
	credentials.accessTokenLogin = 'expired';
}

/** Whether the caller, who holds `heldToken` ('' for none), is served by this exchange without a login. */
function mayShare({ settled, replaced }: Exchange, heldToken: unknown): boolean {
	// A failed login is answered from memory: accounts get locked, and services that are ill need a rest
	if (!settled || settled.token === undefined) return true;
	if (heldToken === '') return Date.now() - settled.at < SHARED_WITH_NEW_CALLERS_MS;
	return replaced.has(heldToken);
}

/**
 * A token that differs from the one in the credential, from one exchange for all who ask at once.
 *
 * @param requestToken sends the login (docs/service.md#obtain-an-access-token); throws ServiceFailure
 * @throws ServiceFailure what `requestToken` throws; the same one again as long as it is remembered
 */
export async function sharedToken(
	baseUrl: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
	requestToken: () => Promise<string>,
): Promise<string> {
	const key = cacheKey(baseUrl, credentials);
	const heldToken = credentials.accessToken ?? '';
	const known = exchanges.get(key);
	if (known && mayShare(known, heldToken)) {
		if (!known.settled) known.replaced.add(heldToken);
		return await known.token;
	}

	const replaced = [...(known?.replaced ?? []), known?.settled?.token, heldToken];
	const exchange: Exchange = {
		token: requestToken(),
		replaced: new Set(replaced.slice(-MAX_REMEMBERED)),
	};
	remember(key, exchange);
	const forget = () => {
		if (exchanges.get(key) === exchange) exchanges.delete(key);
	};
	void exchange.token
		.then(
			(token) => {
				exchange.settled = { at: Date.now(), token };
				return REMEMBERED_MS;
			},
			(failure: unknown) => {
				exchange.settled = { at: Date.now() };
				return failureRemembered(failure);
			},
		)
		.then((milliseconds) => {
			AbortSignal.timeout(milliseconds).addEventListener('abort', forget);
		});
	return await exchange.token;
}

/** The latest last: a Map keeps the order of insertion. */
function remember(key: string, exchange: Exchange): void {
	exchanges.delete(key);
	exchanges.set(key, exchange);
	const [oldest] = exchanges.keys();
	if (exchanges.size > MAX_REMEMBERED && oldest !== undefined) exchanges.delete(oldest);
}

/** For how many milliseconds a failed login is not repeated. */
function failureRemembered(failure: unknown): number {
	if (!(failure instanceof ServiceFailure)) return FAILED_LOGIN_PAUSE_MS;
	const { httpStatus = 0, retry } = failure;
	const retryAfter = retry === 'no' || retry === 'retry' ? 0 : (failure.retryAfter ?? 0);
	if ([400, 401, 403].includes(httpStatus)) return REMEMBERED_MS;
	return Math.min(REMEMBERED_MS, Math.max(FAILED_LOGIN_PAUSE_MS, retryAfter));
}
