import type { Service } from '../../tools/fake-service/service';
import { type ForwardProxy, startProxy } from '../../tools/helpers/forward-proxy';
import { certificateFor } from '../../tools/n8n/hosts';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';

// What a proxy may do is tested in test/engine/proxy.test.ts; here is what only n8n's own environment brings about

const IDS = [1042, 1057, 1063];

/** By name: through a proxy, n8n cannot check a certificate for an IP address, and the name alone is allowed. */
const urlOf = ({ baseUrl }: Service) => baseUrl.replace('127.0.0.1', 'localhost');

let proxy: ForwardProxy;
/** Its certificate is named by NODE_EXTRA_CA_CERTS alone. */
let secured: Service;
/** The same, and NO_PROXY names it. */
let direct: Service;

const stage = useN8n('network', {
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
				N8N_SSRF_PROTECTION_ENABLED: 'true',
				N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
			},
		};
	},
});

const runAt = async (credential: CredentialReference) =>
	await stage.n8n.createAndRun(
		readSites(IDS, siteNode('Read', credential, { options: { maxRetries: 0 } })),
	);

test.each([
	['https goes through the proxy', () => secured, /^CONNECT localhost:/, 1 + IDS.length],
	['http goes through the proxy', () => stage.service, /^(GET|POST) http:/, 1 + IDS.length],
	['NO_PROXY goes past it', () => direct, /./, 0],
])('%s', async (_, serviceOf, expected, count) => {
	const baseUrl = urlOf(serviceOf());
	const before = proxy.requests.length;
	const execution = await runAt(await saveCredential(stage.n8n, serviceOf(), { baseUrl }));
	expect(execution.json('Read').map(({ siteId }) => siteId)).toEqual(IDS);
	const request = expect.stringMatching(expected) as string;
	expect(proxy.requests.slice(before)).toEqual(Array<string>(count).fill(request));
});

test("the node and the dialog keep n8n's own advice about an internal address that it protects", async () => {
	const advice =
		'ask your n8n administrator to allowlist the hostname or IP range in the environment configuration';
	const { failure } = await runAt(stage.credential);
	expect(failure?.message).toBe('n8n did not send the request [item 0]');
	expect(failure?.description).toContain(advice);
	const { baseUrl, login } = stage.service;
	const { message } = await stage.n8n.testCredential(stage.credential, { baseUrl, ...login });
	expect(message).toContain(advice);
});
