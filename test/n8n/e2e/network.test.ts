import { DESERTED } from '../../tools/fake-service/faults';
import type { Service } from '../../tools/fake-service/service';
import { type ForwardProxy, startProxy } from '../../tools/helpers/forward-proxy';
import { until } from '../../tools/helpers/until';
import type { Execution } from '../../tools/n8n/executions';
import { certificateFor } from '../../tools/n8n/hosts';
import type { CredentialReference, N8nInstance } from '../../tools/n8n/n8n';
import { saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';

const IDS = [1042, 1057, 1063];

const runAt = async (n8n: N8nInstance, credential: CredentialReference): Promise<Execution> =>
	await n8n.createAndRun(
		readSites(IDS, siteNode('Read', credential, { options: { maxRetries: 0 } })),
	);

/** By name: through a proxy, n8n cannot check a certificate for an IP address. */
const urlOf = ({ baseUrl }: Service) => baseUrl.replace('127.0.0.1', 'localhost');

const idsOf = (execution: Execution) => execution.json('Read').map(({ siteId }) => siteId);

describe('a proxy between n8n and a service whose certificate only NODE_EXTRA_CA_CERTS names', () => {
	let proxy: ForwardProxy;
	let secured: Service;
	/** Beside the proxy; the service that NO_PROXY names. */
	let direct: Service;

	const stage = useN8n('network', {
		credential: false,
		n8n: async (cleanup) => {
			const { tls, file } = await certificateFor('private', ['localhost']);
			proxy = await startProxy();
			cleanup.defer(() => proxy.close());
			secured = await startFake(cleanup, { tls });
			direct = await startFake(cleanup, { tls });
			return {
				env: {
					HTTP_PROXY: proxy.url,
					HTTPS_PROXY: proxy.url,
					NO_PROXY: new URL(urlOf(direct)).host,
					NODE_EXTRA_CA_CERTS: file,
				},
			};
		},
	});

	beforeEach(() => {
		for (const each of [proxy, secured, direct, stage.service]) each.reset();
	});

	let users = 0;
	/** A credential that n8n has no token for, of a user whose login nobody remembers. */
	async function newCredential(service: Service) {
		const login = { ...service.login, username: `user-${++users}@example.com` };
		service.logins.push(login);
		return await saveCredential(stage.n8n, service, { baseUrl: urlOf(service), ...login });
	}

	describe.each([
		['https', () => secured, /^CONNECT localhost:/],
		['http', () => stage.service, /^(GET|POST) http:/],
	] as const)('%s', (_, serviceOf, request) => {
		test('goes through the proxy', async () => {
			const credential = await newCredential(serviceOf());
			expect(idsOf(await runAt(stage.n8n, credential))).toEqual(IDS);
			expect(proxy.requests.filter((each) => request.test(each))).toHaveLength(1 + IDS.length);
			expect(proxy.requests).toHaveLength(1 + IDS.length);
		});

		// What else a proxy may do is tested in test/engine/proxy.test.ts, through n8n's engine
		test('a proxy that blocks it is named, and the login works as soon as it gets through', async () => {
			const service = serviceOf();
			const credential = await newCredential(service);
			const message = 'A proxy or firewall blocked the request (status 403)';
			proxy.fault = { response: { status: 403 } };
			const data = { baseUrl: urlOf(service), ...service.logins.at(-1) };
			const tested = await stage.n8n.testCredential(credential, data);
			expect(tested).toEqual({
				status: 'Error',
				message: expect.stringContaining(message) as string,
			});
			const { failure } = await runAt(stage.n8n, credential);
			expect(failure?.message).toBe(`${message} [item 0]`);
			expect(failure?.description).toMatch(/network administrator/);
			expect(service.counts.requests).toBe(0);

			proxy.fault = undefined;
			const nextRun = async () => idsOf(await runAt(stage.n8n, credential)).length === IDS.length;
			await until('the next run works', nextRun);
			expect(service.counts.tokenRequests).toBe(1);
		});
	});

	test('NO_PROXY goes past it', async () => {
		expect(idsOf(await runAt(stage.n8n, await newCredential(direct)))).toEqual(IDS);
		expect(proxy.requests).toEqual([]);
	});
});

describe("n8n's protection of internal addresses, and a proxy that is not there", () => {
	const stage = useN8n('network-protected', {
		n8n: () => ({
			env: {
				HTTP_PROXY: DESERTED,
				HTTPS_PROXY: DESERTED,
				N8N_SSRF_PROTECTION_ENABLED: 'true',
				N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
			},
		}),
	});
	const ADVICE =
		'ask your n8n administrator to allowlist the hostname or IP range in the environment configuration';

	test("the node keeps n8n's own advice", async () => {
		const { failure } = await runAt(stage.n8n, stage.credential);
		expect(failure?.message).toBe('n8n did not send the request [item 0]');
		expect(failure?.description).toContain(ADVICE);
	});

	test("the dialog keeps n8n's own advice", async () => {
		const { baseUrl, login } = stage.service;
		const { message } = await stage.n8n.testCredential(stage.credential, { baseUrl, ...login });
		expect(message).toContain(ADVICE);
	});

	test('what n8n may call goes to the proxy, which is named', async () => {
		const baseUrl = urlOf(stage.service);
		const credential = await saveCredential(stage.n8n, stage.service, { baseUrl });
		const { failure } = await runAt(stage.n8n, credential);
		expect(failure?.message).toBe('The network proxy cannot be reached [item 0]');
		expect(failure?.description).toContain('a proxy, 127.0.0.1:9. Ask your n8n administrator');
	});
});
