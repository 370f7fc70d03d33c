import type { INode } from 'n8n-workflow';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { type CredentialReference, N8nInstance } from './n8n';
import { prepared } from './prepared';
import { freePort } from './processes';
import { findSecrets, secretsOf } from './secrets';
import { chain, httpRequest, node, readSites, siteNode } from './workflows';

const SITES = manySites(200);
const SITE_IDS = SITES.map(({ siteId }) => siteId);
const TWENTY = SITE_IDS.slice(0, 20);

/** Made of characters that look different in base64, in a URL and in a form. */
const password = (of: string) => `p+ss wörd/&${of}% 1042`;

/** One for each case that begins without a token: n8n asks only once for a login that it has just had. */
const login = (username: string) => ({ username, password: password(username) });
const [FIRST, ...MORE] = [
	'node@example.com',
	'http-request@example.com',
	'mended@example.com',
	'elsewhere@example.com',
	'dialog@example.com',
].map(login);

let service: Service;
let elsewhere: Service;
let n8n: N8nInstance;

beforeAll(async () => {
	service = await startService({ sites: SITES, login: FIRST!, moreLogins: MORE });
	elsewhere = await startService();
	n8n = await N8nInstance.create({ ...prepared(), name: 'login', env: { N8N_LOG_LEVEL: 'debug' } });
	await n8n.start();
	await n8n.login();
});

afterAll(async () => {
	await n8n?.dispose();
	await elsewhere?.close();
	await service?.close();
});

afterEach(() => {
	service.faults.tokenLifetime = undefined;
});

/** Every wrong password of this file, by the name of its case. */
const wrongPasswords: Record<string, string> = {};

/** One that no other case has tried: a refusal is remembered for a while. */
function wrongPassword(of: string): string {
	return (wrongPasswords[`wrong password, ${of}`] = password(`wrong, ${of}`));
}

const saveCredential = (name: string, data: object) =>
	n8n.createCredential(name, { baseUrl: service.baseUrl, ...data });

/** Saves a workflow that gives the caller one item for each site. */
async function saveWorkflow(siteIds: number[], caller: INode): Promise<string> {
	return (await n8n.createWorkflow(readSites(siteIds, caller))).id;
}

/** Runs a workflow in the editor and counts what the service was asked meanwhile. */
async function run(workflowId: string) {
	const before = { ...service.counts };
	const execution = await n8n.runViaEditor(workflowId);
	const { logins, refusedLogins, siteRequests, unauthorized } = service.counts;
	return {
		execution,
		logins: logins - before.logins,
		refusedLogins: refusedLogins - before.refusedLogins,
		siteRequests: siteRequests - before.siteRequests,
		unauthorized: unauthorized - before.unauthorized,
	};
}

type Caller = (credential: CredentialReference, more?: Partial<INode>) => INode;

const byNode: Caller = (credential, more) =>
	siteNode('Read', credential, { operation: 'get', siteId: '={{ $json.siteId }}' }, more);

const byHttpRequest: Caller = (credential, more) =>
	httpRequest('Read', credential, `=${service.baseUrl}/meta/sites/{{ $json.siteId }}`, more);

