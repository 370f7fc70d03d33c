import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { installN8n, type N8nInstall } from '../e2e/install';
import { type CredentialReference, N8nInstance } from '../e2e/n8n';
import { packTarball } from '../e2e/tarball';
import type { Say } from '../e2e/workspace';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { type Caller, DEFAULT_CONCURRENCY, workflowOf } from './callers';

/** What n8n holds before a run: a good token, none, one that the service has forgotten, or a wrong password. */
export type TokenState = 'warm' | 'cold' | 'expired' | 'wrong password';

/** What one run is about. */
export interface Setting {
	items: number;
	/** Distinct sites among the items; default: as many as items. */
	sites?: number;
	/** Milliseconds that the service takes for each answer; default 0. */
	latency?: number;
	/** Requests that the service accepts in a second; default: any number. */
	perSecond?: number;
	/** Default: warm. */
	token?: TokenState;
	/** Default: the node's own. */
	concurrency?: number;
}

/** What one run took, by n8n's own clock and the service's own count. */
export interface Measured {
	/** n8n's execution time of the node alone. */
	milliseconds: number;
	/** Items that came out with all that was asked for. */
	sites: number;
	/** All other items. */
	failed: number;
	/** Requests for a site. */
	requests: number;
	/** Token requests, refused ones included. */
	logins: number;
	/** Of n8n's process since its start, in kilobytes. */
	peakMemory: number;
}

type Summary = Pick<Measured, 'milliseconds' | 'sites' | 'peakMemory'>;

const FIRST_SITE = 5001;

/** How long n8n may take to accept a call, in milliseconds. */
const PATIENCE = 60_000;

/** A real n8n, and beside it in this process the stand-in for the service. */
export class Platform {
	/** The id of each caller's workflow, which is also the path of its webhook. */
	private readonly paths = new Map<string, string>();

	private credential?: CredentialReference;

	private logins = 0;

	private warm = false;

	private constructor(
		readonly install: N8nInstall,
		readonly tarball: string,
		readonly n8n: N8nInstance,
		private readonly service: Service,
	) {}

	/** @param mostSites how many sites the service has */
	static async start(mostSites: number, say: Say): Promise<Platform> {
		const install = await installN8n('2', say);
		const tarball = await packTarball(say);
		const n8n = await N8nInstance.create({ install, tarball, name: 'bench' });
		try {
			const bench = 'n8n-nodes-bench';
			cpSync(join(__dirname, bench), join(n8n.userFolder, '.n8n/nodes/node_modules', bench), {
				recursive: true,
			});
			say(`Starting n8n ${install.version}.`);
			await n8n.start();
			await n8n.login();
			const service = await startService({ sites: manySites(mostSites), record: false });
			return new Platform(install, tarball, n8n, service);
		} catch (error) {
			await n8n.dispose();
			throw error;
		}
	}

	async close(): Promise<void> {
		await this.n8n.dispose();
		await this.service.close();
	}

	/** The folder of the package as n8n has it installed. */
	get packageFolder(): string {
		return join(this.n8n.userFolder, '.n8n/nodes/node_modules/n8n-nodes-aquaculture');
	}

	/** A new n8n process on the same data, in which nothing has run yet. */
	async restart(): Promise<void> {
		await this.n8n.stop();
		await this.n8n.start();
		await this.n8n.login();
	}

	/** @throws Error where n8n does not finish the run */
	async run(caller: Caller, setting: Setting): Promise<Measured> {
		const { items, sites = items, latency = 0, perSecond, token = 'warm' } = setting;
		const path = await this.pathOf(caller);
		const { faults, counts } = this.service;
		await this.prepareToken(token, path);
		const bareToken = caller.usesCredential ? undefined : await this.obtainToken();
		const slow = latency > 0 ? [{ latencyMs: latency }] : [];
		faults.token = slow;
		faults.site = [
			...slow,
			// As services count it: so many in any one second
			...(perSecond === undefined ? [] : [{ rateLimit: { perSecond, burst: perSecond } }]),
		];
		const before = { ...counts };
		const summary = await this.call(path, {
			items,
			sites,
			firstSite: FIRST_SITE,
			token: bareToken,
			concurrency: setting.concurrency ?? DEFAULT_CONCURRENCY,
		});
		faults.token = faults.site = [];
		this.warm = token !== 'wrong password';
		return {
			...summary,
			failed: items - summary.sites,
			requests: counts.siteRequests - before.siteRequests,
			logins: counts.tokenRequests - before.tokenRequests,
		};
	}

	private async pathOf(caller: Caller): Promise<string> {
		const known = this.paths.get(caller.title);
		if (known !== undefined) return known;
		const path = `bench-${this.paths.size}`;
		const credential = (this.credential ??= await this.createCredential());
		const workflow = workflowOf(caller, path, this.service.baseUrl, credential);
		const { id } = await this.n8n.createWorkflow(workflow);
		await this.n8n.activate(id);
		this.paths.set(caller.title, path);
		return path;
	}

	private async createCredential(): Promise<CredentialReference> {
		const { name, data } = this.credentialOf(this.newLogin());
		return await this.n8n.createCredential(name, data);
	}

	private credentialOf(login: { username: string; password: string }) {
		return {
			name: 'Benchmark',
			type: 'aquacultureApi',
			data: {
				baseUrl: this.service.baseUrl,
				...login,
				allowUnauthorizedCerts: false,
				accessToken: '',
			},
		};
	}

	/** Another person each time: what is remembered of an earlier login must not help. */
	private newLogin() {
		this.logins += 1;
		const login = { username: `bench-${this.logins}@example.com`, password: 'sample-password' };
		this.service.logins.push(login);
		return { ...login };
	}

	private async prepareToken(token: TokenState, path: string): Promise<void> {
		if (token === 'cold' || token === 'wrong password' || !this.warm) {
			const login = this.newLogin();
			if (token === 'wrong password') login.password = 'not the real one';
			const credential = this.credentialOf(login);
			await this.n8n.rest('PATCH', `/credentials/${this.credential!.id}`, credential);
		}
		if (token === 'warm' || token === 'expired') {
			if (!this.warm) await this.call(path, { items: 1, sites: 1, firstSite: FIRST_SITE });
			if (token === 'expired') this.service.expireTokens();
		}
	}

	private async obtainToken(): Promise<string> {
		const response = await fetch(`${this.service.baseUrl}/auth/token`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'api-version': '2025-01-01' },
			body: JSON.stringify(this.service.login),
		});
		return ((await response.json()) as { access_token: string }).access_token;
	}

	private async call(path: string, body: Record<string, unknown>): Promise<Summary> {
		const response = await this.post(path, body);
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n answered ${response.status}: ${text}`);
		return JSON.parse(text) as Summary;
	}

	/** Just after a start n8n does not know its webhooks yet, and after too much work it is not well for a while. */
	private async post(path: string, body: Record<string, unknown>): Promise<Response> {
		const until = Date.now() + PATIENCE;
		for (;;) {
			const response = await fetch(`${this.n8n.baseUrl}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			if (![404, 503].includes(response.status) || Date.now() > until) return response;
			await setTimeout(100);
		}
	}
}
