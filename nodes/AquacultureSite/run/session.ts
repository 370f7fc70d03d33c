import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Send, SiteRequestOptions } from '../service/http/request';
import { markExpired, needsLogin } from '../service/login/tokens';
import { ServiceFailure } from '../service/messages/failures';
import type { ServiceResponse } from '../service/messages/response';
import type { Cancellation } from './cancellation';

// A new token may not be known to all servers of the service at once
const UNKNOWN_FOR_MS = 3000;

// After this many logins with which nothing was accepted, another one would not help either
const MAX_FUTILE_LOGINS = 3;

/** What a request brought. */
export interface Exchange {
	response: ServiceResponse | ServiceFailure;
	/** The number of the token that it was sent with. */
	token: number;
	/** Whether the login before it failed, so that it was not sent. */
	isLogin: boolean;
}

/** The requests of one run with the token of its credential. One request logs in for all (single flight). */
export class Session {
	/** The password and every token that was used: the service may repeat any of them. */
	readonly secrets = new Set<unknown>();

	/** The number of the current token. */
	token = 0;

	/** When the token was issued; -Infinity for the one that the run began with. */
	private issuedAt = -Infinity;

	/** When the first request was sent that was accepted with it; Infinity if none was. */
	private acceptedAt = Infinity;

	/** Whether it was rejected although it had been accepted before, and then accepted again: only a part of the service knows it. */
	isFlaky = false;

	/** Logins since a request was accepted. */
	private futileLogins = 0;

	private isLoggingIn = false;

	/**
	 * @param credentials decrypted; each new token is put into them
	 * @param onToken is called when there is a new token
	 */
	constructor(
		private readonly send: Send,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly cancellation: Cancellation,
		private readonly onToken: () => void,
	) {}

	/** The others wait for a login: n8n would store a token for each request that logs in. */
	get isReady(): boolean {
		return !this.isLoggingIn;
	}

	/** Sends a request with the current token, or logs in before. */
	async request(options: SiteRequestOptions): Promise<Exchange> {
		// A copy for each request: n8n puts a new token into it
		const own = { ...this.credentials };
		this.secrets.add(own.password);
		const isOfLogin = needsLogin(own);
		if (isOfLogin) this.isLoggingIn = true;
		let { token } = this;
		let isLogin = false;
		try {
			const response = await this.cancellation.run(async (bounds) => {
				return await this.send(own, options, {
					...bounds,
					onLogin: (result) => {
						isLogin = result instanceof ServiceFailure;
						if (result instanceof ServiceFailure) return;
						const { age, ...login } = result;
						Object.assign(this.credentials, login);
						token = ++this.token;
						this.issuedAt = this.cancellation.now() - age;
						this.acceptedAt = Infinity;
						this.isFlaky = false;
						this.futileLogins++;
						this.isLoggingIn = false;
						this.onToken();
					},
				});
			});
			this.secrets.add(own.accessToken);
			return { response, token, isLogin };
		} finally {
			if (isOfLogin) this.isLoggingIn = false;
		}
	}

	/**
	 * A request was accepted with this token.
	 *
	 * @param before what the same site failed with before
	 */
	accept(
		token: number,
		sentAt: number,
		before?: { cause: string; token: number; sentAt: number },
	): void {
		if (token !== this.token) return;
		const isVindicated = before?.cause === '401' && before.token === token;
		if (isVindicated && before.sentAt > this.acceptedAt) this.isFlaky = true;
		this.acceptedAt = Math.min(this.acceptedAt, sentAt);
		this.futileLogins = 0;
	}

	/** Whether the token may not be known everywhere yet. */
	get isNew(): boolean {
		return this.acceptedAt === Infinity && this.cancellation.now() - this.issuedAt < UNKNOWN_FOR_MS;
	}

	/** The token has ended: the next request logs in. @returns false if another login would not help either */
	renew(maxFutileLogins = MAX_FUTILE_LOGINS): boolean {
		if (this.futileLogins >= maxFutileLogins) return false;
		markExpired(this.credentials);
		return true;
	}
}
