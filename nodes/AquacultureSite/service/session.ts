import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { BaseUrl } from './baseUrl';
import { ServiceFailure } from './failures';
import { sendWithCredential } from './request';
import type { Context, SiteRequestOptions } from './request';
import type { ServiceResponse } from './response';
import type { Stopping } from './stopping';
import { markExpired } from './tokens';

const LONGEST_DOUBT_MS = 1000;

// Where so many renewed tokens were rejected as well while others were accepted, a 401 stands for a closed site
const MAX_VAIN_RENEWALS = 4;

/** What a request has brought in the end. */
export interface SessionResponse {
	response: ServiceResponse | ServiceFailure;
	/** A 401 although the token is good: other requests were accepted with it after this one was not. */
	isClosed: boolean;
}

/** The requests of one run with the token of its credential, which is renewed when it expires. */
export class Session {
	/** The password and every token that was used: the service may repeat any of them. */
	readonly secrets = new Set<unknown>();

	/** Tokens that the service has rejected: none is sent again. */
	private readonly expired = new Set<unknown>();

	/** For each token, the number of the latest request that was accepted with it. */
	private readonly accepted = new Map<unknown, number>();

	/** Requests so far. */
	private count = 0;

	/** Renewals after which the same site was rejected again. */
	private vainRenewals = 0;

	/** @param credentials decrypted; each renewed token is put into them */
	constructor(
		private readonly context: Context,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly baseUrl: BaseUrl,
		private readonly stopping: Stopping,
	) {}

	/** Sends a request, and again with a new token if the service rejects the one that n8n has. */
	async send(options: SiteRequestOptions): Promise<SessionResponse> {
		const startedAt = this.stopping.now();
		const first = await this.sendOnce(options);
		if (!first.isRejected) return { response: first.response, isClosed: false };
		let { token } = first;
		if (first.areOthersAccepted) {
			// Either it expired just now, or this site is closed to this user. Only requests that start from here on
			// can tell, so they get as much time as this one took.
			const start = this.count;
			await this.stopping.pause(Math.min(LONGEST_DOUBT_MS, this.stopping.now() - startedAt));
			const second = await this.sendOnce(options);
			const isTokenGood =
				(this.accepted.get(second.token) ?? 0) > start || this.vainRenewals >= MAX_VAIN_RENEWALS;
			const isClosed = second.isRejected && isTokenGood;
			if (!second.isRejected || isClosed) return { response: second.response, isClosed };
			({ token } = second);
		}
		this.expired.add(token);
		const last = await this.sendOnce(options);
		if (last.isRejected) this.vainRenewals++;
		return { response: last.response, isClosed: false };
	}

	private async sendOnce(options: SiteRequestOptions) {
		// A copy for each request: n8n reads from it which token was rejected, and puts the new one into it
		const own = { ...this.credentials };
		const { accessToken: given } = own;
		if (this.expired.has(given)) markExpired(own);
		this.secrets.add(own.password).add(given);
		const number = ++this.count;
		const acceptedBefore = this.accepted.get(given);
		const response = await this.stopping.abortable(
			async (bounds) => await sendWithCredential(this.context, own, this.baseUrl, options, bounds),
		);
		const { accessToken: token } = own;
		this.secrets.add(token);
		// Not where another request has renewed it meanwhile: a slow one must not bring an older token back
		if (token !== given && this.credentials.accessToken === given) {
			Object.assign(this.credentials, own);
		}
		const isResponse = !(response instanceof ServiceFailure);
		const isRejected = isResponse && response.statusCode === 401;
		if (isResponse && response.statusCode < 400) {
			this.accepted.set(token, Math.max(number, this.accepted.get(token) ?? 0));
		}
		const areOthersAccepted = this.accepted.get(given) !== acceptedBefore;
		return { response, token, isRejected, areOthersAccepted };
	}
}
