import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
} from 'n8n-workflow';
import { createEngine } from '../tools/engine/engine';
import { httpRequestNode, itemsWith, siteNode, useSeaFarm } from '../tools/engine/sea-farm';
import { field } from '../tools/engine/stand-in-nodes';
import { defined } from '../tools/helpers/at';

const farm = useSeaFarm();

/**
 * The engine has to show what goes wrong, too: these types are written as the usual tutorial has them, and n8n makes them
 * log in too often. That the shipped types do not, their own tests show with the same engine.
 */
const naiveApi: ICredentialType = {
	name: 'aquacultureApi',
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
};

const twenty = itemsWith(Array(20).fill(1042));
const siteRequest = (siteId: number) =>
	httpRequestNode(`${farm.service.baseUrl}/meta/sites/${siteId}`);

test("n8n's logins with naive types: more than one without a token, and again after a 404", async () => {
	const { baseUrl, login } = farm.service;
	const engine = await createEngine({
		types: { nodes: {}, credentials: { aquacultureApi: naiveApi } },
		credentials: { Naive: { baseUrl, ...login } },
	});
	const { items } = await engine.run({ node: siteRequest(1042), items: twenty });
	expect(items.map(({ json }) => json.siteId)).toEqual(Array(20).fill(1042));
	expect(farm.service.issuedTokens).toContain(engine.database.Naive?.token);
	expect(engine.credentialReads).toBe(40);
	const before = farm.service.counts.logins;
	expect(before).toBeGreaterThan(1);
	expect((await engine.run({ node: siteRequest(99) })).status).toBe('error');
	expect(farm.service.counts.logins - before).toBe(1);
});

test.each([
	['an engine', true, 2],
	['engines that are not fresh', false, 1],
])('the modules of the package remember a login for %s', async (_, fresh, logins) => {
	const { baseUrl, login } = farm.service;
	for (let engines = 1; engines <= 2; engines++) {
		const n8n = await createEngine({ fresh, credentials: { Own: { baseUrl, ...login } } });
		const get = siteNode({ operation: 'get', siteId: 1042 });
		expect((await n8n.run({ node: get })).items).toHaveLength(1);
	}
	expect(farm.service.counts.logins).toBe(logins);
});

test('what a trigger remembers is saved after the activation, not after a poll without items', async () => {
	const type = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';
	const trigger = farm.engine.pollingTrigger({ type, parameters: { siteIds: '1042' } });
	await trigger.poll();
	expect(trigger.saved).toEqual({});
	await trigger.activate();
	expect(Object.keys(trigger.saved)).toEqual(['node:Node']);
});

test('a stack trace names files that have a source of the same name, and the lines of the calls', async () => {
	const { error } = await farm.engine.run({ node: siteNode({ operation: 'get', siteId: 'x' }) });
	const frames = [...defined(error?.stack).matchAll(/at (\S+) \((\S+):(\d+):\d+\)/g)]
		.map(([, name = '', file = '', line]) => ({ name, file, line: Number(line) }))
		.filter(({ file }) => file.startsWith(resolve('dist')));
	expect(frames.length).toBeGreaterThan(2);
	let called = 'NodeOperationError';
	for (const { name, file, line } of frames) {
		expect(existsSync(relative('dist', file).replace(/js$/, 'ts'))).toBe(true);
		expect(readFileSync(file, 'utf8').split('\n')[line - 1]).toContain(called);
		called = defined(name.split('.').at(-1));
	}
});