describe.each([
	['the node', byNode, FIRST!],
	["n8n's HTTP Request node", byHttpRequest, MORE[0]!],
])('200 items through %s', (name, caller, user) => {
	let workflowId: string;

	beforeAll(async () => {
		const credential = await saveCredential(`Sea farm, ${name}`, user);
		workflowId = await saveWorkflow(SITE_IDS, caller(credential));
	});

	const everySite = SITE_IDS.map((siteId) => expect.objectContaining({ siteId }));

	test('without a token: one login', async () => {
		const { execution, ...asked } = await run(workflowId);
		expect(execution.json('Read')).toEqual(everySite);
		expect(asked).toEqual({ logins: 1, refusedLogins: 0, siteRequests: 200, unauthorized: 0 });
	});

	test('with the token that n8n has kept: no login', async () => {
		const { execution, ...asked } = await run(workflowId);
		expect(execution.json('Read')).toEqual(everySite);
		expect(asked).toEqual({ logins: 0, refusedLogins: 0, siteRequests: 200, unauthorized: 0 });
	});

	test('the token expires in mid-run: one login, and every item is there', async () => {
		const token = service.issuedTokens.at(-1);
		const used = service.requests.filter((request) => request.token === token).length;
		service.faults.tokenLifetime = { uses: used + 100 };
		const { execution, logins, refusedLogins, siteRequests, unauthorized } = await run(workflowId);
		expect(execution.json('Read')).toEqual(everySite);
		expect({ logins, refusedLogins }).toEqual({ logins: 1, refusedLogins: 0 });
		// Only the requests that were under way with the old token are sent again.
		expect(unauthorized).toBeGreaterThan(0);
		expect(unauthorized).toBeLessThan(100);
		expect(siteRequests).toBe(200 + unauthorized);
	});

	test('the token is unknown from the first request on: one login', async () => {
		service.expireTokens();
		const { execution, logins, refusedLogins } = await run(workflowId);
		expect(execution.json('Read')).toEqual(everySite);
		expect({ logins, refusedLogins }).toEqual({ logins: 1, refusedLogins: 0 });
	});

	// The same user is logged in with the right password: that one's token must be of no use here.
	test('20 items with a wrong password: one refused login, and no data', async () => {
		const wrong = { ...user, password: wrongPassword(`all items, ${name}`) };
		const credential = await saveCredential(`Mistyped, ${name}`, wrong);
		const workflow = await saveWorkflow(
			TWENTY,
			caller(credential, { onError: 'continueErrorOutput' }),
		);
		const { execution, ...asked } = await run(workflow);
		expect(execution.items('Read', 0)).toEqual([]);
		expect(execution.items('Read', 1)).toHaveLength(20);
		expect(asked).toEqual({ logins: 0, refusedLogins: 1, siteRequests: 0, unauthorized: 0 });
	});
});

test('a wrong password stops the node with the name of the credential and what to mend', async () => {
	const credential = await saveCredential('Mistyped', {
		...FIRST!,
		password: wrongPassword('stop'),
	});
	const { execution, ...asked } = await run(await saveWorkflow(TWENTY, byNode(credential)));
	expect(execution.status).toBe('error');
	expect(execution.failure).toEqual({
		node: 'Read',
		httpCode: '401',
		message: 'The service did not accept the username and password: credential "Mistyped" [item 0]',
		description:
			"Open the credential \"Mistyped\", type 'Username' and 'Password' again and save. " +
			'The same login is not tried again within a minute, so that the account does not get locked. ' +
			'The service says: "The username or the password is wrong."',
	});
	expect(asked).toEqual({ logins: 0, refusedLogins: 1, siteRequests: 0, unauthorized: 0 });
});

test('the right password works at once after a wrong one', async () => {
	const [, user] = MORE;
	const credential = await saveCredential('To be mended', {
		...user!,
		password: wrongPassword('mended'),
	});
	const workflow = await saveWorkflow([5001], byNode(credential));
	expect((await run(workflow)).execution.status).toBe('error');
	await n8n.rest('PATCH', `/credentials/${credential.id}`, {
		name: credential.name,
		type: 'aquacultureApi',
		data: { baseUrl: service.baseUrl, ...user! },
	});
	const { execution, ...asked } = await run(workflow);
	expect(execution.json('Read')).toEqual([expect.objectContaining({ siteId: 5001 })]);
	expect(asked).toEqual({ logins: 1, refusedLogins: 0, siteRequests: 1, unauthorized: 0 });
});

describe('the token stays with the service', () => {
	let credential: CredentialReference;

	beforeAll(async () => {
		credential = await saveCredential('For elsewhere', MORE[2]!);
		await run(await saveWorkflow([5001], byNode(credential)));
		expect(service.issuedTokens).not.toEqual([]);
	});

	afterEach(() => {
		const seen = JSON.stringify(elsewhere.requests);
		expect(elsewhere.requests).not.toEqual([]);
		expect(seen).not.toMatch(/authorization|bearer/i);
		for (const token of service.issuedTokens) expect(seen).not.toContain(token);
		elsewhere.reset();
	});

	test('when the HTTP Request node goes to another origin', async () => {
		const workflow = await saveWorkflow(
			[5001],
			httpRequest('Read', credential, `${elsewhere.baseUrl}/meta/sites/1042`),
		);
		const { execution } = await run(workflow);
		expect(execution.status).toBe('error');
	});

	test('when the service redirects the HTTP Request node to another origin', async () => {
		service.faults.site.push({ times: 1, redirect: { status: 307, to: elsewhere.origin } });
		await run(await saveWorkflow([5001], byHttpRequest(credential)));
		expect(service.requests.at(-1)?.token).toBe(service.issuedTokens.at(-1));
	});
});

