import { createEngine, type Engine, type TestNode } from '../engine/engine';
import {
	CREDENTIAL,
	dataOf,
	httpRequestNode,
	itemsWith,
	seaFarm,
	siteNode,
} from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';
import { manySites, sampleSites } from '../fake-service/sites';

// A busy machine takes its time
jest.setTimeout(30_000);

const farms = manySites(200);
const ids = farms.map(({ siteId }) => siteId);
const refused = `The service rejected the username or password: credential "${CREDENTIAL}"`;

let service: Service;

beforeAll(async () => {
	service = await startService({ sites: [...sampleSites(), ...farms] });
});
beforeEach(() => service.reset());
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

/** Lets the clock of n8n's process jump ahead. */
function advance(seconds: number): void {
	const later = Date.now() + seconds * 1000;
	jest.spyOn(Date, 'now').mockReturnValue(later);
}

const get = (siteId: number | string = 1042) => siteNode({ operation: 'get', siteId });
const tokenRequests = () => service.requests.filter(({ endpoint }) => endpoint === 'token');
const siteRequests = () => service.requests.filter(({ endpoint }) => endpoint === 'site');

describe('service.md, «Obtain an access token»', () => {
	test('method and path: POST {base_url}/auth/token', async () => {
		await (await seaFarm(service)).run({ node: get() });
		expect(tokenRequests()).toEqual([
			expect.objectContaining({ method: 'POST', url: '/auth/token', status: 200 }),
		]);
	});

	test('request headers: Content-Type application/json and Api-Version 2025-01-01', async () => {
		await (
			await seaFarm(service)
		).run({
			node: siteNode({ operation: 'get', siteId: 1042, options: { apiVersion: '2023-01-01' } }),
		});
		const { headers } = tokenRequests()[0]!;
		expect(headers['content-type']).toMatch(/^application\/json\b/);
		expect(headers['api-version']).toBe('2025-01-01');
		expect(headers.authorization).toBeUndefined();
	});

	test('request body: username and password as JSON text, whatever characters they hold', async () => {
		const login = { username: ' ola "N" ', password: 'pæs\\sørd\n{{ 1 }} % 🐟' };
		service.logins.push(login);
		const run = await (await seaFarm(service, login)).run({ node: get() });
		expect(run.items).toHaveLength(1);
		expect(JSON.parse(tokenRequests()[0]!.body)).toEqual(login);
	});

	test.each(['0', '-1', '1', 'soon', '', 3600, 0, null, undefined, { seconds: 5 }])(
		'expires_in %j plays no part: the token is used until it is refused',
		async (expires_in) => {
			service.faults.token.push({ merge: { expires_in } });
			const engine = await seaFarm(service);
			expect((await engine.run({ node: get() })).items).toHaveLength(1);
			advance(100_000);
			expect((await engine.run({ node: get(1057) })).items).toHaveLength(1);
			expect(service.counts.logins).toBe(1);
		},
	);

	test.each([300, 403, 500])('a token in an answer with status %i is none', async (status) => {
		const body = { json: { access_token: 'a.b.c', token_type: 'Bearer' } };
		service.faults.token.push({ status, body });
		const run = await (await seaFarm(service)).run({ node: get() });
		expect(run.status).toBe('error');
		expect(siteRequests()).toEqual([]);
	});

	test.each(['bearer', 'BEARER', undefined])(
		'token_type %j is taken for Bearer',
		async (token_type) => {
			service.faults.token.push({ merge: { token_type } });
			const run = await (await seaFarm(service)).run({ node: get() });
			expect(run.items).toHaveLength(1);
		},
	);
});

test('service.md, «Authentication», step 2: every other request carries the token as Bearer', async () => {
	const engine = await seaFarm(service);
	await engine.run({ node: get('={{ $json.id }}'), items: itemsWith(ids.slice(0, 20)) });
	await engine.run({ node: httpRequestNode(`${service.baseUrl}/meta/sites/1042`) });
	const [token] = service.issuedTokens;
	expect(siteRequests()).toHaveLength(21);
	for (const { headers } of siteRequests()) expect(headers.authorization).toBe(`Bearer ${token}`);
	expect(engine.database[CREDENTIAL]).toMatchObject({ accessToken: token });
});

