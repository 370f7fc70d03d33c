import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Engine } from '../engine/engine';
import { CREDENTIAL, dataOf, httpRequestNode, seaFarm, siteNode } from '../helpers/sea-farm';
import { selfSignedCertificate } from '../fake-service/certificate';
import { type Service, startService } from '../fake-service/service';

// A busy machine takes its time
jest.setTimeout(30_000);

let service: Service;
/** Someone else's server: nothing of ours may arrive there. */
let stranger: Service;

beforeAll(async () => {
	[service, stranger] = await Promise.all([startService(), startService()]);
});
beforeEach(() => {
	service.reset();
	stranger.reset();
});
afterAll(() => Promise.all([service.close(), stranger.close()]));

const get = siteNode({ operation: 'get', siteId: 1042 });
const sitePath = '/meta/sites/1042';

/** Requests that carry a bearer token, or a secret anywhere in them. */
function carryingSecrets({ requests }: Service): unknown[] {
	const secrets = ['Bearer', ...service.issuedTokens, service.login.password];
	return requests.filter((request) =>
		secrets.some((secret) => JSON.stringify(request).includes(secret)),
	);
}

describe('the token goes to the origin of the base URL only', () => {
	test.each<[string, () => string]>([
		['another host', () => `${stranger.baseUrl}${sitePath}`],
		[
			'another host behind a name that looks like ours',
			() => `${service.baseUrl}@${new URL(stranger.baseUrl).host}${sitePath}`,
		],
	])('not, with n8n’s HTTP Request node, to %s', async (_, address) => {
		const engine = await seaFarm(service);
		const run = await engine.run({ node: httpRequestNode(address()) });
		expect(run.status).toBe('error');
		expect(service.issuedTokens).not.toEqual([]);
		expect(stranger.counts.siteRequests).toBeGreaterThan(0);
		expect(carryingSecrets(stranger)).toEqual([]);
		for (const { headers } of stranger.requests) expect(headers['api-version']).toBeUndefined();
	});

	test('not, with n8n’s HTTP Request node, to the same machine by another name', async () => {
		const address = `${service.baseUrl}${sitePath}`.replace('127.0.0.1', 'localhost');
		const run = await (await seaFarm(service)).run({ node: httpRequestNode(address) });
		expect(run.status).toBe('error');
		const { authorization, host } = service.requests.at(-1)!.headers;
		expect(host).toContain('localhost');
		expect(authorization).toBeUndefined();
	});

	test('and with n8n’s HTTP Request node to any other endpoint of the service', async () => {
		const engine = await seaFarm(service);
		await engine.run({ node: httpRequestNode(`${service.baseUrl}/feed/plans?from=1`) });
		const { headers } = service.requests.find(({ path }) => path === '/feed/plans')!;
		expect(headers.authorization).toBe(`Bearer ${service.issuedTokens[0]}`);
		expect(headers['api-version']).toBe('2025-01-01');
	});
});

describe.each([301, 302, 303, 307, 308])('a redirect with status %i', (status) => {
	const elsewhere = () => ({ redirect: { status, to: stranger.origin } });

	test('of the login is not followed: the password stays here', async () => {
		service.faults.token.push(elsewhere());
		const engine = await seaFarm(service);
		const run = await engine.run({ node: get });
		expect(run.error?.message).toBe(
			`The service redirects to another address: credential "${CREDENTIAL}"`,
		);
		expect(run.error?.description).toBe(
			`Nothing was sent there. If the service has moved, open the credential and put its new address into 'Base URL'. It points to ${stranger.origin}`,
		);
		expect((await engine.testCredential(CREDENTIAL)).status).toBe('Error');
		expect(stranger.counts.requests).toBe(0);
	});

	test('of the data is not followed by the node', async () => {
		service.faults.site.push(elsewhere());
		const run = await (await seaFarm(service)).run({ node: get });
		expect(run.error?.message).toBe(
			`The service redirects to another address: credential "${CREDENTIAL}"`,
		);
		expect(service.counts.siteRequests).toBe(1);
		expect(stranger.counts.requests).toBe(0);
	});

	test('of the data is not followed by the test of the credential', async () => {
		service.faults.site.push(elsewhere());
		await (await seaFarm(service)).testCredential(CREDENTIAL);
		expect(stranger.counts.requests).toBe(0);
	});

	test('of the data, followed by n8n’s HTTP Request node, carries no token along', async () => {
		service.faults.site.push(elsewhere());
		const run = await (
			await seaFarm(service)
		).run({ node: httpRequestNode(`${service.baseUrl}${sitePath}`) });
		expect(dataOf(run)).toEqual([]);
		expect(stranger.counts.requests).toBeGreaterThan(0);
		expect(carryingSecrets(stranger)).toEqual([]);
	});

	test('within the service, followed by n8n’s HTTP Request node, keeps the token', async () => {
		const to = `${service.baseUrl}/meta/sites/1057`;
		service.faults.site.push({ siteId: 1042, redirect: { status, to } });
		const run = await (
			await seaFarm(service)
		).run({ node: httpRequestNode(`${service.baseUrl}${sitePath}`) });
		expect(dataOf(run)).toEqual([{ siteId: 1057, siteName: 'Ørnesvika' }]);
	});
});

