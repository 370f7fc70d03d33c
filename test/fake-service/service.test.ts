import * as http from 'node:http';
import { type Fault } from './faults';
import { type Service, startService } from './service';

interface Reply {
	status: number;
	headers: http.IncomingHttpHeaders;
	body: string;
}

interface Call {
	method?: string;
	headers?: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
}

/** One request on a connection of its own, following no redirect; rejects when the connection breaks. */
function call(url: string, { method = 'GET', headers, body, signal }: Call = {}): Promise<Reply> {
	return new Promise((resolve, reject) => {
		// Node frames the body of a GET or DELETE only when told its length.
		const length = body && { 'content-length': String(Buffer.byteLength(body)) };
		const all = { method, headers: { ...headers, ...length }, signal, agent: false as const };
		const request = http.request(url, all, (response) => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (chunk: string) => (text += chunk));
			response.on('error', reject);
			response.on('end', () =>
				resolve({ status: response.statusCode!, headers: response.headers, body: text }),
			);
		});
		request.on('error', reject);
		request.end(body);
	});
}

const message = ({ body }: Reply) => (JSON.parse(body) as { message: string }).message;

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

let service: Service;

beforeAll(async () => {
	service = await startService({
		basePath: '/api/v2',
		moreLogins: [{ username: 'second', password: 'pässword' }],
	});
});

afterEach(() => service.reset());
afterAll(() => service.close());

const VERSION = { 'api-version': '2025-01-01' };
const JSON_HEADERS = { ...VERSION, 'content-type': 'application/json' };

const login = (change: Call = {}, path = '/auth/token') =>
	call(service.baseUrl + path, {
		method: 'POST',
		headers: JSON_HEADERS,
		body: JSON.stringify(service.login),
		...change,
	});

const tokenOf = (reply: Reply) => (JSON.parse(reply.body) as { access_token: string }).access_token;

/** Asks for a site; logs in first when no token is given. */
async function site(path = '1042', change: Call & { token?: string } = {}) {
	const { token = tokenOf(await login()), headers, ...others } = change;
	return await call(`${service.baseUrl}/meta/sites/${path}`, {
		headers: headers ?? { ...VERSION, authorization: `Bearer ${token}` },
		...others,
	});
}

describe('Obtain an access token', () => {
	test('gives a JWT-like access_token, expires_in as numeric text and token_type Bearer', async () => {
		const reply = await login();
		expect(reply.status).toBe(200);
		expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
		expect(JSON.parse(reply.body)).toEqual({
			access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
			expires_in: expect.stringMatching(/^\d+$/),
			token_type: 'Bearer',
		});
		expect(service.issuedTokens).toEqual([tokenOf(reply)]);
		expect(service.requests).toMatchObject([
			{ method: 'POST', path: '/api/v2/auth/token', status: 200, user: service.login.username },
		]);
	});

	test('never gives the same token twice', async () => {
		expect(tokenOf(await login())).not.toBe(tokenOf(await login()));
	});

	test('knows further logins, and a password from the moment it is changed', async () => {
		const second = JSON.stringify({ username: 'second', password: 'pässword' });
		expect((await login({ body: second })).status).toBe(200);
		service.logins[1]!.password = 'other';
		expect((await login({ body: second })).status).toBe(401);
		service.reset();
		expect((await login({ body: second })).status).toBe(200);
	});

	test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('refuses %s with 405', async (method) => {
		const reply = await login({ method });
		expect(reply.status).toBe(405);
		expect(reply.headers.allow).toBe('POST');
	});

	test.each([
		['no Content-Type', { headers: VERSION }, 'Content-Type'],
		['a form', { headers: { ...JSON_HEADERS, 'content-type': 'text/plain' } }, 'Content-Type'],
		['a longer type', { headers: { ...VERSION, 'content-type': 'application/jsonp' } }, 'Content'],
		['no Api-Version', { headers: { 'content-type': 'application/json' } }, 'is missing'],
		['no date', { headers: { ...JSON_HEADERS, 'api-version': '2025-1-1' } }, 'YYYY-MM-DD'],
		[
			'an earlier version',
			{ headers: { ...JSON_HEADERS, 'api-version': '2023-01-01' } },
			'supported',
		],
		['no body', { body: '' }, 'valid JSON'],
		['broken JSON', { body: '{"username":' }, 'valid JSON'],
		['a list', { body: '["a", "b"]' }, 'JSON object'],
		['null', { body: 'null' }, 'JSON object'],
		['no password', { body: '{"username":"a"}' }, 'both text'],
		['a number for a password', { body: '{"username":"a","password":1}' }, 'both text'],
		['a further field', { body: '{"username":"a","password":"b","x":1}' }, 'unknown field'],
	])('refuses %s with 400', async (_, change, part) => {
		const reply = await login(change as Call);
		expect(reply.status).toBe(400);
		expect(message(reply)).toContain(part);
		expect(service.counts).toMatchObject({ tokenRequests: 1, refusedLogins: 1, logins: 0 });
	});

	test('refuses a query with 400 and a body beyond all measure with 413', async () => {
		expect((await login({}, '/auth/token?a=1')).status).toBe(400);
		expect((await login({ body: ' '.repeat(1_000_001) })).status).toBe(413);
	});

	test('takes a charset in the Content-Type', async () => {
		const headers = { ...VERSION, 'content-type': 'application/json; charset=utf-8' };
		expect((await login({ headers })).status).toBe(200);
	});

	test.each([
		['password', { password: 'wrong' }],
		['username', { username: 'nobody' }],
	])('refuses a wrong %s with 401 and counts it', async (_, wrong) => {
		const reply = await login({ body: JSON.stringify({ ...service.login, ...wrong }) });
		expect(reply.status).toBe(401);
		expect(service.counts).toMatchObject({ tokenRequests: 1, refusedLogins: 1, logins: 0 });
		expect(service.issuedTokens).toEqual([]);
	});
});

