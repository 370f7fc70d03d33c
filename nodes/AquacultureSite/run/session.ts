import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceFailure } from '../service/messages/failures';
import type { LoginResult, RequestBounds, Send, SiteRequestOptions } from '../service/http/request';
import type { ServiceResponse, Unauthorized } from '../service/messages/response';
import { markExpired, needsLogin } from '../service/login/tokens';
import type { Cancellation } from './cancellation';

// No token is known to expire sooner: a younger one that is rejected has not expired
const SHORTEST_LIFETIME_MS = 5000;

// How long a request waits to see what others get with the same token
const LONGEST_DOUBT_MS = 1000;

// After two logins with which nothing was accepted, another one would not help either
const MAX_UNPROVEN_LOGINS = 2;

// One site may be forbidden; three that are rejected with a new token, and none accepted, say that the token is
const MAX_REJECTIONS = 3;

interface Token {
	/** In milliseconds of the clock; -Infinity for the one that the run began with. */
	readonly issuedAt: number;
	/** Sites rejected with it while it was new. */
	rejections: number;
}

/**
 * The requests of one run with the token of its credential. If the token expires, one request renews it for all (single
 * flight); a site that this user may not read is told from an expired token by what others get with the same one.
 */
export class Session {
	/** The password and every token that was used: the service may repeat any of them. */
	readonly secrets = new Set<unknown>();

	private token: Token = { issuedAt: -Infinity, rejections: 0 };

	/** When the latest request was sent that was accepted; -Infinity if none was. */
	private acceptedAt = -Infinity;

	/** Logins since a request was accepted. */
	private unprovenLogins = 0;

	/** Set while a request logs in for all; resolves with the failure if that fails. */
	private login?: Promise<ServiceFailure | undefined>;

	/** @param credentials decrypted; each new token is put into them */
	constructor(
		private readonly send: Send,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly cancellation: Cancellation,
	) {}

	/** Sends a request, and again with a newer token if the one that it had may have expired. */
	async request(
		options: SiteRequestOptions,
	): Promise<{ response: ServiceResponse | ServiceFailure; unauthorized?: Unauthorized }> {
		for (;;) {
			while (this.login) {
				const response = await this.cancellation.run(async () => await this.login);
				if (response) return { response };
			}
			const sentAt = this.cancellation.now();
			const { response, token } = await this.sendOnce(options);
			const status = response instanceof ServiceFailure ? Infinity : response.statusCode;
			if (status < 400) {
				this.acceptedAt = Math.max(sentAt, this.acceptedAt);
				this.unprovenLogins = 0;
			}
			if (status !== 401) return { response };
			if (token !== this.token) continue;

			// If the token is good, others are accepted: with a new one at any time, with another from now on
			const now = this.cancellation.now();
			const isFutile = this.unprovenLogins >= MAX_UNPROVEN_LOGINS;
			const isNew = isFutile || now - token.issuedAt < SHORTEST_LIFETIME_MS;
			const since = isNew ? 0 : now;
			const doubt = isNew ? LONGEST_DOUBT_MS : Math.min(LONGEST_DOUBT_MS, 2 * (now - sentAt));
			const isKnown = this.acceptedAt >= since || (!isNew && this.acceptedAt < 0);
			if (!isKnown) await this.cancellation.pause(doubt);
			if (token !== this.token) continue;
			if (this.acceptedAt >= since) return { response, unauthorized: 'site' };
			if (!isNew) markExpired(this.credentials);
			else return { response, unauthorized: ++token.rejections < MAX_REJECTIONS ? 'token' : 'run' };
		}
	}

	/** Sends a request with the current token, or logs in before. */
	private async sendOnce(options: SiteRequestOptions) {
		// A copy for each request: n8n puts a new token into it
		const own = { ...this.credentials };
		let { token } = this;
		this.secrets.add(own.password);
		const isLogin = needsLogin(own);
		let endLogin: (failure?: ServiceFailure) => void = () => undefined;
		if (isLogin) {
			// The others wait: n8n would store a token for each request that logs in
			this.login = new Promise((resolve) => (endLogin = resolve));
			void this.login.then(() => (this.login = undefined));
		}
		let failure: ServiceFailure | undefined;
		const onLogin = (result: LoginResult) => {
			if (result instanceof ServiceFailure) return void (failure = result);
			const { age, ...login } = result;
			Object.assign(this.credentials, login);
			this.unprovenLogins++;
			token = this.token = { issuedAt: this.cancellation.now() - age, rejections: 0 };
			endLogin();
		};
		try {
			const send = async (bounds: RequestBounds) =>
				await this.send(own, options, { ...bounds, onLogin });
			const response = await this.cancellation.run(send);
			this.secrets.add(own.accessToken);
			return { response, token };
		} finally {
			// The others fail after this one: n8n shows the first that failed
			if (isLogin) void this.cancellation.pause(0).then(() => endLogin(failure));
		}
	}
}
