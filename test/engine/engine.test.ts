import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestHelper,
	INodeType,
	IPollFunctions,
} from 'n8n-workflow';
import { type Service, startService } from '../fake-service/service';
import { createEngine, type Engine } from './engine';
import { describeNode, field } from './stand-in-nodes';

/**
 * The engine has to show what goes wrong, too: these reference types are written as the usual tutorial has them, and
 * n8n makes them log in too often. The tests of the credential and the node use the same engine.
 */
const naiveApi: ICredentialType = {
	name: 'naiveApi',
	displayName: 'Naive API',
	properties: [
		...['baseUrl', 'username', 'password'].map(field),
		{ ...field('token'), type: 'hidden', typeOptions: { expirable: true } },
	],
	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		const { baseUrl, username, password } = credentials;
		const response = (await this.helpers.httpRequest({
			method: 'POST',
			url: `${baseUrl as string}/auth/token`,
			headers: { 'Api-Version': '2025-01-01' },
			body: { username, password },
		})) as { access_token: string };
		return { token: response.access_token };
	},
	authenticate: ({ token }, options) => {
		const headers = { 'Api-Version': '2025-01-01', Authorization: `Bearer ${token as string}` };
		return Promise.resolve({ ...options, headers });
	},
	test: { request: { baseURL: '={{$credentials.baseUrl}}', url: '/meta/sites/1042' } },
};

const description = describeNode('reference', {
	credentials: [{ name: 'naiveApi', required: true }],
	properties: [{ ...field('siteId'), default: '1042' }],
});

async function readSite(context: IExecuteFunctions | IPollFunctions, siteId: unknown) {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('naiveApi');
	const url = `${baseUrl}/meta/sites/${siteId as string}`;
	const { helpers } = context;
	const json: unknown = await helpers.httpRequestWithAuthentication.call(context, 'naiveApi', {
		url,
	});
	return json as IDataObject;
}

/** Requests all items at once. */
const parallelNode: INodeType = {
	description,
	async execute(this: IExecuteFunctions) {
		const read = async (item: number) => ({
			json: await readSite(this, this.getNodeParameter('siteId', item)),
			pairedItem: { item },
		});
		return [await Promise.all(this.getInputData().map((_, item) => read(item)))];
	},
};

/** Emits a number that goes up by one, but nothing at first. */
const countingTrigger: INodeType = {
	description: { ...description, polling: true, group: ['trigger'], inputs: [] },
	async poll(this: IPollFunctions) {
		const memory = this.getWorkflowStaticData('node');
		await readSite(this, this.getNodeParameter('siteId'));
		memory.count = Number(memory.count ?? -1) + 1;
		return memory.count === 0 ? null : [[{ json: { count: memory.count } }]];
	},
};

let service: Service;

