// One token exchange, shared by all who ask for it, and remembered for a while.
import { createHmac, randomBytes } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { FAILED_LOGIN_PAUSE_MS, REJECTED_LOGIN } from '../messages/failures';
import type { ServiceFailure } from '../messages/failures';
import { pastedText } from './baseUrl';
import { after } from '../../utils/timer';

// Long enough for every item that still holds the token it replaced, and so that a rejected login is not repeated
const REMEMBERED_MS = 60_000;

// Enough for items that read the credential just before n8n stored the new token. Later, n8n's credential test must
// prove the login anew
const SHARED_WITH_NEW_CALLERS_MS = 10_000;

// A poll tries a refused login again after 1, 2, 4 … 60 minutes
const LONGEST_POLL_PAUSE_MS = 60 * REMEMBERED_MS;

// The latest logins stay
const MAX_REMEMBERED = 100;

/** A token, and what n8n stores beside it. */
export interface Login {
	accessToken: string;
	tokenFingerprint: string;
	/** Milliseconds since the token was issued: others may have logged in before. */
	age: number;
}

interface Exchange {
	/** The new token. Rejects with a ServiceFailure. */
	token: Promise<string>;
	/** The new token once it is there, and when it came. */
	issued?: { token: string; at: number };
	/** By the monotonic clock, as a run's pauses: the first login after a pause is a new one. Infinity while it is under way. */
	until: number;
	/** The same for polls, which nobody watches: later, if the login was refused. */
	pollsUntil: number;
	/** How many times in a row the login was refused. */
	refusals: number;
	/** The tokens it replaced. A caller with another one may have it from another process of n8n, which fetched it later. */
	replaced: Set<unknown>;
}

/**
 * Token exchanges under way or just settled, the latest last. n8n loads this module once per process for all its
 * users, so an entry can be found only with base URL, username and password together; a key of this process keeps
 * them from being read or guessed from memory.
 */
const exchanges = new Map<string, Exchange>();
const processKey = randomBytes(32).toString('base64');

/** A keyed hash of what a login consists of, as it is sent. */
function hash(key: unknown, url: string, credentials: ICredentialDataDecryptedObject): string {
	const login = JSON.stringify([url, pastedText(credentials.username), credentials.password]);
	return createHmac('sha256', String(key)).update(login).digest('base64');
}

/**
 * Whether the credential's token was issued for another login than the one that is in it now: when somebody edits the
 * credential, n8n keeps the old token, which must neither be used for another password nor go to another address.
 */
export function belongsToOtherLogin(url: string, credentials: ICredentialDataDecryptedObject) {
	const { tokenFingerprint = '', accessToken } = credentials;
	return tokenFingerprint !== '' && tokenFingerprint !== hash(accessToken, url, credentials);
}

// No token has it for a fingerprint
const EXPIRED = 'expired';

/** Makes n8n renew the token before it sends the next request with these credentials. */
export function markExpired(credentials: ICredentialDataDecryptedObject): void {
	credentials.tokenFingerprint = EXPIRED;
}

/** Whether there is no token, or one that is marked as expired. Asked for each request, so it computes no hash. */
export function needsLogin(credentials: ICredentialDataDecryptedObject): boolean {
	return credentials.accessToken === '' || credentials.tokenFingerprint === EXPIRED;
}

/** Whether the caller, who holds `heldToken` ('' for none), is served by this exchange without a login. */
function mayShare(exchange: Exchange, heldToken: unknown, isPoll: boolean): boolean {
	const { issued, replaced } = exchange;
	const now = performance.now();
	if (now >= (isPoll ? exchange.pollsUntil : exchange.until)) return false;
	// A failed login is answered from memory: accounts get locked, and services that are ill need a rest
	if (!issued) return true;
	return heldToken === '' ? now - issued.at < SHARED_WITH_NEW_CALLERS_MS : replaced.has(heldToken);
}

/**
 * A token that differs from the one in the credential, from one exchange for all who ask at once.
 *
 * @param requestToken sends the login (docs/service.md#obtain-an-access-token); throws ServiceFailure
 * @param isPoll whether nobody watches: a refused login is then tried less and less often
 * @throws ServiceFailure what `requestToken` throws; the same one again as long as it is remembered
 */
export async function sharedLogin(
	url: string,
	credentials: ICredentialDataDecryptedObject,
	requestToken: () => Promise<string>,
	isPoll = false,
): Promise<Login> {
	const key = hash(processKey, url, credentials);
	const heldToken = credentials.accessToken ?? '';
	let exchange = exchanges.get(key);
	if (!exchange || !mayShare(exchange, heldToken, isPoll)) {
		const replaced = new Set<unknown>([exchange?.issued?.token]);
		const { refusals = 0 } = exchange ?? {};
		const token = requestToken();
		exchange = { token, until: Infinity, pollsUntil: Infinity, refusals, replaced };
		remember(key, exchange);
	}
	exchange.replaced.add(heldToken);
	const accessToken = await exchange.token;
	const now = performance.now();
	return {
		accessToken,
		tokenFingerprint: hash(accessToken, url, credentials),
		age: now - (exchange.issued?.at ?? now),
	};
}

/** Keeps an exchange for as long as it may be shared. */
function remember(key: string, exchange: Exchange): void {
	// A Map keeps the order of insertion
	exchanges.delete(key);
	exchanges.set(key, exchange);
	const [oldest = key] = exchanges.keys();
	if (exchanges.size > MAX_REMEMBERED) exchanges.delete(oldest);
	const settle = (forAll: number, forPolls = forAll, kept = forAll) => {
		const now = performance.now();
		exchange.until = now + forAll;
		exchange.pollsUntil = now + forPolls;
		after(kept, () => {
			if (exchanges.get(key) === exchange) exchanges.delete(key);
		});
	};
	exchange.token.then(
		(token) => {
			exchange.issued = { token, at: performance.now() };
			exchange.refusals = 0;
			settle(REMEMBERED_MS);
		},
		(failure: unknown) => {
			const { httpStatus = 0, retryAfter = 0 } = failure as Partial<ServiceFailure>;
			if (REJECTED_LOGIN.includes(httpStatus)) {
				const pause = Math.min(LONGEST_POLL_PAUSE_MS, REMEMBERED_MS * 2 ** exchange.refusals++);
				// So that the poll after the pause knows the number of refusals
				settle(REMEMBERED_MS, pause, 2 * pause);
			} else {
				// As long as the service asks, within reason
				settle(Math.min(REMEMBERED_MS, Math.max(FAILED_LOGIN_PAUSE_MS, retryAfter)));
			}
		},
	);
}