describe.each<[string, () => TestNode]>([
	['the node «Aquaculture Site»', () => get('={{ $json.id }}')],
	[
		'n8n’s HTTP Request node',
		() => httpRequestNode(`=${service.baseUrl}/meta/sites/{{ $json.id }}`),
	],
])('200 items at once through %s', (_, node) => {
	const items = itemsWith(ids);
	const served = (run: { items: Array<{ json: object }> }) =>
		run.items.map(({ json }) => (json as { siteId: number }).siteId);

	test('without a token: one login', async () => {
		const engine = await seaFarm(service);
		expect(served(await engine.run({ node: node(), items }))).toEqual(ids);
		expect(service.counts).toMatchObject({ tokenRequests: 1, logins: 1, unauthorized: 0 });
	});

	test('with a token that still holds: no login', async () => {
		const engine = await seaFarm(service);
		await engine.run({ node: get() });
		expect(served(await engine.run({ node: node(), items }))).toEqual(ids);
		expect(service.counts).toMatchObject({ tokenRequests: 1, unauthorized: 0 });
	});

	test('with a token that has expired: one login', async () => {
		const engine = await seaFarm(service);
		await engine.run({ node: get() });
		service.expireTokens();
		expect(served(await engine.run({ node: node(), items }))).toEqual(ids);
		expect(service.counts).toMatchObject({ tokenRequests: 2, logins: 2 });
	});

	test('with a token that has expired, after a restart of n8n: one login', async () => {
		const engine = await seaFarm(service, { accessToken: 'issued.long.ago' });
		expect(served(await engine.run({ node: node(), items }))).toEqual(ids);
		expect(service.counts).toMatchObject({ tokenRequests: 1, logins: 1 });
	});

	test('in two executions side by side, without a token: one login', async () => {
		const engine = await seaFarm(service);
		const runs = await Promise.all([0, 1].map(() => engine.run({ node: node(), items })));
		expect(runs.map(served)).toEqual([ids, ids]);
		expect(service.counts).toMatchObject({ tokenRequests: 1, logins: 1 });
	});

	test.each([400, 401, 403])(
		'twenty of them with a login refused by %i: one try',
		async (status) => {
			service.faults.token.push({ status });
			const engine = await seaFarm(service);
			for (let execution = 0; execution < 2; execution++) {
				const run = await engine.run({
					node: { ...node(), onError: 'continueRegularOutput' },
					items: items.slice(0, 20),
				});
				expect(run.items).toHaveLength(20);
			}
			expect(service.counts).toMatchObject({ requests: 1, refusedLogins: 1 });
		},
	);

	test('twenty of them with a wrong password: one refused login, and what to mend', async () => {
		const engine = await seaFarm(service, { password: 'wrong-one' });
		const run = await engine.run({ node: node(), items: items.slice(0, 20) });
		expect(run.status).toBe('error');
		const text = `${run.error?.message} ${run.error?.description}`;
		expect(text).toContain('The service rejected the username or password');
		expect(text).toMatch(/Open the credential.*type 'Username' and 'Password' again and save/);
		expect(text).not.toMatch(/wrong-one|Unauthorized|AxiosError|127\.0\.0\.1/);
		expect(service.counts).toMatchObject({ requests: 1, refusedLogins: 1 });
	});
});

test('tokens that are good for a hundred requests each are renewed in mid-run, and no item is lost', async () => {
	service.faults.tokenLifetime = { uses: 100 };
	const engine = await seaFarm(service);
	const run = await engine.run({ node: get('={{ $json.id }}'), items: itemsWith(ids) });
	expect(dataOf(run)).toEqual(farms);
	expect(service.counts.logins).toBeGreaterThanOrEqual(2);
	expect(service.counts.logins).toBeLessThanOrEqual(4);
});

