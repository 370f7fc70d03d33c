import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import type { Send } from '../../../nodes/AquacultureSite/service/http/request';
import { SiteService } from '../../../nodes/AquacultureSite/run/SiteService';
import { connectionFailure } from '../../../nodes/AquacultureSite/service/messages/networkFailures';
import type { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import { readTokenResponse } from '../../../nodes/AquacultureSite/service/messages/response';
import type { Condition, Outcome } from '../../tools/cases/conditions';
import { compose, FaultPlan, type FaultRequest } from '../../tools/fake-service/faults';
import { refusal, type Reply } from '../../tools/fake-service/rules';
import { FakeClock } from '../../tools/helpers/fake-clock';

/** Numbers that look random and are the same for the same seed. */
export function useSeed(seed: number): void {
	const generator = xoroshiro128plus(seed);
	jest.spyOn(Math, 'random').mockImplementation(() => uniformFloat64(generator));
}

const BASE_URL = 'https://service.example';
const PASSWORD = 'sample-password';

/** What the service and the network on the way to it make of the requests of a run. */
class SimulatedService {
	/** Of the run. */
	counts = { requests: 0, failed: 0, logins: 0 };

	private readonly plan = new FaultPlan();

	private readonly validUntil = new Map<string, number>();

	constructor(
		private readonly condition: Condition,
		private readonly timers: FakeClock,
		/** Milliseconds of a round trip. */
		private readonly latency: number,
	) {
		Object.assign(this.plan.faults, condition.service({ now: () => timers.now() }));
	}

	get credentials() {
		const { token = 'none' } = this.condition;
		const accessToken = token === 'none' ? '' : token;
		if (token === 'valid') this.validUntil.set(token, Infinity);
		return { baseUrl: BASE_URL, username: 'sample', password: PASSWORD, accessToken };
	}

	readonly send: Send = async (own, { url, timeout }, { signal, setDeadline, onLogin }) => {
		const ended = new Promise<ServiceFailure>((resolve) => {
			signal.addEventListener('abort', () =>
				resolve(connectionFailure(['ERR_CANCELED'], BASE_URL)),
			);
		});
		if (own.accessToken === '' || own.tokenFingerprint === 'expired') {
			const late = this.timers
				.sleep(30_000)
				.then(() => connectionFailure(['ETIMEDOUT'], BASE_URL, 'run'));
			// n8n does not end a login when a run is stopped
			const login = await Promise.race([late, this.logIn()]);
			if (typeof login !== 'string') {
				onLogin(login);
				return login;
			}
			Object.assign(own, { accessToken: login, tokenFingerprint: '' });
			onLogin({ accessToken: login, tokenFingerprint: '', age: 0 });
		}
		setDeadline(timeout);
		return await Promise.race([ended, this.readSite(url, own.accessToken as string)]);
	};

	private async logIn() {
		this.counts.logins++;
		const request = { endpoint: 'token', method: 'POST', url: '/auth/token', body: '{}' } as const;
		const token = `token-${this.validUntil.size}`;
		const response = await this.exchange(request, () => {
			const lifetime = this.condition.tokenLifetime ?? Infinity;
			this.validUntil.set(token, this.timers.now() + lifetime);
			return { status: 200, json: { access_token: token, token_type: 'Bearer' } };
		});
		if (!response) return connectionFailure(['ECONNRESET'], BASE_URL, 'run');
		return readTokenResponse(response, { url: BASE_URL, password: PASSWORD });
	}

	private async readSite(url: string, token: string) {
		this.counts.requests++;
		const siteId = Number(/\d+(?=\?|$)/.exec(url)?.[0]);
		const request = { endpoint: 'site', method: 'GET', url, siteId, token, body: '' } as const;
		const response = await this.exchange(request, () =>
			this.timers.now() < (this.validUntil.get(token) ?? 0)
				? { status: 200, json: { siteId, siteName: 'Sample' } }
				: refusal(401, 'The access token is unknown or expired.'),
		);
		if (!response || response.statusCode >= 400) this.counts.failed++;
		return response ?? connectionFailure(['ECONNRESET'], BASE_URL);
	}

	/** A request arrives and is answered. Requests overtake each other on their way, and so do responses. */
	private async exchange(request: FaultRequest, answer: () => Reply) {
		const travel = async () =>
			await this.timers.sleep(this.latency / 2 + (1 + this.latency / 20) * Math.random());
		await travel();
		const faults = this.plan.take(request);
		const replacing = faults.find(({ status, connection }) => status ?? connection);
		const reply = replacing ? this.plan.replacement(replacing, request, BASE_URL) : answer();
		for (const { latencyMs = 0 } of faults) {
			const wait = typeof latencyMs === 'number' ? latencyMs : latencyMs(request);
			if (wait > 0) await this.timers.sleep(wait);
		}
		if (replacing?.connection === 'hang') return await new Promise<never>(() => undefined);
		await travel();
		if (!reply) return undefined;
		const { status, headers } = compose(reply, faults);
		return { statusCode: status, headers, body: reply.json };
	}
}

const LIMITS = { maxConcurrency: 128, longestWait: 60_000 };
const REQUEST = { parts: [], apiVersion: '2025-01-01', maxRetries: 3 };

async function run(
	{ items, timeout = 30_000, stopAfter }: Condition,
	service: SimulatedService,
	timers: FakeClock,
): Promise<Outcome> {
	service.counts = { requests: 0, failed: 0, logins: 0 };
	const start = timers.now();
	const sites = new SiteService(service, LIMITS, timers);
	if (stopAfter !== undefined) timers.after(1000 * stopAfter, () => sites.stop());
	let read = 0;
	const failures: Outcome['failures'] = [];
	const all = Array.from({ length: items }, async (_, index) => {
		const siteId = index + 1;
		await sites.read({ ...REQUEST, siteId: String(siteId), timeout }).then(
			() => read++,
			(error: unknown) => {
				if (error instanceof StoppedError) return;
				failures.push({ siteId, message: (error as Error).message });
			},
		);
	});
	await timers.run(Promise.all(all));
	const seconds = (timers.now() - start) / 1000;
	return { read, failures, seconds, ...service.counts };
}

/** A run of the node under a condition, without its real time, and the same run again if the condition asks for it. */
export async function simulate(condition: Condition, latency: number): Promise<Outcome[]> {
	const timers = new FakeClock();
	const service = new SimulatedService(condition, timers, latency);
	const outcomes = [await run(condition, service, timers)];
	if (condition.again !== undefined) {
		await timers.run(timers.sleep(1000 * condition.again));
		outcomes.push(await run(condition, service, timers));
	}
	return outcomes;
}
