import { createHash, createHmac, randomBytes } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { BaseUrl } from './baseUrl';
import { BoundedMap } from './boundedMap';
import { FAILED_LOGIN_PAUSE_MS, ServiceFailure } from './failures';
import { pastedText } from './pastedText';
import { after } from './timer';

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

/** A token, and the milliseconds since it was issued. */
export interface SharedToken {
	token: string;
	age: number;
}

interface Exchange {
	/** The new token. Rejects with a ServiceFailure. */
	token: Promise<string>;
	/**
	 * In milliseconds of the monotonic clock, as a run's pauses: the first login after a pause is a new one. Undefined
	 * while it is under way; without a token if the login failed.
	 */
	settled?: { at: number; until: number; token?: string };
	/**
	 * The tokens it replaced. A caller with another one may have it from another process of n8n, which
	 * fetched it later.
	 */
	replaced: Set<unknown>;
}

/**
 * Token exchanges under way or just settled. n8n loads this module once per process for all its users, so an
 * entry can be found only with base URL, username and password together; a keyed hash keeps them from being
 * read or guessed from memory.
 */
const exchanges = new BoundedMap<string, Exchange>(MAX_REMEMBERED);
const hashKey = randomBytes(32);

/** What a login consists of, as it is sent. */
function loginOf({ url }: BaseUrl, { username, password }: ICredentialDataDecryptedObject) {
	return [url, pastedText(username), password];
}

function cacheKey(baseUrl: BaseUrl, credentials: ICredentialDataDecryptedObject): string {
	return createHmac('sha256', hashKey)
		.update(JSON.stringify(loginOf(baseUrl, credentials)))
		.digest('base64');
}

/**
 * Ties a token to the login it was issued for: when somebody edits the credential, n8n keeps the old token
 * in it, which must neither stand for another password nor go to another address. (The hash is stored
 * encrypted beside the token and outlives this process, so it is made without the process's key.)
 */
export function fingerprintOf(
	baseUrl: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
): string {
	return createHash('sha256')
		.update(JSON.stringify([...loginOf(baseUrl, credentials), credentials.accessToken]))
		.digest('base64');
}

/** Whether the credential's token was issued for another login than the one that is in it now. */
export function belongsToOtherLogin(
	baseUrl: BaseUrl,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	const { tokenFingerprint = '' } = credentials;
	return tokenFingerprint !== '' && tokenFingerprint !== fingerprintOf(baseUrl, credentials);
}

/** Makes n8n renew the token before it sends the next request with these credentials. */
export function markExpired(credentials: ICredentialDataDecryptedObject): void {
	credentials.tokenFingerprint = 'expired';
}

/** Whether the caller, who holds `heldToken` ('' for none), is served by this exchange without a login. */
function mayShare({ settled, replaced }: Exchange, heldToken: unknown): boolean {
	if (!settled) return true;
	const now = performance.now();
	// A failed login is answered from memory: accounts get locked, and services that are ill need a rest
	if (settled.token === undefined) return now < settled.until;
	if (heldToken === '') return now - settled.at < SHARED_WITH_NEW_CALLERS_MS;
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
): Promise<SharedToken> {
	const key = cacheKey(baseUrl, credentials);
	const heldToken = credentials.accessToken ?? '';
	const known = exchanges.get(key);
	if (known && mayShare(known, heldToken)) {
		if (!known.settled) known.replaced.add(heldToken);
		return await withAge(known);
	}

	const replaced = [...(known?.replaced ?? []), known?.settled?.token, heldToken];
	const exchange: Exchange = {
		token: requestToken(),
		replaced: new Set(replaced.slice(-MAX_REMEMBERED)),
	};
	exchanges.set(key, exchange);
	const settle = (milliseconds: number, token?: string) => {
		const at = performance.now();
		exchange.settled = { at, until: at + milliseconds, token };
		after(milliseconds, () => {
			if (exchanges.get(key) === exchange) exchanges.delete(key);
		});
	};
	exchange.token.then(
		(token) => settle(REMEMBERED_MS, token),
		(failure: unknown) => settle(failureRemembered(failure)),
	);
	return await withAge(exchange);
}

async function withAge(exchange: Exchange): Promise<SharedToken> {
	const token = await exchange.token;
	return { token, age: exchange.settled ? performance.now() - exchange.settled.at : 0 };
}

/** For how many milliseconds a failed login is not repeated. */
function failureRemembered(failure: unknown): number {
	if (!(failure instanceof ServiceFailure)) return FAILED_LOGIN_PAUSE_MS;
	const { httpStatus = 0, retry } = failure;
	const retryAfter = retry === 'no' || retry === 'retry' ? 0 : (failure.retryAfter ?? 0);
	if ([400, 401, 403].includes(httpStatus)) return REMEMBERED_MS;
	return Math.min(REMEMBERED_MS, Math.max(FAILED_LOGIN_PAUSE_MS, retryAfter));
}