describe('a refused login', () => {
	test('names the credential and says what to do', async () => {
		const run = await (await seaFarm(service, { password: 'wrong-one' })).run({ node: get() });
		expect(run.error?.message).toBe(refused);
		expect(run.error?.description).toBe(
			`Open the credential "${CREDENTIAL}", type 'Username' and 'Password' again and save. The same login is not tried again within a minute, so that the account does not get locked. The service says: "The username or the password is wrong."`,
		);
	});

	test('is followed by the right password at once', async () => {
		const engine = await seaFarm(service, { password: 'wrong-one' });
		await engine.run({ node: get() });
		engine.editCredential(CREDENTIAL, { password: service.login.password });
		expect((await engine.run({ node: get() })).items).toHaveLength(1);
		expect(service.counts).toMatchObject({ refusedLogins: 1, logins: 1 });
	});

	test('is not tried again by the next executions, and is after a minute', async () => {
		const engine = await seaFarm(service, { password: 'given-later' });
		for (let execution = 0; execution < 3; execution++) await engine.run({ node: get() });
		service.login.password = 'given-later';
		expect((await engine.run({ node: get() })).error?.message).toBe(refused);
		expect(service.counts.tokenRequests).toBe(1);
		advance(61);
		expect((await engine.run({ node: get() })).items).toHaveLength(1);
		expect(service.counts.tokenRequests).toBe(2);
	});

	test('does not repeat a password that the service echoes', async () => {
		service.faults.token.push({
			status: 401,
			body: { json: { message: 'No login with odd-secret-77.' } },
		});
		const { error } = await (
			await seaFarm(service, { password: 'odd-secret-77' })
		).run({ node: get() });
		expect(error?.description).toContain('The service says: "No login with •••."');
		expect(JSON.stringify(error)).not.toContain('odd-secret-77');
	});
});

describe('two users of one n8n with the same username, one with a wrong password', () => {
	const credentials = () => ({
		Right: { baseUrl: service.baseUrl, ...service.login },
		Wrong: { baseUrl: service.baseUrl, ...service.login, password: 'guessed' },
	});
	const node = (credential: string) => ({ ...get(), credential });

	async function expectNoData(engine: Engine) {
		const run = await engine.run({ node: node('Wrong') });
		expect(run.error?.message).toBe(refused.replace(CREDENTIAL, 'Wrong'));
		expect(dataOf(run)).toEqual([]);
		expect(engine.database.Wrong).not.toMatchObject({ accessToken: service.issuedTokens[0] });
	}

	test('the wrong one gets no data after the right one', async () => {
		const engine = await createEngine({ credentials: credentials() });
		expect((await engine.run({ node: node('Right') })).items).toHaveLength(1);
		await expectNoData(engine);
		expect(service.counts.siteRequests).toBe(1);
	});

	test('the right one gets data after the wrong one', async () => {
		const engine = await createEngine({ credentials: credentials() });
		await expectNoData(engine);
		expect((await engine.run({ node: node('Right') })).items).toHaveLength(1);
	});

	test('each gets what is due when both ask at the same moment', async () => {
		const engine = await createEngine({ credentials: credentials() });
		const [right] = await Promise.all([engine.run({ node: node('Right') }), expectNoData(engine)]);
		expect(right.items).toHaveLength(1);
		expect(service.counts.siteRequests).toBe(1);
	});

	test('with the same password at another address, each address has its own login', async () => {
		const other = await startService();
		const engine = await createEngine({
			credentials: {
				Here: { baseUrl: service.baseUrl, ...service.login },
				There: { baseUrl: other.baseUrl, ...other.login },
			},
		});
		for (const name of ['Here', 'There']) await engine.run({ node: node(name) });
		expect([service.counts.logins, other.counts.logins]).toEqual([1, 1]);
		await other.close();
	});
});

