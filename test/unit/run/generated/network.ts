import type { Send } from '../../../../nodes/AquacultureSite/service/http/request';
import { needsLogin, sharedLogin } from '../../../../nodes/AquacultureSite/service/login/tokens';
import { asFailure } from '../../../../nodes/AquacultureSite/service/messages/failures';
import { connectionFailure } from '../../../../nodes/AquacultureSite/service/messages/networkFailures';
import {
	readTokenResponse,
	type ServiceResponse,
} from '../../../../nodes/AquacultureSite/service/messages/response';
import type { FakeClock } from '../../../tools/helpers/fake-clock';
import { troublesOf, type Plan } from './plan';
import type { Random } from './random';
import type { GeneratedService, Reply } from './service';

export const BASE_URL = 'https://service.example';
const PASSWORD = 'sample-password';
const LOGIN_TIMEOUT_MS = 30_000;
const LOST: Record<string, string> = { reset: 'ECONNRESET', refused: 'ECONNREFUSED' };

/** Thrown by n8n itself. */
export class N8nError extends Error {}

/** A request or a login, as the service and the network have it. */
export interface Exchange {
	run: number;
	/** 0 for a login. */
	siteId: number;
	token: string;
	/** Milliseconds. */
	at: number;
	end: number;
	came: string;
	by: Reply['by'] | 'n8n' | 'client';
}

let plays = 0;

/** What lies between a run and the service: n8n, the login that all runs of a process share, and the way there. */
export class Network {
	readonly exchanges: Exchange[] = [];
	private sent = 0;
	// What the process remembers of logins is not shared with another play
	private readonly username = `sample-${++plays}`;
	/** As n8n has stored it: the next run begins with it. */
	private stored: { accessToken: string; tokenFingerprint?: string };

	constructor(
		private readonly plan: Plan,
		private readonly service: GeneratedService,
		private readonly clock: FakeClock,
		private readonly random: Random,
	) {
		this.stored = { accessToken: plan.token === 'none' ? '' : plan.token };
	}

	credentials() {
		return { baseUrl: BASE_URL, username: this.username, password: PASSWORD, ...this.stored };
	}

	senderOf(run: number): Send {
		return async (own, request, { signal, setDeadline, onLogin }) => {
			const siteId = Number(request.siteId);
			this.throwForN8n(run, siteId);
			if (needsLogin(own)) {
				const exchange = async () => await this.logIn(run);
				const login = await sharedLogin(BASE_URL, own, exchange).catch(asFailure);
				onLogin(login);
				if (login instanceof Error) return login;
				const { accessToken, tokenFingerprint } = login;
				this.stored = { accessToken, tokenFingerprint };
				Object.assign(own, this.stored);
			}
			// n8n sends nothing anymore
			if (signal.aborted) return connectionFailure(['ERR_CANCELED'], BASE_URL);
			setDeadline(request.timeout);
			this.clock.skip(this.plan.work);
			const ended = new Promise<undefined>((resolve) => {
				signal.addEventListener('abort', () => resolve(undefined));
			});
			const token = own.accessToken as string;
			const arrive = () => this.service.site(siteId, token);
			const reply = await this.exchange({ run, siteId, token }, ended, arrive);
			if (reply) this.clock.skip(this.plan.work);
			const lost = reply ? LOST[reply.kind] : 'ERR_CANCELED';
			return lost ? connectionFailure([lost], BASE_URL) : this.toResponse(reply as Reply);
		};
	}

	private throwForN8n(run: number, siteId: number): void {
		this.sent++;
		const isHit = troublesOf(this.plan, 'n8n').some(
			({ sites, at, from }) =>
				sites.includes(siteId) || at.includes(this.sent) || this.sent >= from,
		);
		if (!isHit) return;
		const at = this.clock.now();
		this.exchanges.push({ run, siteId, token: '', at, end: at, came: 'error', by: 'n8n' });
		throw new N8nError(`n8n cannot send the request for site ${siteId}`);
	}

	/** @throws ServiceFailure */
	private async logIn(run: number): Promise<string> {
		const late = this.clock.sleep(LOGIN_TIMEOUT_MS).then(() => undefined);
		const arrive = () => this.service.login();
		const reply = await this.exchange({ run, siteId: 0, token: '' }, late, arrive);
		const lost = reply ? LOST[reply.kind] : 'ETIMEDOUT';
		if (lost) throw connectionFailure([lost], BASE_URL, 'run');
		const login = { url: BASE_URL, password: PASSWORD };
		const token = readTokenResponse(this.toResponse(reply as Reply), login);
		if (typeof token !== 'string') throw token;
		return token;
	}

	/** There, and back. Requests overtake each other, and so do responses. @returns undefined if it is ended */
	private async exchange(
		request: Pick<Exchange, 'run' | 'siteId' | 'token'>,
		ended: Promise<undefined>,
		arrive: () => Reply,
	): Promise<Reply | undefined> {
		const at = this.clock.now();
		const exchange: Exchange = { ...request, at, end: Infinity, came: '…', by: 'client' };
		this.exchanges.push(exchange);
		const { latency, jitter } = this.plan;
		const way = () => latency / 2 + (1 + jitter) * this.random.next();
		const travel = async () => {
			await this.clock.sleep(way());
			const reply = arrive();
			if (reply.kind === 'hang') return await new Promise<never>(() => undefined);
			await this.clock.sleep(reply.wait + way());
			return reply;
		};
		const reply = await Promise.race([ended, travel()]);
		const wait = reply?.headers['retry-after'];
		const came = `${reply?.kind ?? 'timeout'}${wait ? ` (Retry-After ${wait})` : ''}`;
		Object.assign(exchange, { end: this.clock.now(), came, ...(reply && { by: reply.by }) });
		return reply;
	}

	private toResponse({ kind, headers, body }: Reply): ServiceResponse {
		const statusCode = typeof kind === 'number' ? kind : 200;
		if (!this.plan.isProxied) return { statusCode, headers, body };
		const request = { protocol: 'http:', path: 'http://service.example/meta/sites' };
		return { statusCode, headers, body: statusCode < 400 ? body : 'Sample.', request };
	}
}
