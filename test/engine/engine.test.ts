import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
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
import { createEngine, type Engine } from './engine';

/**
 * The engine is honest only if it also shows what goes wrong: these reference types are written as
 * the usual tutorial has them, and n8n makes them log in too often. What our own package does
 * better is measured with the same engine in the tests of the credential and of the node.
 */
const naiveApi: ICredentialType = {
	name: 'naiveApi',
	displayName: 'Naive API',
	properties: [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
		{ displayName: 'Password', name: 'password', type: 'string', default: '' },
		{
			displayName: 'Token',
			name: 'token',
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	],
	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		const answer = (await this.helpers.httpRequest({
			method: 'POST',
			url: `${String(credentials.baseUrl)}/login`,
			body: { password: credentials.password },
		})) as { token: string };
		return { token: answer.token };
	},
	authenticate: {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
	},
	test: { request: { baseURL: '={{$credentials.baseUrl}}', url: '/data' } },
};

const credentials = [{ name: 'naiveApi', required: true }];
const description: INodeType['description'] = {
	displayName: 'Reference',
	name: 'reference',
	group: ['transform'],
	version: 1,
	description: '',
	defaults: { name: 'Reference' },
	inputs: ['main'],
	outputs: ['main'],
	credentials,
	properties: [{ displayName: 'Path', name: 'path', type: 'string', default: '/data' }],
};

/** Asks for all items at once; one that fails becomes an error item when the node may go on. */
const parallelNode: INodeType = {
	description,
	async execute(this: IExecuteFunctions) {
		const { baseUrl } = await this.getCredentials('naiveApi');
		const askFor = async (item: number) => {
			const path = this.getNodeParameter('path', item) as string;
			try {
				const json = (await this.helpers.httpRequestWithAuthentication.call(this, 'naiveApi', {
					url: `${String(baseUrl)}${path}`,
				})) as IDataObject;
				return { json, pairedItem: { item } };
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				return { json: { error: (error as Error).message }, pairedItem: { item } };
			}
		};
		this.addExecutionHints({ message: 'asked for all at once', location: 'outputPane' });
		this.logger.info('asking', { items: this.getInputData().length });
		return [await Promise.all(this.getInputData().map(async (_, item) => await askFor(item)))];
	},
};

/** Emits a number that goes up by one; silent at first, and it trips when told to. */
const countingTrigger: INodeType = {
	description: { ...description, polling: true, group: ['trigger'], inputs: [] },
	async poll(this: IPollFunctions) {
		if (this.getMode() === 'manual') return [[{ json: { sample: true } }]];
		const { baseUrl } = await this.getCredentials('naiveApi');
		const memory = this.getWorkflowStaticData('node');
		await this.helpers.httpRequestWithAuthentication.call(this, 'naiveApi', {
			url: `${String(baseUrl)}${this.getNodeParameter('path') as string}`,
		});
		memory.count = Number(memory.count ?? -1) + 1;
		return memory.count === 0 ? null : [[{ json: { count: memory.count } }]];
	},
};

const password = 'sample';
let server: Server;
let baseUrl: string;
let token: string;
let logins: number;
let requests: number;
/** Called when a request for `/wait`, which is never answered, has come in, and when it is cut. */
let waiting: { arrived: () => void; cut: () => void };

