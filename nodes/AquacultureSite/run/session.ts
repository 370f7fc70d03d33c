import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Send, SiteRequest } from '../service/http/request';
import { markExpired, needsLogin } from '../service/login/tokens';
import type { Login } from '../service/login/tokens';
import { ServiceFailure } from '../service/messages/failures';
import type { Cancellation } from './cancellation';
import type { Failed } from './job';

// A new token may not be known to all servers of the service at once
const UNKNOWN_FOR_MS = 3000;

// After this many logins with which nothing was accepted, another one would not help either
const MAX_FUTILE_LOGINS = 3;

/** The requests of one run with the token of its credential. One request logs in for all (single flight). */
export class Session {
	/** The number of the current token. */
	token = 0;
	/** When the token was issued; -Infinity for the one that the run began with. */
	private issuedAt = -Infinity;
	/** When the first request was sent that was accepted with it; Infinity if none was. */
	private acceptedAt = Infinity;
	/** Whether it was rejected although it had been accepted before, and then accepted again: only a part of the service knows it. */
	isFlaky = false;
	/** Logins since a site was read, or found missing. A control does not count: it was read before. */
	futileLogins = 0;
	/** The credentials of the request that logs in. The others wait: n8n would store a token for each that does. */
	loggingIn?: object;

	/** @param credentials decrypted; each new token is put into them */
	constructor(
		private readonly send: Send,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly cancellation: Cancellation,
		private readonly onToken: () => void,
	) {}

	/** Sends a request, after a login if there is no token. @returns also when, with which token, and whether the login failed */
	async request(request: SiteRequest) {
		// A copy for each request: n8n puts a new token into it
		const own = { ...this.credentials };
		if (needsLogin(own)) this.loggingIn = own;
		const sent = { token: this.token, isLogin: false, sentAt: this.cancellation.now() };
		const onLogin = (result: Login | ServiceFailure) => {
			if (result instanceof ServiceFailure) sent.isLogin = true;
			else sent.token = this.begin(result);
		};
		try {
			const response = await this.cancellation.run(
				async (bounds) => await this.send(own, request, { ...bounds, onLogin }),
			);
			// The service may repeat them
			return { response, secrets: [own.password, own.accessToken], ...sent };
		} finally {
			if (this.loggingIn === own) this.loggingIn = undefined;
		}
	}

	/** Begins with a new token. @returns its number */
	private begin({ age, ...login }: Login): number {
		Object.assign(this.credentials, login);
		this.issuedAt = this.cancellation.now() - age;
		this.acceptedAt = Infinity;
		this.isFlaky = false;
		this.futileLogins++;
		this.token++;
		this.loggingIn = undefined;
		this.onToken();
		return this.token;
	}

	/** A request was accepted with this token. @param before what this site, or one that can be read, failed with */
	accept(token: number, sentAt: number, before?: Failed): void {
		if (token !== this.token) return;
		const isBetween = before && before.sentAt > this.acceptedAt && before.sentAt < sentAt;
		if (isBetween && before.cause === '401') this.isFlaky = true;
		this.acceptedAt = Math.min(this.acceptedAt, sentAt);
	}

	/** Whether it is the rejection of a token that was replaced, or found to have ended: it says nothing anymore. */
	isOfOldToken({ failure, token }: Failed): boolean {
		return failure.isRejection && (token !== this.token || needsLogin(this.credentials));
	}

	/** Milliseconds until all servers should know the token. */
	get unknownFor(): number {
		return Math.max(0, this.issuedAt + UNKNOWN_FOR_MS - this.cancellation.now());
	}

	/** Whether the token is good: it was issued in this run, or a site was read with it. */
	get isProven(): boolean {
		return this.issuedAt > -Infinity || this.acceptedAt < Infinity;
	}

	/** The token has ended: the next request logs in. @returns false if another login would not help either */
	renew(maxFutileLogins = MAX_FUTILE_LOGINS): boolean {
		if (this.futileLogins >= maxFutileLogins || needsLogin(this.credentials)) return false;
		markExpired(this.credentials);
		return true;
	}
}