describe('what the dialog says about a credential', () => {
	const [, , , user] = MORE;

	async function said(data: object) {
		const credential = await saveCredential('In the dialog', { ...user!, ...data });
		return await n8n.testCredential({
			...credential,
			type: 'aquacultureApi',
			data: { baseUrl: service.baseUrl, ...user!, ...data },
		});
	}

	test.each([
		['a good one', () => ({})],
		['a slash behind the address', () => ({ baseUrl: `${service.baseUrl}/` })],
		['the address of the login', () => ({ baseUrl: `${service.baseUrl}/auth/token` })],
	])('%s: good', async (_what, data) => {
		expect(await said(data())).toEqual({ status: 'OK', message: 'Connection successful!' });
	});

	test.each([
		[
			'a wrong password',
			() => ({ password: wrongPassword('dialog') }),
			'The service did not accept the username and password',
		],
		[
			'a port on which nobody listens',
			async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
			'Nothing answers at the address of the service',
		],
		[
			'an unknown host',
			() => ({ baseUrl: 'http://sea-farm.invalid' }),
			'The address of the service is not known',
		],
		[
			'no scheme',
			() => ({ baseUrl: new URL(service.baseUrl).host }),
			"'Base URL' has to begin with https:// or http://",
		],
		[
			'a website',
			() => {
				service.faults.token.push({ times: 1, status: 200, body: 'html' });
				return { password: wrongPassword('website') };
			},
			'The address answered the login with a web page',
		],
	])('%s: a sentence', async (_what, data, message) => {
		expect(await said(await data())).toEqual({ status: 'Error', message });
	});

	test('a wrong password is tried once', async () => {
		const { refusedLogins } = service.counts;
		await said({ password: wrongPassword('dialog, once') });
		expect(service.counts.refusedLogins).toBe(refusedLogins + 1);
	});
});

describe('secrets', () => {
	test('the search finds what there is to find', async () => {
		const canary = 'kanarifugl æøå +/1042';
		const encodings = {
			plain: canary,
			base64: Buffer.from(`user:${canary}`).toString('base64'),
			url: encodeURIComponent(canary),
		};
		const credential = await saveCredential('Cage', { ...FIRST!, username: canary });
		const { id } = await n8n.createWorkflow(
			chain(
				canary,
				node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
				node('Item', 'n8n-nodes-base.set', 3.4, {
					mode: 'raw',
					jsonOutput: JSON.stringify(encodings),
				}),
			),
		);
		await n8n.runViaEditor(id);
		const [execution] = await n8n.executionIds(id);
		const found = (await findSecrets(n8n, { canary })).map(
			({ place, form }) => `${place}: ${form}`,
		);
		expect(found).toEqual(
			expect.arrayContaining([
				`GET /credentials/${credential.id}?includeData=true: plain`,
				`GET /executions/${execution}: plain`,
				`GET /executions/${execution}: base64`,
				`GET /executions/${execution}: URL-encoded`,
				'table execution_data, data: plain',
				'table execution_data, data: base64',
				'table execution_data, data: URL-encoded',
				'file n8n.log: plain',
				expect.stringMatching(/^file .*database\.sqlite(-wal)?: plain$/),
			]),
		);
		// Its username is a secret of the stored credential only, where n8n has encrypted it.
		expect(found).not.toContainEqual(expect.stringContaining('credentials_entity'));
	});

	test('after all of the above, no password and no token is anywhere', async () => {
		const secrets = { ...secretsOf(service), ...wrongPasswords };
		expect(Object.keys(secrets).length).toBeGreaterThan(15);
		expect(await findSecrets(n8n, secrets)).toEqual([]);
	});
});
