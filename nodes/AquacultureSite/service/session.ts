import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { onAuthorized } from './authorization';
import type { BaseUrl } from './baseUrl';
import { ServiceFailure } from './failures';
import { sendWithCredential } from './request';
import type { Context, LoginResult, SiteRequestOptions } from './request';
import type { ServiceResponse } from './response';
import type { Stopping } from './stopping';
import { isOfOtherLogin, markExpired } from './tokens';

const LONGEST_DOUBT_MS = 1000;

// So often may a token expire on the way of one request
const MAX_RENEWALS = 3;

// Where so many new tokens in a row were rejected and nothing was accepted, another one does not help
const MAX_UNPROVEN = 2;

// Where so many renewed tokens were rejected as well while others were accepted, a 401 stands for a closed site
const MAX_VAIN_RENEWALS = 4;

/** What a request has brought in the end. */
export interface SessionResponse {
	response: ServiceResponse | ServiceFailure;
	/** A 401 although the token is good: other requests were accepted with it after this one was not. */
	isClosed: boolean;
}

/** What a request has brought that was sent once. */
interface Attempt extends SessionResponse {
	token: unknown;
	isRejected: boolean;
	/** Whether others were accepted with the same token meanwhile. */
	areOthersAccepted: boolean;
}

/** The requests of one run with the token of its credential, which is renewed when it expires. */
export class Session {
	/** The password and every token that was used: the service may repeat any of them. */
	readonly secrets = new Set<unknown>();

	/** The token that the run began with: nobody knows when it was issued. */
	private readonly stored: unknown;

	/** Tokens that the service has rejected: none is sent again. */
	private readonly expired = new Set<unknown>();

	/** For each token, the number of the latest request that was accepted with it. */
	private readonly accepted = new Map<unknown, number>();

	/** New tokens that were rejected before any request was accepted with them, since the last that was, with any. */
	private readonly unproven = new Set<unknown>();

	/** Tokens that were rejected for a request like the one before, since a renewal helped. */
	private readonly vain = new Set<unknown>();

	/** Requests so far. */
	private count = 0;

	/** Sites that are being requested now. */
	private inFlight = 0;

	/** Set while a request renews the token for all. */
	private renewal?: Promise<void>;

	/** @param credentials decrypted; each renewed token is put into them */
	constructor(
		private readonly context: Context,
		private readonly credentials: ICredentialDataDecryptedObject,
		private readonly baseUrl: BaseUrl,
		private readonly stopping: Stopping,
	) {
		this.stored = credentials.accessToken;
	}

	/** Sends a request, and again with a newer token as long as the one that it had may have expired. */
	async send(options: SiteRequestOptions): Promise<SessionResponse> {
		this.inFlight++;
		try {
			return await this.sendAndRenew(options);
		} finally {
			this.inFlight--;
		}
	}

	private async sendAndRenew(options: SiteRequestOptions): Promise<SessionResponse> {
		let previous: unknown;
		for (let renewals = 0; ; renewals++) {
			const attempt = await this.sendInDoubt(options);
			const { token, isRejected, isClosed } = attempt;
			if (!isRejected && renewals > 0) this.vain.clear();
			const isFinal = !isRejected || isClosed || token === previous;
			if (isFinal || !this.mayHaveExpired(token, renewals)) return attempt;
			this.expired.add(token);
			previous = token;
			while (this.renewal) await this.renewal;
			if (this.unproven.size >= MAX_UNPROVEN) return attempt;
		}
	}

	/** Sends a request, and once more where a 401 may be about its site alone. */
	private async sendInDoubt(options: SiteRequestOptions): Promise<Attempt> {
		const startedAt = this.stopping.now();
		const first = await this.sendOnce(options);
		if (!first.isRejected || !first.areOthersAccepted) return first;
		// Either it expired just now, or this site is closed to this user. Only requests that start from here on
		// can tell, so they get as much time as this one took.
		const start = this.count;
		await this.stopping.pause(Math.min(LONGEST_DOUBT_MS, this.stopping.now() - startedAt));
		const second = await this.sendOnce(options);
		const isTokenGood =
			(this.accepted.get(first.token) ?? 0) > start || this.vain.size >= MAX_VAIN_RENEWALS;
		return { ...second, isClosed: second.isRejected && isTokenGood };
	}

	/** Whether a token may have been good when it was issued that a request was rejected with. */
	private mayHaveExpired(token: unknown, renewals: number): boolean {
		if (this.unproven.size >= MAX_UNPROVEN) return false;
		if (renewals === 0) return true;
		this.vain.add(token);
		if (renewals >= MAX_RENEWALS || this.vain.size >= MAX_VAIN_RENEWALS) return false;
		// A site that is requested alone rather rejects every token
		return this.accepted.has(token) || this.inFlight > 1;
	}

	private async sendOnce(options: SiteRequestOptions): Promise<Attempt> {
		while (this.renewal) await this.renewal;
		// A copy for each request: n8n reads from it which token was rejected, and puts the new one into it
		const own = { ...this.credentials };
		const { accessToken: given } = own;
		if (this.expired.has(given)) markExpired(own);
		this.secrets.add(own.password);
		const number = ++this.count;
		const acceptedBefore = this.accepted.get(given);
		const endRenewal = this.startRenewal(own);
		try {
			const response = await this.sendThroughN8n(own, options, endRenewal);
			const { accessToken: token } = own;
			this.secrets.add(token);
			const latest = this.accepted.get(token);
			const areOthersAccepted = latest !== (token === given ? acceptedBefore : undefined);
			const status = response instanceof ServiceFailure ? Infinity : response.statusCode;
			const isRejected = status === 401;
			if (status < 400) {
				this.accepted.set(token, Math.max(number, latest ?? 0));
				this.unproven.clear();
			} else if (isRejected && latest === undefined && this.isNewest(token)) {
				this.unproven.add(token);
			}
			return { response, isClosed: false, token, isRejected, areOthersAccepted };
		} finally {
			endRenewal();
		}
	}

	/** One that has been replaced meanwhile says nothing, nor does the one of an earlier run: both may have expired. */
	private isNewest(token: unknown): boolean {
		return token === this.credentials.accessToken && token !== this.stored;
	}

	private async sendThroughN8n(
		own: ICredentialDataDecryptedObject,
		options: SiteRequestOptions,
		endRenewal: () => void,
	) {
		const onLogin = (result: LoginResult) => {
			if (result instanceof ServiceFailure) return;
			// The service may have issued the same one again
			this.expired.delete(result.accessToken);
			Object.assign(this.credentials, result);
			// The others follow when this one is sent; where the token before was rejected at once, when it is accepted
			if (this.unproven.size === 0) onAuthorized.set(own, endRenewal);
		};
		return await this.stopping.abortable(
			async (bounds) =>
				await sendWithCredential(this.context, own, this.baseUrl, options, { ...bounds, onLogin }),
		);
	}

	/**
	 * Where the token is out of date, n8n logs in before it sends the request. It does so for one request, and the
	 * others wait: n8n stores each token that it has renewed, and the stored ones would be old before they are sent.
	 *
	 * @returns ends the wait
	 */
	private startRenewal(own: ICredentialDataDecryptedObject): () => void {
		let end = (): void => undefined;
		if (own.accessToken !== '' && !isOfOtherLogin(this.baseUrl, own)) return end;
		const renewal = new Promise<void>((resolve) => {
			end = resolve;
		});
		this.renewal = renewal;
		return () => {
			if (this.renewal === renewal) this.renewal = undefined;
			end();
		};
	}
}
