import { writeFileSync } from 'node:fs';
import type { Service } from '../fake-service/service';
import { until } from '../helpers/until';
import { privateAuthority } from '../proxy/authority';
import { type ForwardProxy, type ProxyFault, startProxy } from '../proxy/forward-proxy';
import type { Execution } from './executions';
import type { CredentialReference, N8nInstance } from './n8n';
import { saveCredential, startFake, useN8n } from './use-n8n';
import { readSites, siteNode } from './workflows';
import { inWorkspace } from './workspace';

const IDS = [1042, 1057, 1063];

const runAt = async (n8n: N8nInstance, credential: CredentialReference): Promise<Execution> =>
	await n8n.createAndRun(
		readSites(IDS, siteNode('Read', credential, { options: { maxRetries: 0 } })),
	);

/** By name: through a proxy, n8n cannot check a certificate for an IP address. */
const urlOf = ({ baseUrl }: Service) => baseUrl.replace('127.0.0.1', 'localhost');

const idsOf = (execution: Execution) => execution.json('Read').map(({ siteId }) => siteId);

describe('a proxy between n8n and a service whose certificate is of a private authority', () => {
	let proxy: ForwardProxy;
	let secured: Service;
	/** Beside the proxy; the service that NO_PROXY names. */
	let direct: Service;

	const stage = useN8n('network', {
		credential: false,
		n8n: async (cleanup) => {
			const { authority, tls } = await privateAuthority();
			const certificate = inWorkspace('certificates', 'private-authority.pem');
			writeFileSync(certificate, authority);
			proxy = await startProxy();
			cleanup.defer(() => proxy.close());
			secured = await startFake(cleanup, { tls });
			direct = await startFake(cleanup, { tls });
			return {
				env: {
					HTTP_PROXY: proxy.url,
					HTTPS_PROXY: proxy.url,
					NO_PROXY: new URL(urlOf(direct)).host,
					NODE_EXTRA_CA_CERTS: certificate,
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

	test.each([
		['https', () => secured, /^CONNECT localhost:/],
		['http', () => stage.service, /^(GET|POST) http:/],
	] as const)('%s goes through the proxy', async (_, service, request) => {
		const credential = await newCredential(service());
		expect(idsOf(await runAt(stage.n8n, credential))).toEqual(IDS);
		expect(proxy.requests.filter((each) => request.test(each))).toHaveLength(1 + IDS.length);
		expect(proxy.requests).toHaveLength(1 + IDS.length);
	});

	test('NO_PROXY goes past it', async () => {
		expect(idsOf(await runAt(stage.n8n, await newCredential(direct)))).toEqual(IDS);
		expect(proxy.requests).toEqual([]);
	});

	test('a proxy that ends a connection: n8n goes on', async () => {
		const credential = await newCredential(secured);
		await runAt(stage.n8n, credential);
		proxy.fault = { connection: 'close', times: 1 };
		const workflow = readSites(IDS, siteNode('Read', credential, {}));
		expect(idsOf(await stage.n8n.createAndRun(workflow))).toEqual(IDS);
	});

	const respond = (status: number): ProxyFault => ({ response: { status } });
	const NO_WAY = 'The network proxy could not reach the service (status 502)';

	test.each<[string, ProxyFault, string, RegExp]>([
		['403', respond(403), 'A proxy or firewall blocked the request (status 403)', /network adm/],
		['407', respond(407), 'The network proxy requires a login (status 407)', /HTTPS_PROXY/],
		['502', respond(502), NO_WAY, /network administrator/],
		['511', respond(511), 'The network requires a login (status 511)', /network administrator/],
		['closes', { connection: 'close' }, 'The network proxy ended the connection', /network adm/],
	])('%s from the proxy', async (_name, fault, message, advice) => {
		for (const service of [secured, stage.service]) {
			const credential = await newCredential(service);
			const isClosedHttp = service !== secured && fault.connection === 'close';
			const expected = isClosedHttp ? 'The connection to the service was lost' : message;
			proxy.fault = fault;
			const data = { baseUrl: urlOf(service), ...service.logins.at(-1) };
			const tested = await stage.n8n.testCredential(credential, data);
			expect(tested).toMatchObject({
				status: 'Error',
				message: expect.stringContaining(expected) as unknown,
			});
			const { failure } = await runAt(stage.n8n, credential);
			expect(failure?.message).toBe(`${expected} [item 0]`);
			expect(failure?.description).toMatch(isClosedHttp ? /proxy or firewall/ : advice);
			expect(service.counts.requests).toBe(0);

			// It was no rejected login: as soon as the proxy lets it through, the same login is tried again
			proxy.fault = undefined;
			await until(
				'the next run works',
				async () => idsOf(await runAt(stage.n8n, credential)).length === 3,
			);
			expect(service.counts.tokenRequests).toBe(1);

			// With the token that n8n has stored by now
			proxy.fault = fault;
			expect((await runAt(stage.n8n, credential)).failure?.message).toContain(expected);
			proxy.reset();
			service.reset();
		}
	});

	test('a proxy that hangs', async () => {
		const credential = await newCredential(secured);
		await runAt(stage.n8n, credential);
		proxy.fault = { connection: 'hang' };
		const read = siteNode('Read', credential, { options: { maxRetries: 0, timeout: 500 } });
		const { failure } = await stage.n8n.createAndRun(readSites([1042], read));
		expect(failure?.message).toBe('The service did not respond in time');
		expect(failure?.description).toMatch(/network administrator if a proxy or firewall/);
	});
});

describe("n8n's protection of internal addresses, and a proxy that is not there", () => {
	const nowhere = 'http://127.0.0.1:9';
	const stage = useN8n('network-protected', {
		n8n: () => ({
			env: {
				HTTP_PROXY: nowhere,
				HTTPS_PROXY: nowhere,
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
