import { randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { defined } from '../helpers/at';

const isJson = ({ headers }: Response) => (headers.get('content-type') ?? '').includes('json');

/** Calls n8n's REST interface as the owner's browser does. Paths are below /rest, for example /workflows. */
export class RestClient {
	/** The throw-away account of the owner, once `login()` has set it up. */
	readonly owner = {
		email: 'owner@example.com',
		firstName: 'Throw-away',
		lastName: 'Owner',
		// n8n demands a capital letter and a digit.
		password: `Demo-${randomBytes(6).toString('hex')}-1`,
	};

	private cookie = '';

	/** The editor that executions are started from. */
	private pushRef?: string;

	constructor(private readonly baseUrl: string) {}

	async get<T>(path: string): Promise<T> {
		return await this.request('GET', path);
	}

	async post<T>(path: string, body: object = {}): Promise<T> {
		return await this.request('POST', path, body);
	}

	async patch<T>(path: string, body: object): Promise<T> {
		return await this.request('PATCH', path, body);
	}

	async delete(path: string): Promise<void> {
		await this.call('DELETE', path);
	}

	/** Whether the health check and, for a server, the REST interface respond; the former does so a little earlier. */
	async isReady({ worker }: { worker: boolean }): Promise<boolean> {
		const paths = ['/healthz/readiness', ...(worker ? [] : ['/rest/settings'])];
		try {
			const responses = await Promise.all(paths.map((path) => fetch(this.baseUrl + path)));
			return responses.every((response) => response.ok && isJson(response));
		} catch {
			return false;
		}
	}

	/** Logs in as the owner, whose account is created the first time. */
	async login(): Promise<void> {
		const { email, password } = this.owner;
		const { userManagement } = await this.get<{
			userManagement: { showSetupOnFirstLoad: boolean };
		}>('/settings');
		if (userManagement.showSetupOnFirstLoad) await this.post('/owner/setup', this.owner);
		await this.post('/login', { emailOrLdapLoginId: email, password });
	}

	/**
	 * Opens an editor, as far as n8n can see: until n8n stops, everything that n8n pushes to it about executions is
	 * written to a file. Needs N8N_PUSH_BACKEND=sse.
	 */
	async openEditor(file: string): Promise<void> {
		this.pushRef = randomUUID();
		const { body } = await this.call('GET', `/push?pushRef=${this.pushRef}`);
		void pipeline(defined(body), createWriteStream(file)).catch(() => undefined);
	}

	/** @returns the `data` of the response */
	private async request<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await this.call(method, path, body);
		return ((await response.json()) as { data: T }).data;
	}

	/** @throws Error when the response is not 2xx */
	private async call(method: string, path: string, body?: object): Promise<Response> {
		const response = await fetch(`${this.baseUrl}/rest${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				cookie: this.cookie,
				// n8n may close an idle one just when it is used again
				connection: 'close',
				// n8n demands it of an open editor
				origin: this.baseUrl,
				...(this.pushRef !== undefined && { 'push-ref': this.pushRef }),
			},
			...(body && { body: JSON.stringify(body) }),
		});
		for (const set of response.headers.getSetCookie()) {
			if (set.startsWith('n8n-auth=')) [this.cookie = ''] = set.split(';');
		}
		if (response.ok) return response;
		const text = await response.text();
		throw new Error(`The response to ${method} ${path} was ${response.status}: ${text}`);
	}
}
