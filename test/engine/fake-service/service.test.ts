import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Fault } from '../../tools/fake-service/faults';
import { refusalBeyond } from '../../tools/fake-service/limit';
import { type Service, startService } from '../../tools/fake-service/service';
import { takeViolations } from '../../tools/fake-service/violations';
import { at } from '../../tools/helpers/at';
import { bucket } from '../../tools/helpers/limiters';
import { until } from '../../tools/helpers/until';

interface Call {
	method?: string;
	headers?: Record<string, string>;
	body?: string;
}

/** Sends a request on its own connection and follows no redirect; rejects when the connection breaks. */
async function call(url: string, { method, headers, body }: Call = {}) {
	// Node sends the body of a GET or DELETE only with its length.
	const length = body && { 'content-length': String(Buffer.byteLength(body)) };
	const all = { ...headers, ...(length || {}) };
	const sent = request(url, { method, headers: all, agent: false }).end(body);
	const [response] = (await once(sent, 'response')) as [IncomingMessage];
	return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

let service: Service;

beforeAll(async () => {
	service = await startService({ basePath: '/api/v2' });
});

afterEach(() => service.reset());
afterAll(() => service.close());

const VERSION = { 'api-version': '2025-01-01' };
const JSON_HEADERS = { ...VERSION, 'content-type': 'application/json' };

const login = (change: Call = {}, path = '/auth/token', { baseUrl, login: sample } = service) =>
	call(baseUrl + path, {
		method: 'POST',
		headers: JSON_HEADERS,
		body: JSON.stringify(sample),
		...change,
	});

const newToken = async (of = service) =>
	(JSON.parse((await login({}, '/auth/token', of)).body) as { access_token: string }).access_token;

async function site(path = '1042', { token, headers, ...others }: Call & { token?: string } = {}) {
	const authorization = `Bearer ${token ?? (await newToken())}`;
	return await call(`${service.baseUrl}/meta/sites/${path}`, {
		headers: { ...(headers ?? { ...VERSION, authorization }) },
		...others,
	});
}

describe('Obtain an access token', () => {
	test('each login gets a token of its own that looks like a JWT', async () => {
		const { status, headers, body } = await login();
		expect(status).toBe(200);
		expect(headers['content-type']).toBe('application/json; charset=utf-8');
		const { access_token } = JSON.parse(body) as Record<string, string>;
		expect(access_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
		const second = await newToken();
		expect(second).not.toBe(access_token);
		expect(service.issuedTokens).toEqual([access_token, second]);
		expect(at(service.requests, 0)).toMatchObject({
			method: 'POST',
			path: '/api/v2/auth/token',
			status: 200,
		});
	});

	test.each([
		['another method', { method: 'PUT' }, 405],
		['no Content-Type', { headers: VERSION }, 400],
		['a longer type', { headers: { ...VERSION, 'content-type': 'application/jsonp' } }, 400],
		['no Api-Version', { headers: { 'content-type': 'application/json' } }, 400],
		['the earlier version', { headers: { ...JSON_HEADERS, 'api-version': '2023-01-01' } }, 400],
		['broken JSON', { body: '{"username":' }, 400],
		['null', { body: 'null' }, 400],
		['no password', { body: '{"username":"a"}' }, 400],
		['a number for a password', { body: '{"username":"a","password":1}' }, 400],
		['another field', { body: '{"username":"a","password":"b","x":1}' }, 400],
		['a body of more than 1 MB', { body: ' '.repeat(1_000_001) }, 413],
	])(
		'a request with %s is refused, and the contract has it as wrong',
		async (_, change, status) => {
			const response = await login(change);
			expect(response.status).toBe(status);
			expect(JSON.parse(response.body)).toEqual({ message: expect.any(String) as string });
			expect(service.counts).toMatchObject({ tokenRequests: 1, logins: 0 });
			expect(service.counts.refusedLogins).toBe(status === 400 ? 1 : 0);
			expect(takeViolations()).not.toEqual([]);
		},
	);

	test.each([{ password: 'wrong' }, { username: 'nobody' }])('%p is refused', async (wrong) => {
		const { status } = await login({ body: JSON.stringify({ ...service.login, ...wrong }) });
		expect(status).toBe(401);
		expect(service.counts).toMatchObject({ tokenRequests: 1, refusedLogins: 1, logins: 0 });
		expect(service.issuedTokens).toEqual([]);
	});
});

describe('Get a site', () => {
	test.each([
		['', ['siteId', 'siteName']],
		['?$include=info', ['siteId', 'siteName', 'info']],
		['?%24include=units', ['siteId', 'siteName', 'units']],
		['?$include=units,info', ['siteId', 'siteName', 'info', 'units']],
		['?$include=info%2Cunits', ['siteId', 'siteName', 'info', 'units']],
	])('the query "%s" gets what it names', async (query, fields) => {
		const { body } = await site(`1042${query}`);
		expect(Object.keys(JSON.parse(body) as object)).toEqual(fields);
	});

	test.each([
		['2023-01-01', 200],
		['2024-01-01', 400],
	])('a request with the version %s gets %i', async (version, status) => {
		const authorization = `Bearer ${await newToken()}`;
		const headers = { authorization, 'api-version': version };
		expect((await site('1042', { headers })).status).toBe(status);
	});

	test.each([
		['no token', '1042', { headers: VERSION }, 401],
		['an empty token', '1042', { headers: { ...VERSION, authorization: 'Bearer ' } }, 401],
		['another scheme', '1042', { headers: { ...VERSION, authorization: 'Basic YTpi' } }, 401],
		['another method', '1042', { method: 'POST' }, 405],
		['a body', '1042', { body: '{}' }, 400],
		['an empty $include', '1042?$include=', {}, 400],
		['an unknown part', '1042?$include=Units', {}, 400],
		['a space', '1042?$include=units,%20info', {}, 400],
		['another parameter', '1042?$include=units&page=1', {}, 400],
		['a name for a site ID', 'abc', {}, 400],
		['an encoded path for a site ID', '..%2F..%2Fauth', {}, 400],
	])('%s is refused, and the contract has it as wrong', async (_, path, change, status) => {
		const response = await site(path, change);
		expect(response.status).toBe(status);
		expect(response.headers.allow).toBe(status === 405 ? 'GET' : undefined);
		expect(service.counts).toMatchObject({ siteRequests: 1, sitesServed: 0 });
		expect(takeViolations()).not.toEqual([]);
	});

	test.each(['bearer TOKEN', 'TOKEN', 'Bearer TOKEN2'])('no token is in "%s"', async (text) => {
		const authorization = text.replace('TOKEN', await newToken());
		const { status, headers } = await site('1042', { headers: { ...VERSION, authorization } });
		expect(status).toBe(401);
		expect(headers['www-authenticate']).toBe('Bearer');
		expect(service.counts).toMatchObject({ siteRequests: 1, unauthorized: 1 });
		takeViolations();
	});

	test('nothing is at other addresses, nor outside the base path', async () => {
		const below = ['', '/', '/meta/sites', '/meta/sites/1042/', '/meta/sites/1042/units'];
		const outside = ['/auth/token', '/api/v22/meta/sites/1042', '/_control'];
		for (const path of below) outside.push(`/api/v2${path}`);
		for (const path of outside) expect((await call(service.origin + path)).status).toBe(404);
		expect(service.counts.otherRequests).toBe(8);
		expect(takeViolations()).toHaveLength(8);
	});
});

describe('while it runs', () => {
	test('reset puts everything back, also for a request that waits', async () => {
		const token = await newToken();
		service.faults.site.push({ latencyMs: 20 });
		service.faults.tokenLifetime = { uses: 0 };
		at(service.sites, 0).siteName = 'Storøya';
		const { ...login } = service.login;
		service.login.password = 'other';
		const waiting = site('1042', { token });
		await until('the request waits', () => service.counts.inFlight === 1);
		service.reset();
		expect(service.requests).toEqual([]);
		expect(service.issuedTokens).toEqual([]);
		expect((await waiting).status).toBe(401);
		const untouched = { requests: 0, logins: 0, inFlight: 0, unauthorized: 0, byStatus: {} };
		expect(service.counts).toMatchObject(untouched);
		expect(service.logins).toEqual([login]);
		expect((await site()).body).toContain('Storholmen');
	});

	test('a token is good for so many requests, or so many milliseconds', async () => {
		const token = await newToken();
		service.faults.tokenLifetime = { uses: 1 };
		expect((await site('1042', { token })).status).toBe(200);
		expect((await site('1042', { token })).status).toBe(401);
		const other = await newToken();
		service.faults.tokenLifetime = { milliseconds: 60_000 };
		expect((await site('1042', { token: other })).status).toBe(200);
		const now = performance.now();
		jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
		expect((await site('1042', { token: other })).status).toBe(401);
		jest.restoreAllMocks();
	});

	test('close ends connections that wait for a response, and frees the port', async () => {
		const other = await startService();
		other.faults.site.push({ connection: 'hang' });
		const broken = expect(call(`${other.baseUrl}/meta/sites/1`)).rejects.toThrow('socket hang up');
		await until('the request waits', () => other.counts.inFlight === 1);
		await other.close();
		await broken;
		takeViolations();
		const port = Number(new URL(other.origin).port);
		const next = await startService({ port });
		await expect(startService({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
		await next.close();
	});
});

describe('faults', () => {
	let token: string;

	beforeEach(async () => {
		token = await newToken();
	});

	/** The response for a site while these faults are the only ones. */
	const faultySite = (faults: Fault | Fault[]) => {
		service.faults.site = [faults].flat();
		return site('1042', { token });
	};

	test.each([
		['json', 'application/json; charset=utf-8', /^\{"message":"Bad Gateway\."\}$/],
		['broken', 'application/json; charset=utf-8', /^\{ "message": "[^"]+", "detail": $/],
		[{ text: 'Bad Gateway' }, 'text/plain; charset=utf-8', /^Bad Gateway$/],
		[{ json: [1, null] }, 'application/json; charset=utf-8', /^\[1,null\]$/],
		[new Uint8Array([0xc3, 0x98]), 'application/json; charset=utf-8', /^Ø$/],
	] as const)('a status with the body %p', async (body, type, pattern) => {
		const headers = { 'X-Trace': '7' };
		const response = await faultySite({ status: 502, body, headers, retryAfter: 30 });
		expect(response.status).toBe(502);
		expect(response.headers).toMatchObject({ 'x-trace': '7', 'retry-after': '30' });
		expect(response.headers['content-type']).toBe(type);
		expect(response.body).toMatch(pattern);
		expect(service.counts.byStatus).toEqual({ 200: 1, 502: 1 });
	});

	test.each([
		[true, '5'],
		[false, undefined],
	])(
		'a rate limit refuses what exceeds it, with Retry-After: %j',
		async (hasRetryAfter, stated) => {
			service.faults.site.push(refusalBeyond(bucket(2, 0.2), hasRetryAfter));
			const get = async () => await site('1042', { token });
			const [first, second, { status, headers }] = [await get(), await get(), await get()];
			expect([first.status, second.status, status]).toEqual([200, 200, 429]);
			expect(headers['retry-after']).toBe(stated);
		},
	);
});

test('control over HTTP shows and changes the state, and is not counted', async () => {
	const alone = await startService({ control: true });
	const control = async (name: string, body?: object): Promise<unknown> => {
		const change = body && { method: 'POST', body: JSON.stringify(body) };
		return JSON.parse((await call(`${alone.origin}/_control${name}`, change)).body);
	};
	const token = await newToken(alone);
	expect(await control('/requests')).toMatchObject([{ path: '/auth/token', status: 200 }]);
	const site = [{ status: 503, times: 2 }];
	expect(await control('/faults', { site })).toMatchObject({ faults: { token: [], site } });
	await control('/sites', { siteId: 5, siteName: 'Ny' });
	await control('/sites', { siteId: 1042, siteName: 'Anders' });
	expect([alone.sites.length, alone.sites[0], alone.sites[6]]).toEqual([
		7,
		{ siteId: 1042, siteName: 'Anders' },
		{ siteId: 5, siteName: 'Ny' },
	]);
	alone.faults.site = [];
	await control('/expire-tokens', {});
	const headers = { ...VERSION, authorization: `Bearer ${token}` };
	expect((await call(`${alone.baseUrl}/meta/sites/1042`, { headers })).status).toBe(401);
	expect(await control('')).toMatchObject({ baseUrl: alone.baseUrl, counts: { requests: 2 } });
	expect(await control('/nowhere', {})).toEqual({
		message: expect.stringContaining("There is no 'nowhere'") as string,
	});
	expect(await control('/reset', {})).toMatchObject({ counts: { requests: 0 } });
	expect(alone.sites).toHaveLength(6);
	await alone.close();
});