beforeAll(async () => {
	service = await startService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

async function referenceEngine(typed: ICredentialDataDecryptedObject = {}): Promise<Engine> {
	return await createEngine({
		types: {
			nodes: { 'test.parallel': parallelNode, 'test.trigger': countingTrigger },
			credentials: { naiveApi },
		},
		credentialType: 'naiveApi',
		credentials: { Reference: { baseUrl: service.baseUrl, ...service.login, ...typed } },
	});
}

const twenty = Array.from({ length: 20 }, (_, id) => ({ json: { id } }));
const node = { type: 'test.parallel' };
const missing = { ...node, parameters: { siteId: '99' } };
const httpRequest = (siteId: number) => ({
	type: 'n8n-nodes-base.httpRequest',
	parameters: { url: `${service.baseUrl}/meta/sites/${siteId}`, nodeCredentialType: 'naiveApi' },
});

/** An engine whose credential has a token; its login is not counted. */
async function warmEngine(): Promise<Engine> {
	const engine = await referenceEngine();
	await engine.run({ node });
	Object.assign(service.counts, { tokenRequests: 0, siteRequests: 0 });
	return engine;
}

const expectRequests = (tokenRequests: number, siteRequests: number) =>
	expect(service.counts).toMatchObject({ tokenRequests, siteRequests });

describe("n8n's logins", () => {
	test('without a token: one login for each item that runs side by side', async () => {
		const engine = await referenceEngine();
		expect((await engine.run({ node, items: twenty })).items).toHaveLength(20);
		expectRequests(20, 20);
		expect(service.issuedTokens).toContain(engine.database.Reference?.token);
	});

	test('with a token: no login; for each item, the node and its request read the credential', async () => {
		const engine = await warmEngine();
		const before = engine.credentialReads;
		await engine.run({ node, items: twenty });
		expectRequests(0, 20);
		expect(engine.credentialReads - before).toBe(40);
	});

	test('a 401 leads to one login and one retry, and the new token is stored', async () => {
		const engine = await referenceEngine({ token: 'expired' });
		expect((await engine.run({ node })).error).toBeUndefined();
		expectRequests(1, 2);
		await engine.run({ node });
		expectRequests(1, 3);
	});

	test('a 401 from the login itself is retried, and a corrected password is used at once', async () => {
		const engine = await referenceEngine({ password: 'wrong' });
		expect((await engine.run({ node })).status).toBe('error');
		expectRequests(2, 0);
		engine.editCredential('Reference', { password: service.login.password });
		expect((await engine.run({ node })).error).toBeUndefined();
	});

	test('another refusal is not retried', async () => {
		const engine = await warmEngine();
		expect((await engine.run({ node: missing })).error?.httpCode).toBe('404');
		expectRequests(0, 1);
	});

	test('the HTTP Request node logs in more than once without a token', async () => {
		const engine = await referenceEngine();
		const run = await engine.run({ node: httpRequest(1042), items: twenty });
		expect(run.items.map(({ json }) => json.siteId)).toEqual(Array(20).fill(1042));
		expect(service.counts.logins).toBeGreaterThan(1);
	});

	test('the HTTP Request node logs in again after a 404, too', async () => {
		const engine = await warmEngine();
		expect((await engine.run({ node: httpRequest(99) })).status).toBe('error');
		expectRequests(1, 2);
	});
});

test("the credential's test uses the stored token, and logs in where the service refuses it", async () => {
	const engine = await referenceEngine({ token: 'stale' });
	await expect(engine.testCredential('Reference')).resolves.toMatchObject({ status: 'OK' });
	expectRequests(1, 2);
});

test.each([
	['status', { password: 'wrong' }, 'Unauthorized'],
	['code', { baseUrl: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
])(
	"the credential's test shows the bare %s that nobody has translated",
	async (_, typed, message) => {
		const engine = await referenceEngine(typed);
		const shown = { status: 'Error', message };
		await expect(engine.testCredential('Reference')).resolves.toEqual(shown);
	},
);

test('a run ends with its requests when it is stopped', async () => {
	const engine = await warmEngine();
	const stopping = new AbortController();
	const latencyMs = () => (stopping.abort(), 3_600_000);
	service.faults.site.push({ latencyMs });
	const { status } = await engine.run({ node, signal: stopping.signal });
	expect(status).toBe('canceled');
	expectRequests(0, 1);
});

test('a polling trigger has what n8n saves: after the activation, and with items', async () => {
	const engine = await referenceEngine();
	const trigger = { type: 'test.trigger' };
	const polling = engine.pollingTrigger(trigger);
	await expect(polling.poll()).resolves.toBeNull();
	expect([polling.staticData, polling.saved]).toEqual([{ count: 0 }, {}]);
	await expect(polling.poll()).resolves.toEqual([{ json: { count: 1 } }]);
	const restarted = engine.pollingTrigger(trigger, polling.saved);
	await expect(restarted.activate()).resolves.toEqual([{ json: { count: 2 } }]);
	expect(restarted.saved).toMatchObject({ 'node:Trigger': { count: 2 } });
	service.faults.site.push({ status: 404 });
	await expect(polling.poll()).rejects.toMatchObject({ httpCode: '404' });
});

test("n8n's user folder is a temporary one, and gone", async () => {
	await referenceEngine();
	const { n8nFolder } = Container.get(InstanceSettings);
	expect(n8nFolder.startsWith(tmpdir())).toBe(true);
	expect(existsSync(n8nFolder)).toBe(false);
});
