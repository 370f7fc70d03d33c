import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';
import { type CredentialReference, N8nInstance } from '../n8n/n8n';
import type { Setup } from '../n8n/setup';
import { saveCredential, startFake } from '../n8n/use-n8n';
import { callWebhook } from '../n8n/workflows';
import { type Caller, CALLERS, pathOf, workflowOf } from './callers';

/** What one run is about. */
export interface Setting {
	items: number;
	/** Distinct sites among the items; default: as many as items. */
	sites?: number;
	/** Milliseconds that the service takes for each response; default 0. */
	latency?: number;
	/** Which requests the service refuses; default: none. */
	refusal?: Fault;
	/** What n8n has before the run: a valid token (default), none, one that the service has forgotten, a wrong password. */
	token?: 'valid' | 'cold' | 'expired' | 'wrong password';
}

/** What one run took, by n8n's own clock and the service's own count. */
export interface Measured {
	/** n8n's execution time of the node alone. */
	milliseconds: number;
	/** Complete sites that came out. */
	sites: number;
	/** All other items. */
	failed: number;
	requests: number;
	/** When each request for a site arrived, in milliseconds. */
	arrivals: number[];
	/** In flight at the service at once. */
	mostInFlight: number;
	/** Token requests, rejected ones included. */
	logins: number;
	/** Of n8n's process since its start, in kilobytes. */
	peakMemory: number;
}

type Summary = Pick<Measured, 'milliseconds' | 'sites' | 'peakMemory'>;

const FIRST_SITE = 5001;
const BENCH_NODES = 'n8n-nodes-bench';

/** A real n8n, and beside it in this process the fake service. */
export class Platform {
	private logins = 0;

	private isWarm = false;

	private constructor(
		readonly n8n: N8nInstance,
		private readonly service: Service,
		private readonly credential: CredentialReference,
	) {}

	/** @param mostSites how many sites the service has */
	static async start(cleanup: Cleanup, setup: Setup, mostSites: number): Promise<Platform> {
		const service = await startFake(cleanup, { sites: manySites(mostSites), record: 0 });
		const n8n = await N8nInstance.create({ ...setup, name: 'bench' });
		cleanup.defer(() => n8n.dispose());
		const nodes = join(n8n.userFolder, '.n8n/nodes/node_modules', BENCH_NODES);
		cpSync(join(__dirname, BENCH_NODES), nodes, { recursive: true });
		await n8n.start();
		const credential = await saveCredential(n8n, service);
		for (const caller of CALLERS) {
			const workflow = workflowOf(caller, credential, service.baseUrl);
			await n8n.activate(await n8n.createWorkflow(workflow));
		}
		return new Platform(n8n, service, credential);
	}

	/** @throws Error where n8n does not finish the run */
	async run(caller: Caller, setting: Setting): Promise<Measured> {
		const { items, sites = items, latency = 0, refusal, token = 'valid' } = setting;
		const { faults, counts } = this.service;
		await this.prepareToken(token, caller);
		const arrivals: number[] = [];
		const arrive = () => {
			arrivals.push(performance.now());
			return latency;
		};
		faults.token = latency > 0 ? [{ latencyMs: latency }] : [];
		faults.site = [{ latencyMs: arrive }, ...(refusal ? [refusal] : [])];
		const { siteRequests, tokenRequests } = counts;
		counts.maxInFlight = 0;
		const summary = await this.call(caller, items, sites);
		faults.token = faults.site = [];
		this.isWarm = token !== 'wrong password';
		return {
			...summary,
			failed: items - summary.sites,
			arrivals,
			mostInFlight: counts.maxInFlight,
			requests: counts.siteRequests - siteRequests,
			logins: counts.tokenRequests - tokenRequests,
		};
	}

	private async prepareToken(token: Setting['token'], caller: Caller): Promise<void> {
		const needsLogin = token === 'cold' || token === 'wrong password';
		if (needsLogin || !this.isWarm) {
			// A different user each time: what is remembered of an earlier login must not help.
			const username = `bench-${++this.logins}@example.com`;
			const login = { username, password: 'sample-password' };
			this.service.logins.push(login);
			const password = token === 'wrong password' ? 'mistyped' : login.password;
			await this.n8n.rest.patch(`/credentials/${this.credential.id}`, {
				name: this.credential.name,
				type: 'aquacultureApi',
				data: { baseUrl: this.service.baseUrl, username, password, accessToken: '' },
			});
		}
		if (needsLogin) return;
		if (!this.isWarm) await this.call(caller, 1, 1);
		if (token === 'expired') this.service.expireTokens();
	}

	private async call(caller: Caller, items: number, sites: number): Promise<Summary> {
		const siteIds = Array.from({ length: items }, (_, index) => FIRST_SITE + (index % sites));
		// For the bare helper, which makes no login
		const token = this.service.issuedTokens.at(-1);
		const call = async () => {
			const response = await callWebhook(this.n8n, pathOf(caller), { siteIds, token });
			// Just after a start n8n does not know its webhooks yet, and after too much work it is unhealthy for a while.
			return [404, 503].includes(response.status) ? undefined : response;
		};
		const response = await until('n8n accepts a call', call, { intervalMs: 100 });
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n responded with ${response.status}: ${text}`);
		return JSON.parse(text) as Summary;
	}
}
