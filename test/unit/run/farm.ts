import { type RunLimits, SiteService } from '../../../nodes/AquacultureSite/run/SiteService';
import type { Send } from '../../../nodes/AquacultureSite/service/http/request';
import { needsLogin } from '../../../nodes/AquacultureSite/service/login/tokens';
import { connectionFailure } from '../../../nodes/AquacultureSite/service/messages/networkFailures';
import { FakeClock } from '../../tools/helpers/fake-clock';
import { BASE_URL } from './generated/network';
import { Random } from './generated/random';

/** A request for a site, with the number of its token. */
export interface Sent {
	site: number;
	token: number;
	at: number;
}

/** What a service answers: a status; what is thrown; nothing, so that the connection is lost. After `takes` milliseconds. */
export interface Answer {
	status?: number;
	headers?: Record<string, string>;
	/** The site if it is left out. */
	body?: unknown;
	throws?: Error;
	takes?: number;
}

const messageOf = (error: unknown) => (error as Error).message;

let farms = 0;

/** A service that answers as a test says, in simulated time, and the runs that read it. */
export class Farm {
	readonly clock = new FakeClock();
	// Runs that a test does not stop share a limit with no other farm
	private readonly username = `sample-${++farms}`;

	readonly sent: Sent[] = [];
	logins = 0;
	/** What has come of each site of the last run, and when. */
	results: Record<number, { is: string; at: number }> = {};

	constructor(private readonly answer: (sent: Sent) => Answer) {
		jest.spyOn(Math, 'random').mockImplementation(new Random(1, 1).next);
	}

	/** @param token that n8n has stored; none by default */
	service(token = '', limits: Partial<RunLimits> = {}, canceled?: AbortSignal): SiteService {
		const credentials = { baseUrl: BASE_URL, username: this.username, accessToken: token };
		const all = { maxConcurrency: 128, longestWait: 60_000, ...limits };
		return new SiteService(BASE_URL, { credentials, send: this.send }, all, this.clock, canceled);
	}

	/** Reads sites with no retries, unless a test allows them. */
	async read(sites: number[], run = this.service('0'), { maxRetries = 0, timeout = 30_000 } = {}) {
		this.results = {};
		const request = { parts: [], apiVersion: '2025-01-01', timeout, maxRetries };
		const all = sites.map(async (site) => {
			const is = await run.read({ ...request, siteId: String(site) }).then(() => 'read', messageOf);
			this.results[site] = { is, at: this.clock.now() };
		});
		await this.clock.run(Promise.all(all), this.clock.now() + 3_600_000);
		return run;
	}

	/** The sites of the last run that were not read. */
	get unread(): number[] {
		const sites = Object.keys(this.results).map(Number);
		return sites.filter((site) => this.results[site]?.is !== 'read');
	}

	private readonly send: Send = async (own, request, { signal, setDeadline, onLogin }) => {
		if (needsLogin(own)) {
			await this.clock.sleep(10);
			own.accessToken = String(++this.logins);
			onLogin({ accessToken: own.accessToken, tokenFingerprint: '', age: 0 });
		}
		setDeadline(request.timeout);
		const site = Number(request.siteId);
		const sent = { site, token: Number(own.accessToken), at: this.clock.now() };
		this.sent.push(sent);
		const { status, headers = {}, body = { siteId: site }, throws, takes = 5 } = this.answer(sent);
		await this.clock.sleep(takes, signal).catch(() => {});
		if (signal.aborted) return connectionFailure(['ERR_CANCELED'], BASE_URL);
		if (throws) throw throws;
		if (status === undefined) return connectionFailure(['ECONNRESET'], BASE_URL);
		return { statusCode: status, headers, body };
	};
}

export const range = (count: number, first = 1) =>
	Array.from({ length: count }, (_, i) => first + i);