describe('Get a site', () => {
	test('gives siteId and siteName alone when $include is left out', async () => {
		expect(JSON.parse((await site('1057')).body)).toEqual({
			siteId: 1057,
			siteName: 'Ørnesvika',
		});
	});

	test.each([
		['info', ['info', 'siteId', 'siteName']],
		['units', ['siteId', 'siteName', 'units']],
		['units,info', ['info', 'siteId', 'siteName', 'units']],
		['info%2Cunits', ['info', 'siteId', 'siteName', 'units']],
	])('holds what $include=%s names', async (include, keys) => {
		for (const name of ['$include', '%24include']) {
			const reply = await site(`1042?${name}=${include}`);
			expect(Object.keys(JSON.parse(reply.body) as object).sort()).toEqual(keys);
		}
	});

	test('info and units hold the fields of service.md', async () => {
		const { info, units } = JSON.parse((await site('1042?$include=info,units')).body);
		expect(Object.keys(info).sort()).toEqual([
			'code',
			'latitude',
			'license',
			'longitude',
			'maxTotalBiomass',
			'timezone',
			'type',
		]);
		expect(units).toHaveLength(10);
		for (const unit of units) {
			expect(unit).toEqual({
				unitId: expect.any(Number),
				unitName: expect.any(String),
				longitude: expect.any(Number),
				latitude: expect.any(Number),
			});
		}
	});

	test('the sample sites hold one without units, and units with null and with no coordinates', async () => {
		expect(JSON.parse((await site('1101?$include=units')).body).units).toEqual([]);
		const { units } = JSON.parse((await site('1120?$include=units')).body);
		expect(units[3]).toMatchObject({ longitude: null, latitude: null });
		expect(Object.keys(units[4])).toEqual(['unitId', 'unitName']);
	});

	test('takes the earlier version too', async () => {
		const authorization = `Bearer ${tokenOf(await login())}`;
		const headers = { authorization, 'api-version': '2023-01-01' };
		expect((await site('1042', { headers })).status).toBe(200);
	});

	test.each([
		undefined,
		'',
		'Bearer',
		'Bearer ',
		'Bearer unknown.to.us',
		'Basic YTpi',
		'bearer TOKEN',
		'TOKEN',
	])('refuses the Authorization %p with 401', async (value) => {
		const good = tokenOf(await login());
		const authorization = value?.replace('TOKEN', good);
		const headers = { ...VERSION, ...(authorization !== undefined && { authorization }) };
		const reply = await site('1042', { headers });
		expect(reply.status).toBe(401);
		expect(reply.headers['www-authenticate']).toBe('Bearer');
		expect(service.counts).toMatchObject({ siteRequests: 1, unauthorized: 1, sitesServed: 0 });
	});

	test.each([
		[undefined, 'is missing'],
		['', 'YYYY-MM-DD'],
		['2025-02-30', 'YYYY-MM-DD'],
		['2025-13-01', 'YYYY-MM-DD'],
		['25-01-01', 'YYYY-MM-DD'],
		['2025-01-01T00:00', 'YYYY-MM-DD'],
		['2024-01-01', 'not supported'],
	])('refuses the Api-Version %p with 400', async (version, part) => {
		const authorization = `Bearer ${tokenOf(await login())}`;
		const headers = { authorization, ...(version !== undefined && { 'api-version': version }) };
		const reply = await site('1042', { headers });
		expect(reply.status).toBe(400);
		expect(message(reply)).toContain(part);
	});

	test.each([
		'$include=',
		'$include=Units',
		'$include=units,',
		'$include=units, info'.replace(' ', '%20'),
		'$include=units&$include=info',
		'include=units',
		'$include=units&page=1',
	])('refuses the query %s with 400', async (query) => {
		expect((await site(`1042?${query}`)).status).toBe(400);
	});

	test.each(['abc', '-1', '1.5', '1042%20', '..%2F..%2Fauth', '%31042'])(
		'refuses the site ID %s with 400',
		async (id) => {
			expect((await site(id)).status).toBe(400);
		},
	);

	test('answers 404 for a site that is not there, and says which', async () => {
		const reply = await site('99');
		expect(reply.status).toBe(404);
		expect(message(reply)).toBe('There is no site 99.');
	});

	test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('refuses %s with 405', async (method) => {
		const reply = await site('1042', { method });
		expect(reply.status).toBe(405);
		expect(reply.headers.allow).toBe('GET');
	});

	test('refuses a body with 400', async () => {
		const reply = await site('1042', { body: '{}' });
		expect(reply.status).toBe(400);
		expect(message(reply)).toContain('takes no body');
	});

	test.each([
		'/meta/sites',
		'/meta/sites/',
		'/meta/sites/1042/',
		'/meta/sites/1042/units',
		'/meta',
		'/',
	])('nothing is at %s', async (path) => {
		expect((await call(service.baseUrl + path)).status).toBe(404);
	});

	test('nothing is outside the base path, the switches neither', async () => {
		for (const path of [
			'/auth/token',
			'/meta/sites/1042',
			'/api/v22/meta/sites/1042',
			'/_control',
		]) {
			expect((await call(service.origin + path)).status).toBe(404);
		}
		expect(service.counts.otherRequests).toBe(4);
	});
});