describe('service.md, «Versioning»', () => {
	/** What the credential makes of a request, as n8n asks it to. */
	async function authenticated(headers: Record<string, string>): Promise<IHttpRequestOptions> {
		const { types } = await seaFarm(service);
		const { authenticate } = types.credentials.aquacultureApi!;
		if (typeof authenticate !== 'function') throw new Error('authenticate is no function');
		return await authenticate(
			{ baseUrl: service.baseUrl, accessToken: 'a.b.c' },
			{ url: `${service.baseUrl}${sitePath}`, headers },
		);
	}

	test('a request without Api-Version gets the current one, 2025-01-01', async () => {
		await (await seaFarm(service)).run({ node: httpRequestNode(`${service.baseUrl}${sitePath}`) });
		const request = service.requests.find(({ endpoint }) => endpoint === 'site');
		expect(request).toMatchObject({ status: 200, headers: { 'api-version': '2025-01-01' } });
	});

	test('so does one with other headers, which it keeps', async () => {
		expect((await authenticated({ Accept: 'text/plain' })).headers).toEqual({
			Accept: 'text/plain',
			'Api-Version': '2025-01-01',
			Authorization: 'Bearer a.b.c',
		});
	});

	test.each(['Api-Version', 'api-version', 'API-VERSION'])(
		'a request that names a version in %s keeps it',
		async (name) => {
			const { headers } = await authenticated({ [name]: '2023-01-01', Accept: 'text/plain' });
			expect(headers).toEqual({
				[name]: '2023-01-01',
				Accept: 'text/plain',
				Authorization: 'Bearer a.b.c',
			});
		},
	);

	test('the earlier version 2023-01-01 chosen in the node arrives at the service', async () => {
		const options = { apiVersion: '2023-01-01' };
		const run = await (
			await seaFarm(service)
		).run({ node: siteNode({ operation: 'get', siteId: 1042, options }) });
		expect(run.items).toHaveLength(1);
		const request = service.requests.find(({ endpoint }) => endpoint === 'site');
		expect(request?.headers['api-version']).toBe('2023-01-01');
	});
});