describe('an answer of the token endpoint that is no token', () => {
	const noToken = 'The login response contains no access token';
	const webPage = 'The login returned a web page';

	test.each([
		['HTML', { body: 'html' as const }, webPage],
		['nothing', { body: 'empty' as const }, noToken],
		['204 and nothing', { status: 204 }, noToken],
		['JSON that ends too early', { body: 'broken' as const }, noToken],
		['plain text', { body: 'text' as const }, noToken],
		['null', { body: { json: null } }, noToken],
		['a list', { body: { json: ['token'] } }, noToken],
		['no access_token', { merge: { access_token: undefined } }, noToken],
		['an empty access_token', { merge: { access_token: '' } }, noToken],
		['a number', { merge: { access_token: 42 } }, noToken],
		['an object', { merge: { access_token: {} } }, noToken],
		['an access_token with a line break', { merge: { access_token: 'a\r\nX-Evil: 1' } }, noToken],
		['an access_token with a space', { merge: { access_token: 'a b' } }, noToken],
		['another token_type', { merge: { token_type: 'mac' } }, noToken],
		['a token_type that is no text', { merge: { token_type: 1 } }, noToken],
	])('%s', async (_, fault, sentence) => {
		service.faults.token.push(fault);
		const engine = await seaFarm(service);
		const run = await engine.run({
			node: { ...get('={{ $json.id }}'), onError: 'continueRegularOutput' },
			items: itemsWith(ids.slice(0, 20)),
		});
		for (const data of dataOf(run)) {
			expect((data as { error: string }).error).toContain(
				`${sentence}: credential "${CREDENTIAL}"`,
			);
		}
		expect(run.items).toHaveLength(20);
		expect(service.counts).toMatchObject({ tokenRequests: 1, siteRequests: 0 });

		// Nothing is wrong with the password, so nothing is remembered
		service.faults.token = [];
		expect((await engine.run({ node: get() })).items).toHaveLength(1);
	});

	test.each([
		[404, `No login endpoint was found at this address: credential "${CREDENTIAL}"`],
		[405, `No login endpoint was found at this address: credential "${CREDENTIAL}"`],
		[422, `The service refused the login (status 422): credential "${CREDENTIAL}"`],
		[500, 'The service is unavailable (status 500)'],
	])('status %i', async (status, sentence) => {
		service.faults.token.push({ status });
		const run = await (await seaFarm(service)).run({ node: get() });
		expect(run.error?.message).toBe(sentence);
		expect(service.counts).toMatchObject({ tokenRequests: 1, siteRequests: 0 });
	});
});

describe('a token endpoint that is down for a moment', () => {
	test.each([
		['502', { status: 502 }],
		['503', { status: 503, retryAfter: 0 }],
		['429', { status: 429, retryAfter: 0 }],
		['a broken connection', { connection: 'reset' as const }],
	])('%s is asked again, once for all items', async (_, fault) => {
		jest.spyOn(Math, 'random').mockReturnValue(0.01);
		service.faults.token.push({ ...fault, times: 1 });
		const run = await (
			await seaFarm(service)
		).run({ node: get('={{ $json.id }}'), items: itemsWith(ids.slice(0, 20)) });
		expect(run.items).toHaveLength(20);
		expect(service.counts).toMatchObject({ tokenRequests: 2, logins: 1 });
	});
});

describe('what the credential remembers', () => {
	test('a token, for a few seconds only for whoever comes with none', async () => {
		const engine = await seaFarm(service);
		await engine.run({ node: get() });
		engine.editCredential(CREDENTIAL, { accessToken: '' });
		await engine.run({ node: get() });
		expect(service.counts.logins).toBe(1);

		engine.editCredential(CREDENTIAL, { accessToken: '' });
		advance(11);
		await engine.run({ node: get() });
		expect(service.counts.logins).toBe(2);
	});

	test('a new token, for a minute for whoever still holds the one it replaced', async () => {
		const engine = await seaFarm(service, { accessToken: 'issued.long.ago' });
		await engine.run({ node: get() });
		engine.editCredential(CREDENTIAL, { accessToken: 'issued.long.ago' });
		advance(30);
		await engine.run({ node: get() });
		expect(service.counts.logins).toBe(1);

		engine.editCredential(CREDENTIAL, { accessToken: 'issued.long.ago' });
		advance(61);
		await engine.run({ node: get() });
		expect(service.counts.logins).toBe(2);
	});

	test('the latest hundred logins at most', async () => {
		const names = Array.from({ length: 101 }, (_, index) => `User ${index + 1}`);
		const engine = await createEngine({
			credentials: Object.fromEntries(
				names.map((username) => [
					username,
					{ baseUrl: service.baseUrl, username, password: 'guessed' },
				]),
			),
		});
		const run = (credential: string) => engine.run({ node: { ...get(), credential } });
		for (const name of names) await run(name);
		expect(service.counts.refusedLogins).toBe(101);
		await run('User 101');
		await run('User 2');
		expect(service.counts.refusedLogins).toBe(101);
		await run('User 1');
		expect(service.counts.refusedLogins).toBe(102);
	});
});

test('the token is kept hidden and masked, as the password is', async () => {
	const { types } = await seaFarm(service);
	const { properties } = types.credentials.aquacultureApi!;
	const property = (wanted: string) => properties.find(({ name }) => name === wanted);
	expect(property('accessToken')).toMatchObject({
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
	});
	expect(property('password')?.typeOptions).toEqual({ password: true });
});
