import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';
import type { CredentialReference, N8nInstance } from '../n8n/n8n';
import type { Setup } from '../n8n/setup';
import { saveCredential, startFake, startN8n } from '../n8n/use-n8n';
import { callWebhook } from '../n8n/workflows';
import { type Caller, CALLERS, pathOf, workflowOf } from './callers';

/** What one run is about. */
export interface Setting {
	items: number;
	/** Milliseconds that the service takes for each response; default 0. */
	latency?: number;
	/** Which requests the service refuses; default: none. */
	refusal?: Fault;
}

/** What one run took, by n8n's own clock and the service's own count. */
export interface Measured {
	/** n8n's execution time of the node alone. */
	milliseconds: number;
	/** Complete sites that came out. */
	sites: number;
	requests: number;
	/** Of n8n's process since its start, in kilobytes. */
	peakMemory: number;
}

/** A real n8n, and beside it in this process the fake service. */
export class Platform {
	private constructor(
		readonly n8n: N8nInstance,
		readonly service: Service,
		readonly credential: CredentialReference,
	) {}

	/** @param mostSites how many sites the service has */
	static async start(cleanup: Cleanup, setup: Setup, mostSites: number): Promise<Platform> {
		const service = await startFake(cleanup, { sites: manySites(mostSites), record: 0 });
		const n8n = await startN8n(cleanup, { ...setup, name: 'bench' }, (userFolder) => {
			const nodes = join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-bench');
			cpSync(join(__dirname, 'n8n-nodes-bench'), nodes, { recursive: true });
		});
		const credential = await saveCredential(n8n, service);
		for (const caller of CALLERS) {
			const workflow = workflowOf(caller, credential, service.baseUrl);
			await n8n.activate(await n8n.createWorkflow(workflow));
		}
		return new Platform(n8n, service, credential);
	}

	/** @throws Error where n8n does not finish the run */
	async run(caller: Caller, setting: Setting): Promise<Measured> {
		const { items, latency = 0, refusal } = setting;
		const { faults, counts } = this.service;
		faults.token = [{ latencyMs: latency }];
		faults.site = [{ latencyMs: latency }, ...(refusal ? [refusal] : [])];
		const { siteRequests } = counts;
		const summary = await this.call(caller, items);
		faults.token = faults.site = [];
		return { ...summary, requests: counts.siteRequests - siteRequests };
	}

	private async call(caller: Caller, items: number): Promise<Omit<Measured, 'requests'>> {
		const siteIds = this.service.sites.slice(0, items).map(({ siteId }) => siteId);
		const call = async () => {
			const response = await callWebhook(this.n8n, pathOf(caller), { siteIds });
			// Just after a start n8n does not know its webhooks yet, and after too much work it is unhealthy for a while.
			return [404, 503].includes(response.status) ? undefined : response;
		};
		const response = await until('n8n accepts a call', call, { intervalMs: 100 });
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n responded with ${response.status}: ${text}`);
		return JSON.parse(text) as Measured;
	}
}
