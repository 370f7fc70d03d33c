import type { Engine } from '../engine/engine';
import { CREDENTIAL, httpRequestNode, seaFarm, siteNode } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';

// A busy machine takes its time
jest.setTimeout(30_000);

let service: Service;
let other: Service;
/** Has run once, so n8n has stored a token that still works. */
let engine: Engine;

const get = siteNode({ operation: 'get', siteId: 1042 });
const request = () => httpRequestNode(`${service.baseUrl}/meta/sites/1042`);
const WRONG_PASSWORD = 'The service rejected the username or password';

beforeAll(async () => {
	[service, other] = await Promise.all([startService(), startService()]);
});
beforeEach(async () => {
	service.reset();
	other.reset();
	engine = await seaFarm(service);
	await engine.run({ node: get });
});
afterAll(() => Promise.all([service.close(), other.close()]));

/** n8n keeps the hidden token when somebody edits the other fields in its dialog. */
describe('when a credential that worked is edited, the stored token counts no more', () => {
	test('a wrong password gets no data', async () => {
		engine.editCredential(CREDENTIAL, { password: 'wrong' });
		const run = await engine.run({ node: get });
		expect(run.error?.message).toContain(WRONG_PASSWORD);
		expect(service.counts).toMatchObject({ refusedLogins: 1, siteRequests: 1 });
	});

	test('a wrong password gets no data through n8n’s HTTP Request node', async () => {
		engine.editCredential(CREDENTIAL, { password: 'wrong' });
		const run = await engine.run({ node: request() });
		expect(run.status).toBe('error');
		expect(service.counts).toMatchObject({ refusedLogins: 1, siteRequests: 1 });
	});

	test('another username gets no data', async () => {
		engine.editCredential(CREDENTIAL, { username: 'somebody-else@example.com' });
		const run = await engine.run({ node: get });
		expect(run.error?.message).toContain(WRONG_PASSWORD);
		expect(service.counts.siteRequests).toBe(1);
	});

	test('another service never sees it', async () => {
		engine.editCredential(CREDENTIAL, { baseUrl: other.baseUrl });
		const run = await engine.run({ node: get, items: [{ json: {} }, { json: {} }] });
		expect(run.items).toHaveLength(2);
		expect(other.counts).toMatchObject({ logins: 1, unauthorized: 0 });
		expect(JSON.stringify(other.requests)).not.toContain(service.issuedTokens[0]);
	});

	test('the credential’s test refuses a wrong password', async () => {
		engine.editCredential(CREDENTIAL, { password: 'wrong' });
		await expect(engine.testCredential(CREDENTIAL)).resolves.toEqual({
			status: 'Error',
			message: WRONG_PASSWORD,
		});
	});

	test('a new password that the service knows works at once, with one login', async () => {
		service.logins[0]!.password = 'new-sample-password';
		engine.editCredential(CREDENTIAL, { password: 'new-sample-password' });
		const items = Array.from({ length: 20 }, () => ({ json: {} }));
		expect((await engine.run({ node: get, items })).items).toHaveLength(20);
		expect(service.counts).toMatchObject({ logins: 2, refusedLogins: 0, unauthorized: 0 });
	});

	test('but the same login in other words, a slash at the end, keeps it', async () => {
		engine.editCredential(CREDENTIAL, { baseUrl: ` ${service.baseUrl}/ ` });
		expect((await engine.run({ node: get })).items).toHaveLength(1);
		expect(service.counts.logins).toBe(1);
	});
});

describe('the credential’s test', () => {
	test('proves the login, not only the token that n8n has kept', async () => {
		service.logins[0]!.password = 'changed-at-the-service';
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11_000);
		await expect(engine.testCredential(CREDENTIAL)).resolves.toMatchObject({
			message: WRONG_PASSWORD,
		});
		jest.restoreAllMocks();
	});

	test('takes a token that was stored without a word of its login, and proves the login', async () => {
		engine.editCredential(CREDENTIAL, { accessTokenLogin: '', accessToken: 'of-an-older-version' });
		await expect(engine.testCredential(CREDENTIAL)).resolves.toMatchObject({ status: 'OK' });
		expect(JSON.stringify(service.requests)).not.toContain('of-an-older-version');
	});
});