describe('a certificate that nobody vouches for', () => {
	const untrusted = "The service's certificate is not trusted";
	let secured: Service;

	beforeAll(async () => {
		secured = await startService({ tls: await selfSignedCertificate() });
	});
	beforeEach(() => secured.reset());
	afterAll(() => secured.close());

	test('is refused: nothing is sent, and the message names the switch', async () => {
		const engine = await seaFarm(secured);
		const run = await engine.run({ node: get });
		expect(run.error?.message).toBe(untrusted);
		expect(run.error?.description).toContain(
			"Only if you know that the service uses a certificate of its own, open the credential and switch on 'Ignore SSL Issues (Insecure)'.",
		);
		expect(await engine.testCredential(CREDENTIAL)).toEqual({
			status: 'Error',
			message: untrusted,
		});
		expect(secured.counts.requests).toBe(0);
	});

	test('is refused for data too, where only the token is known', async () => {
		const engine = await seaFarm(secured, { accessToken: 'a.b.c' });
		const run = await engine.run({ node: get });
		expect(run.error?.message).toBe(untrusted);
		expect(secured.counts.requests).toBe(0);
	});

	describe('and «Ignore SSL Issues» switched on', () => {
		const insecure = () => seaFarm(secured, { allowUnauthorizedCerts: true });

		test('lets login and data through in the node', async () => {
			const run = await (await insecure()).run({ node: get });
			expect(run.items[0]?.json).toMatchObject({ siteId: 1042 });
			expect(secured.counts).toMatchObject({ logins: 1, sitesServed: 1 });
		});

		test('lets the test of the credential through', async () => {
			expect(await (await insecure()).testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
		});

		test('lets n8n’s HTTP Request node through', async () => {
			const run = await (
				await insecure()
			).run({ node: httpRequestNode(`${secured.baseUrl}${sitePath}`) });
			expect(dataOf(run)).toEqual([{ siteId: 1042, siteName: 'Storholmen' }]);
		});

		test('does not let n8n’s HTTP Request node through to another origin', async () => {
			const other = await startService({ tls: await selfSignedCertificate() });
			const run = await (
				await insecure()
			).run({ node: httpRequestNode(`${other.baseUrl}${sitePath}`) });
			expect(run.status).toBe('error');
			expect(other.counts.requests).toBe(0);
			await other.close();
		});
	});
});

describe('the base URL', () => {
	let nested: Service;

	beforeAll(async () => {
		nested = await startService({ basePath: '/api/v2' });
	});
	beforeEach(() => nested.reset());
	afterAll(() => nested.close());

	test.each<[string, (baseUrl: string) => string]>([
		['as it is', (baseUrl) => baseUrl],
		['a slash at its end', (baseUrl) => `${baseUrl}/`],
		['several slashes at its end', (baseUrl) => `${baseUrl}///`],
		['spaces and line breaks around it', (baseUrl) => ` \t${baseUrl}/ \r\n`],
		['spaces that nobody sees', (baseUrl) => `\u200B${baseUrl}\uFEFF`],
		['the address of the login pasted', (baseUrl) => `${baseUrl}/auth/token`],
		['the address of the login and a slash', (baseUrl) => `${baseUrl}/auth/token/ `],
		['capitals in the scheme', (baseUrl) => baseUrl.replace('http', 'HTTP')],
	])('works with %s: node, test and HTTP Request', async (_, typed) => {
		for (const base of [service, nested]) {
			const engine: Engine = await seaFarm(base, { baseUrl: typed(base.baseUrl) });
			expect((await engine.run({ node: get })).items).toHaveLength(1);
			expect(await engine.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
			const run = await engine.run({ node: httpRequestNode(`${base.baseUrl}${sitePath}`) });
			expect(run.items).toHaveLength(1);
			expect(base.counts.otherRequests).toBe(0);
		}
	});

	const example = 'e.g. https://api.example.com';
	test.each([
		['  ', "'Base URL' is empty", `fill in the address of the service, ${example}`],
		[
			'api.example.com',
			"'Base URL' must start with https:// or http://",
			`put it in front of the address in 'Base URL', ${example}`,
		],
		[
			'ftp://api.example.com',
			"'Base URL' must start with https:// or http://",
			`put it in front of the address in 'Base URL', ${example}`,
		],
		['https://', "'Base URL' is not a web address", `check 'Base URL', ${example}`],
		['https://:80', "'Base URL' is not a web address", `check 'Base URL', ${example}`],
		[
			'https://ola:secret-1@api.example.com',
			"'Base URL' contains a username or password",
			"take it out: 'Username' and 'Password' have fields of their own.",
		],
		[
			'https://api.example.com?to=x',
			"'Base URL' contains a '?' or '#'",
			'take it and everything behind it out.',
		],
		[
			'https://api.example.com#x',
			"'Base URL' contains a '?' or '#'",
			'take it and everything behind it out.',
		],
		[
			'https://api. example.com',
			"'Base URL' contains a space, a line break or a backslash",
			"take it out of 'Base URL'.",
		],
		[
			'https://api.example.com\\@evil.example',
			"'Base URL' contains a space, a line break or a backslash",
			"take it out of 'Base URL'.",
		],
	])('%j is refused with a sentence, and nothing is sent', async (baseUrl, message, advice) => {
		const engine = await seaFarm(service, { baseUrl });
		const run = await engine.run({ node: get });
		expect(run.error?.message).toBe(`${message}: credential "${CREDENTIAL}"`);
		expect(run.error?.description).toBe(`Open the credential "${CREDENTIAL}" and ${advice}`);
		expect(await engine.testCredential(CREDENTIAL)).toEqual({ status: 'Error', message });
	});
});