describe('what changes while it runs', () => {
	test('sites are added and units moved, until the reset', async () => {
		service.sites[0]!.units[6]!.latitude = 66.9;
		service.sites.push({ ...service.sites[0]!, siteId: 7, siteName: 'Nyheim', other: [1] });
		const { units } = JSON.parse((await site('1042?$include=units')).body);
		expect(units[6].latitude).toBe(66.9);
		expect(JSON.parse((await site('7')).body)).toEqual({
			siteId: 7,
			siteName: 'Nyheim',
			other: [1],
		});

		service.reset();
		expect((await site('7')).status).toBe(404);
		const again = JSON.parse((await site('1042?$include=units')).body);
		expect(again.units[6].latitude).not.toBe(66.9);
	});

	test('expireTokens makes every token unknown', async () => {
		const token = tokenOf(await login());
		expect((await site('1042', { token })).status).toBe(200);
		service.expireTokens();
		expect((await site('1042', { token })).status).toBe(401);
	});

	test('reset puts faults, counters, requests and tokens back', async () => {
		const token = tokenOf(await login());
		service.faults.site.push({ status: 503 });
		service.faults.tokenLifetime = { uses: 0 };
		await site('1042', { token });
		service.reset();
		expect(service.requests).toEqual([]);
		expect(service.issuedTokens).toEqual([]);
		expect(service.counts).toMatchObject({ requests: 0, logins: 0, siteRequests: 0, byStatus: {} });
		expect((await site('1042', { token })).status).toBe(401);
		expect((await site()).status).toBe(200);
	});

	test('a request from before a reset counts no more', async () => {
		const token = tokenOf(await login());
		service.faults.site.push({ latencyMs: 20 });
		const waiting = site('1042', { token });
		await until(() => service.counts.inFlight === 1);
		service.reset();
		expect((await waiting).status).toBe(401);
		expect(service.counts).toMatchObject({ requests: 0, inFlight: 0, unauthorized: 0 });
	});

	test('the record is capped or off while the counters stay exact', async () => {
		for (const [record, kept] of [
			[2, 2],
			[false, 0],
		] as const) {
			const other = await startService({ record });
			for (let n = 1; n <= 5; n++) await call(`${other.baseUrl}/${n}`);
			expect(other.requests.map(({ path }) => path)).toEqual(['/4', '/5'].slice(0, kept));
			expect(other.counts).toMatchObject({ requests: 5, otherRequests: 5, byStatus: { 404: 5 } });
			await other.close();
		}
	});

	test('close ends connections that wait for an answer, and the port is free again', async () => {
		const other = await startService();
		other.faults.site.push({ connection: 'hang' });
		const waiting = call(`${other.baseUrl}/meta/sites/1`);
		const broken = expect(waiting).rejects.toThrow('socket hang up');
		await until(() => other.counts.inFlight === 1);
		await other.close();
		await broken;
		const port = Number(new URL(other.origin).port);
		const next = await startService({ port });
		await expect(startService({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
		await next.close();
	});
});

describe('faults', () => {
	let token: string;

	beforeEach(async () => {
		token = tokenOf(await login());
	});

	const faultySite = (fault: Fault, path?: string) => {
		service.faults.site.push(fault);
		return site(path, { token });
	};

	test.each([
		['json', 'application/json; charset=utf-8', /^\{"message":"The service says: Bad Gateway"\}$/],
		['html', 'text/html; charset=utf-8', /^<!DOCTYPE html>/],
		['empty', undefined, /^$/],
		['broken', 'application/json; charset=utf-8', /^\{ "message": "[^"]+", "detail": $/],
		['text', 'text/plain; charset=utf-8', /^Bad Gateway$/],
	] as const)('a status with a body of kind %s', async (body, type, pattern) => {
		const reply = await faultySite({ status: 502, body, headers: { 'X-Trace': '7' } });
		expect(reply.status).toBe(502);
		expect(reply.headers['content-type']).toBe(type);
		expect(reply.headers['x-trace']).toBe('7');
		expect(reply.body).toMatch(pattern);
		expect(service.counts.byStatus).toEqual({ 200: 1, 502: 1 });
	});

	test.each([
		[{ json: [1, null] }, '[1,null]'],
		[{ text: 'abc' }, 'abc'],
		[{ base64: 'w5g=' }, 'Ø'],
		[new Uint8Array([0xc3, 0x98]), 'Ø'],
	])('a status with the body %p', async (body, text) => {
		expect(await faultySite({ status: 422, body })).toMatchObject({ status: 422, body: text });
	});

	test('a status without a body of its own has a message', async () => {
		expect(message(await faultySite({ status: 403 }))).toContain('Forbidden');
	});

	test.each([204, 304])('%i goes without a body', async (status) => {
		expect(await faultySite({ status, body: 'html' })).toMatchObject({ status, body: '' });
	});

	test('a status on the token endpoint issues no token', async () => {
		service.faults.token.push({ status: 500, body: 'html' });
		expect((await login()).status).toBe(500);
		expect(service.issuedTokens).toHaveLength(1);
		expect(service.counts.logins).toBe(1);
	});

	test('endless 401: every token is refused and logins still succeed', async () => {
		service.faults.site.push({ status: 401 });
		for (let n = 0; n < 3; n++) expect((await site()).status).toBe(401);
		expect(service.counts).toMatchObject({ unauthorized: 3, logins: 4 });
	});

	test('times, skip, siteId and when choose the requests', async () => {
		const statuses = async (...paths: string[]) => {
			const found: number[] = [];
			for (const path of paths) found.push((await site(path, { token })).status);
			return found;
		};
		const fault = { status: 503, times: 2, skip: 1 };
		service.faults.site.push(fault);
		expect(await statuses('1042', '1042', '1042', '1042')).toEqual([200, 503, 503, 200]);
		expect(service.faults.site).toEqual([]);
		service.faults.site.push(fault);
		expect(await statuses('1042', '1042')).toEqual([200, 503]);

		service.faults.site = [
			{ status: 500, siteId: [1057, 1063] },
			{ status: 502, siteId: 1088 },
		];
		expect(await statuses('1042', '1057', '1063', '1088')).toEqual([200, 500, 500, 502]);

		service.faults.site = [{ status: 500, when: ({ url }) => url.includes('include') }];
		expect(await statuses('1042', '1042?$include=info')).toEqual([200, 500]);
	});

	test('latency lets requests pile up, and they are counted in flight', async () => {
		const waits: number[] = [];
		service.faults.site.push({ latencyMs: ({ siteId }) => (waits.push(siteId!), 50) });
		await Promise.all(['1042', '1057', '1063'].map((id) => site(id, { token })));
		expect(waits.sort()).toEqual([1042, 1057, 1063]);
		await site('1042', { token });
		expect(service.counts).toMatchObject({ maxInFlight: 3, inFlight: 0, sitesServed: 4 });
	});

	test('latency holds the answer back until its time', async () => {
		service.faults.site.push({ latencyMs: 3_600_000 });
		const stop = new AbortController();
		const waiting = site('1042', { token, signal: stop.signal });
		await until(() => service.counts.inFlight === 1);
		expect(service.requests.at(-1)).toMatchObject({ status: undefined, aborted: false });
		stop.abort();
		await expect(waiting).rejects.toThrow();
		await until(() => service.counts.inFlight === 0);
		expect(service.requests.at(-1)).toMatchObject({ status: undefined, aborted: true });
		expect(service.counts.aborted).toBe(1);
	});

	test('a token is good for so many uses', async () => {
		service.faults.tokenLifetime = { uses: 2 };
		const statuses = [];
		for (let n = 0; n < 3; n++) statuses.push((await site('1042', { token })).status);
		expect(statuses).toEqual([200, 200, 401]);
		expect((await site()).status).toBe(200);
	});

	test('a token is good for so many milliseconds', async () => {
		service.faults.tokenLifetime = { ms: 3_600_000 };
		expect((await site('1042', { token })).status).toBe(200);
		service.faults.tokenLifetime = { ms: 0 };
		expect((await site('1042', { token })).status).toBe(401);
	});

	test.each([
		['seconds', 429, /^5$/],
		['date', 503, /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
		['none', undefined, undefined],
	] as const)(
		'a rate limit refuses beyond its burst, Retry-After as %s',
		async (retryAfter, status, form) => {
			service.faults.site.push({ rateLimit: { perSecond: 0.2, burst: 2, status, retryAfter } });
			const replies = [];
			for (let n = 0; n < 3; n++) replies.push(await site('1042', { token }));
			expect(replies.map((reply) => reply.status)).toEqual([200, 200, status ?? 429]);
			const stated = replies[2]!.headers['retry-after'];
			if (form) expect(stated).toMatch(form);
			else expect(stated).toBeUndefined();
		},
	);

	test('a rate limit lets no more pass than time has earned', async () => {
		service.faults.site.push({ rateLimit: { perSecond: 100 } });
		const start = performance.now();
		let passed = 0;
		while (passed < 20) if ((await site('1042', { token })).status === 200) passed += 1;
		const earned = 1 + ((performance.now() - start) / 1000) * 100;
		expect(passed).toBeLessThanOrEqual(earned);
	});

	test.each([
		[30, '30'],
		['soon', 'soon'],
	])('Retry-After %p on any status', async (retryAfter, text) => {
		const reply = await faultySite({ status: 504, retryAfter });
		expect(reply.headers['retry-after']).toBe(text);
	});

	test('Retry-After as a date is never too early', async () => {
		const before = Date.now();
		const reply = await faultySite({ status: 503, retryAfter: { dateInSeconds: 10 } });
		const stated = Date.parse(reply.headers['retry-after']!);
		expect(stated).toBeGreaterThanOrEqual(before + 10_000);
		expect(stated).toBeLessThanOrEqual(Date.now() + 11_000);
	});

	test('a body of 5 MB is JSON still, and any other body is filled up too', async () => {
		const reply = await faultySite({ bytes: 5_000_000 });
		expect(Buffer.byteLength(reply.body)).toBe(5_000_000);
		expect(JSON.parse(reply.body)).toMatchObject({ siteId: 1042 });
		service.faults.site = [];
		const html = await faultySite({ status: 500, body: 'html', bytes: 100_000 });
		expect(html.body).toMatch(/^<!DOCTYPE/);
		expect(html.body).toHaveLength(100_000);
	});

	test('a drip sends the whole body in pieces', async () => {
		service.faults.site.push({ drip: { bytes: 16, everyMs: 1 } });
		let pieces = 0;
		const body = await new Promise<string>((resolve, reject) => {
			const headers = { ...VERSION, authorization: `Bearer ${token}` };
			const url = `${service.baseUrl}/meta/sites/1042?$include=info`;
			http
				.get(url, { headers, agent: false }, (response) => {
					let text = '';
					response.on('data', (chunk: Buffer) => {
						pieces += 1;
						text += chunk.toString();
					});
					response.on('end', () => resolve(text)).on('error', reject);
				})
				.on('error', reject);
		});
		expect(pieces).toBeGreaterThan(3);
		expect(JSON.parse(body)).toMatchObject({ siteId: 1042, info: { timezone: 'Europe/Oslo' } });
		service.faults.site = [{ status: 500, body: 'empty', drip: { bytes: 1, everyMs: 1 } }];
		expect(await site('1042', { token })).toMatchObject({ status: 500, body: '' });
	});

	test('cut: the head and half the body come, then the connection ends', async () => {
		await expect(faultySite({ connection: 'cut' })).rejects.toThrow('aborted');
		expect(service.requests.at(-1)).toMatchObject({ status: 200, aborted: false });
	});

	test('reset: the connection is destroyed before the answer', async () => {
		await expect(faultySite({ connection: 'reset' })).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(service.requests.at(-1)).toMatchObject({ status: undefined, aborted: false });
		expect(service.counts).toMatchObject({ sitesServed: 0, aborted: 0, inFlight: 0 });
	});

	test('hang: no answer until the client gives up', async () => {
		service.faults.token.push({ connection: 'hang' });
		const stop = new AbortController();
		const waiting = login({ signal: stop.signal });
		await until(() => service.counts.inFlight === 1);
		stop.abort();
		await expect(waiting).rejects.toThrow();
		await until(() => service.counts.aborted === 1);
		expect(service.counts).toMatchObject({ logins: 1, inFlight: 0 });
	});

	test('a redirect goes to another origin, whose requests tell what leaked', async () => {
		const other = await startService({ basePath: '/api/v2' });
		const reply = await faultySite(
			{ redirect: { status: 307, to: other.origin } },
			'1042?$include=info',
		);
		expect(reply.status).toBe(307);
		expect(reply.headers.location).toBe(`${other.baseUrl}/meta/sites/1042?$include=info`);
		await call(reply.headers.location!, { headers: { authorization: `Bearer ${token}` } });
		expect(other.requests).toMatchObject([
			{ token, user: undefined, status: 401, query: { $include: 'info' } },
		]);
		await other.close();
	});

	test('a redirect to its own origin is a loop, and to a whole URL goes just there', async () => {
		const loop = await faultySite({ redirect: { status: 302, to: service.origin } });
		expect(loop.headers.location).toBe(`${service.baseUrl}/meta/sites/1042`);
		service.faults.site = [{ redirect: { status: 301, to: `${service.baseUrl}/meta/sites/1057` } }];
		const reply = await site('1042', { token });
		expect(reply.headers.location).toBe(`${service.baseUrl}/meta/sites/1057`);
	});

	test('the token answer is overridden by any JSON or bytes, or in single fields', async () => {
		service.faults.token.push({ merge: { token_type: 'MAC' } });
		expect(JSON.parse((await login()).body)).toMatchObject({
			access_token: expect.any(String),
			token_type: 'MAC',
		});
		for (const access_token of ['', 17, null, 'a\r\nb']) {
			service.faults.token = [{ body: { json: { access_token } } }];
			expect(await login()).toMatchObject({ status: 200, body: JSON.stringify({ access_token }) });
		}
		service.faults.token = [{ body: new Uint8Array([0x2d]) }];
		expect((await login()).body).toBe('-');
	});

	test('an override leaves refusals alone', async () => {
		service.faults.token.push({ body: 'html' });
		const reply = await login({ headers: {} });
		expect(reply.status).toBe(400);
		expect(message(reply)).toContain('Api-Version');
	});

	test('the site answer is overridden, and gets unknown fields and wrong types', async () => {
		expect((await faultySite({ body: { json: 'Storholmen' } })).body).toBe('"Storholmen"');
		service.faults.site = [{ merge: { siteName: 5, extra: { a: 1 } } }];
		expect(JSON.parse((await site('1042', { token })).body)).toEqual({
			siteId: 1042,
			siteName: 5,
			extra: { a: 1 },
		});
	});

	test('several faults act together', async () => {
		service.faults.site.push({ latencyMs: 1 }, { merge: { a: 1 } }, { retryAfter: 3 });
		const reply = await site('1042', { token });
		expect(reply.headers['retry-after']).toBe('3');
		expect(JSON.parse(reply.body)).toMatchObject({ siteId: 1042, a: 1 });
		service.faults.site.push({ status: 503 }, { status: 500 });
		expect((await site('1042', { token })).status).toBe(503);
	});

	test('a fault that cannot be carried out says so', async () => {
		const reply = await faultySite({ status: 9999 });
		expect(reply.status).toBe(500);
		expect(message(reply)).toContain('stand-in');
	});
});

describe('the switches over HTTP', () => {
	let alone: Service;

	beforeAll(async () => {
		alone = await startService({ control: true });
	});
	afterAll(() => alone.close());
	afterEach(() => alone.reset());

	const control = (name: string, body?: unknown) =>
		call(`${alone.origin}/_control${name}`, {
			method: body === undefined ? 'GET' : 'POST',
			body: body === undefined ? undefined : JSON.stringify(body),
		});

	test('show the state and the requests, and are not counted themselves', async () => {
		await call(`${alone.baseUrl}/here`);
		expect(JSON.parse((await control('')).body)).toMatchObject({
			baseUrl: alone.baseUrl,
			counts: { requests: 1, otherRequests: 1 },
			faults: { token: [], site: [] },
		});
		expect(JSON.parse((await control('/requests')).body)).toMatchObject([{ path: '/here' }]);
	});

	test('set faults, add and replace sites, expire tokens and put everything back', async () => {
		const fault = { status: 503, times: 2 };
		await control('/faults', { site: [fault], tokenLifetime: { uses: 3 } });
		expect(alone.faults).toEqual({ token: [], site: [fault], tokenLifetime: { uses: 3 } });

		await control('/sites', { siteId: 5, siteName: 'Ny' });
		await control('/sites', { siteId: 1042, siteName: 'Anders' });
		expect(alone.sites.at(-1)).toEqual({ siteId: 5, siteName: 'Ny' });
		expect(alone.sites[0]).toEqual({ siteId: 1042, siteName: 'Anders' });
		expect(alone.sites).toHaveLength(7);

		await control('/reset', {});
		expect(alone.faults).toMatchObject({ token: [], site: [], tokenLifetime: undefined });
		expect(alone.sites).toHaveLength(6);

		const { access_token } = JSON.parse(
			(
				await call(`${alone.baseUrl}/auth/token`, {
					method: 'POST',
					headers: JSON_HEADERS,
					body: JSON.stringify(alone.login),
				})
			).body,
		);
		await control('/expire-tokens', {});
		const headers = { ...VERSION, authorization: `Bearer ${access_token}` };
		expect((await call(`${alone.baseUrl}/meta/sites/1042`, { headers })).status).toBe(401);
	});

	test.each([
		['/faults', { site: [{ stauts: 503 }] }, "no 'stauts'"],
		['/faults', { sites: [] }, "no 'sites'"],
		['/faults', { site: {} }, 'list of faults'],
		['/sites', { siteName: 'Ny' }, 'siteId'],
		['/nowhere', {}, "no switch 'nowhere'"],
	])('refuse what they do not know: %s %p', async (name, body, part) => {
		const reply = await control(name, body);
		expect(reply.status).toBe(400);
		expect(message(reply)).toContain(part);
	});
});