/** Tokens are numbered; only the last one issued counts, until it expires. */
beforeEach(async () => {
	token = '';
	logins = 0;
	requests = 0;
	server = createServer((request, response) => {
		const answer = (status: number, body: object) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		if (request.url === '/login') {
			logins += 1;
			let body = '';
			request.on('data', (chunk) => (body += chunk));
			request.on('end', () => {
				if ((JSON.parse(body) as IDataObject).password !== password) return answer(401, {});
				token ||= `token-${logins}`;
				return answer(200, { token });
			});
			return;
		}
		requests += 1;
		if (request.url === '/wait') {
			response.on('close', () => waiting.cut());
			return waiting.arrived();
		}
		if (request.headers.authorization !== `Bearer ${token}`) return answer(401, {});
		if (request.url === '/missing') return answer(404, { message: 'no such thing' });
		return answer(200, { url: request.url });
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
	server.closeAllConnections();
	await new Promise((closed) => server.close(closed));
});

async function referenceEngine(typed: ICredentialDataDecryptedObject = {}): Promise<Engine> {
	return await createEngine({
		types: {
			nodes: { 'test.parallel': parallelNode, 'test.trigger': countingTrigger },
			credentials: [naiveApi],
		},
		credentialType: 'naiveApi',
		credentials: { Reference: { baseUrl, password, ...typed } },
	});
}

const items = (count: number) => Array.from({ length: count }, (_, id) => ({ json: { id } }));
const node = { type: 'test.parallel' };
const httpRequest = () => ({
	type: 'n8n-nodes-base.httpRequest',
	parameters: { url: `${baseUrl}/data`, nodeCredentialType: 'naiveApi' },
});

describe('logins, as n8n makes them', () => {
	test('a cold token: one login for each item that runs side by side', async () => {
		const engine = await referenceEngine();
		const run = await engine.run({ node, items: items(20) });
		expect(run.items).toHaveLength(20);
		expect(logins).toBe(20);
		expect(requests).toBe(20);
		expect(engine.database.Reference).toMatchObject({ token });
	});

	test('a warm token: no login, and each item reads the credential', async () => {
		token = 'warm';
		const engine = await referenceEngine({ token });
		await engine.run({ node, items: items(20) });
		expect(logins).toBe(0);
		expect(engine.credentialReads).toBe(21);
	});

	test('a 401 leads to one renewal and one retry, and the new token is stored', async () => {
		const engine = await referenceEngine({ token: 'expired' });
		const run = await engine.run({ node });
		expect(run.error).toBeUndefined();
		expect({ logins, requests }).toEqual({ logins: 1, requests: 2 });
		await engine.run({ node });
		expect({ logins, requests }).toEqual({ logins: 1, requests: 3 });
	});

	test('a 401 from the login itself is tried twice', async () => {
		const engine = await referenceEngine({ password: 'wrong' });
		const run = await engine.run({ node });
		expect(run.status).toBe('error');
		expect({ logins, requests }).toEqual({ logins: 2, requests: 0 });
	});

	test('any other refusal of the node’s request is not tried again', async () => {
		token = 'warm';
		const engine = await referenceEngine({ token });
		const run = await engine.run({ node: { ...node, parameters: { path: '/missing' } } });
		expect(run.error?.httpCode).toBe('404');
		expect({ logins, requests }).toEqual({ logins: 0, requests: 1 });
	});

	test('a password that was changed in the dialog is used at once', async () => {
		const engine = await referenceEngine({ password: 'wrong' });
		await engine.run({ node });
		engine.editCredential('Reference', { password });
		expect((await engine.run({ node })).error).toBeUndefined();
	});

	test('the HTTP Request node logs in more than once for a cold token', async () => {
		const engine = await referenceEngine();
		const run = await engine.run({ node: httpRequest(), items: items(20) });
		expect(run.items.map(({ json }) => json.url)).toEqual(Array(20).fill('/data'));
		expect(logins).toBeGreaterThan(1);
	});

	test('the HTTP Request node logs in again after a 404 too', async () => {
		token = 'warm';
		const engine = await referenceEngine({ token });
		const { type, parameters } = httpRequest();
		const run = await engine.run({
			node: { type, parameters: { ...parameters, url: `${baseUrl}/missing` } },
		});
		expect(run.status).toBe('error');
		expect({ logins, requests }).toEqual({ logins: 1, requests: 2 });
	});
});

describe('the credential’s test', () => {
	test('takes the stored token, and logs in only where the service refuses it', async () => {
		const engine = await referenceEngine({ token: 'stale' });
		await expect(engine.testCredential('Reference')).resolves.toMatchObject({ status: 'OK' });
		expect({ logins, requests }).toEqual({ logins: 1, requests: 2 });
	});

	test('shows the bare status of a refusal that nobody translated', async () => {
		const engine = await referenceEngine({ password: 'wrong' });
		await expect(engine.testCredential('Reference')).resolves.toEqual({
			status: 'Error',
			message: 'Unauthorized',
		});
	});

	test('shows the bare code of a host that does not answer', async () => {
		const engine = await referenceEngine({ baseUrl: 'http://127.0.0.1:1' });
		const { message } = await engine.testCredential('Reference');
		expect(message).toBe('ECONNREFUSED');
	});
});

describe('a run', () => {
	beforeEach(() => {
		token = 'warm';
	});

	test('resolves expressions for each item, and pairs the output with it', async () => {
		const engine = await referenceEngine({ token });
		const run = await engine.run({
			node: { ...node, parameters: { path: '=/{{ $json.id + 1 }}/{{ $("Start").item.json.id }}' } },
			items: items(2),
		});
		expect(run.items).toEqual([
			{ json: { url: '/1/0' }, pairedItem: { item: 0 } },
			{ json: { url: '/2/1' }, pairedItem: { item: 1 } },
		]);
	});

	test('hands out hints and log lines', async () => {
		const engine = await referenceEngine({ token });
		const run = await engine.run({ node, items: items(3) });
		expect(run.hints).toEqual([expect.objectContaining({ message: 'asked for all at once' })]);
		expect(engine.logs).toContainEqual(
			expect.objectContaining({ level: 'info', message: 'asking', metadata: { items: 3 } }),
		);
	});

	test('sends failed items to the error output, with the fields of their input', async () => {
		const engine = await referenceEngine({ token });
		const run = await engine.run({
			node: {
				...node,
				onError: 'continueErrorOutput',
				parameters: { path: '={{ $json.id === 1 ? "/missing" : "/data" }}' },
			},
			items: items(3),
		});
		expect(run.outputs.map((output) => output.length)).toEqual([2, 1]);
		expect(run.outputs[1]?.[0]?.json).toMatchObject({ id: 1, error: expect.any(String) });
	});

	test('is tried again as the node’s «Retry On Fail» says', async () => {
		const engine = await referenceEngine({ token });
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		await engine.run({ node: { ...node, ...retry, parameters: { path: '/missing' } } });
		expect(requests).toBe(3);
	});

	test('ends with its requests when it is stopped', async () => {
		const engine = await referenceEngine({ token });
		const stopping = new AbortController();
		const cut = new Promise<void>((resolve) => {
			waiting = { arrived: () => stopping.abort(), cut: resolve };
		});
		const run = await engine.run({
			node: { ...node, parameters: { path: '/wait' } },
			signal: stopping.signal,
		});
		await cut;
		expect(run.status).toBe('canceled');
		expect(requests).toBe(1);
	});

	test('of a whole workflow gives the output of each node', async () => {
		const engine = await referenceEngine({ token });
		const result = await engine.runWorkflow({
			nodes: [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
				{ name: 'Ask', type: 'test.parallel' },
				{ name: 'End', type: 'n8n-nodes-base.noOp' },
			],
			connections: {
				Start: { main: [[{ node: 'Ask', type: 'main', index: 0 }]] },
				Ask: { main: [[{ node: 'End', type: 'main', index: 0 }]] },
			},
		});
		expect(result.outputs('End')).toEqual([[expect.objectContaining({ json: { url: '/data' } })]]);
	});
});

describe('a polling trigger', () => {
	const trigger = { type: 'test.trigger' };

	beforeEach(() => {
		token = 'warm';
	});

	test('polls at its activation, and remembers from poll to poll and over a restart', async () => {
		const engine = await referenceEngine({ token });
		const polling = engine.pollingTrigger(trigger);
		await expect(polling.activate()).resolves.toBeNull();
		await expect(polling.poll()).resolves.toEqual([{ json: { count: 1 } }]);
		expect(polling.staticData).toEqual({ count: 1 });
		const restarted = engine.pollingTrigger(trigger, polling.saved);
		await expect(restarted.activate()).resolves.toEqual([{ json: { count: 2 } }]);
	});

	test('loses what a silent poll remembered, as n8n does', async () => {
		const engine = await referenceEngine({ token });
		const polling = engine.pollingTrigger(trigger);
		await expect(polling.poll()).resolves.toBeNull();
		expect(polling.staticData).toEqual({ count: 0 });
		expect(polling.saved).toEqual({});
	});

	test('passes on what the node throws', async () => {
		const engine = await referenceEngine({ token });
		const polling = engine.pollingTrigger({ ...trigger, parameters: { path: '/missing' } });
		await expect(polling.activate()).rejects.toMatchObject({ httpCode: '404' });
		await expect(polling.poll()).rejects.toMatchObject({ httpCode: '404' });
	});

	test('run by hand gives its sample', async () => {
		const engine = await referenceEngine({ token });
		const run = await engine.testTrigger(trigger);
		expect(run.items.map(({ json }) => json)).toEqual([{ sample: true }]);
	});
});

test('n8n’s user folder is a temporary one, and gone', async () => {
	await referenceEngine();
	const { n8nFolder } = Container.get(InstanceSettings);
	expect(n8nFolder.startsWith(tmpdir())).toBe(true);
	expect(existsSync(n8nFolder)).toBe(false);
});
