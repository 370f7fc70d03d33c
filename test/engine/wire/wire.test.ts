import { CREDENTIAL, dataOf, httpRequestNode, siteNode } from '../../tools/engine/sea-farm';
import {
	API,
	authenticated,
	expectWireAsForeseen,
	foreseeLogin,
	foreseeSite,
	LOGIN,
	LOGIN_REQUEST,
	n8nAtWire,
	sent,
	sentRequests,
	serverAt,
	SITE,
	SITE_PATH,
} from './wire';

expectWireAsForeseen();

const accept = 'application/json';
const loginRequest = {
	request: LOGIN_REQUEST,
	headers: { accept, 'api-version': '2025-01-01', 'content-type': 'application/json' },
	body: JSON.stringify(LOGIN),
};
const dataRequest = (path: string, otherHeaders = {}) => ({
	request: `GET ${API}${path}`,
	headers: {
		accept,
		'api-version': '2025-01-01',
		authorization: 'Bearer token-1',
		...otherHeaders,
	},
	body: '',
});

describe('the login and the request for a site, header by header', () => {
	test.each([
		[{}, '2025-01-01'],
		[{ apiVersion: '2023-01-01' }, '2023-01-01'],
	])('of the node with the options %j', async (options, apiVersion) => {
		foreseeLogin();
		foreseeSite();
		const n8n = await n8nAtWire();
		const run = await n8n.run({
			node: siteNode({ operation: 'get', siteId: 1042, simplify: false, options }),
		});
		expect(dataOf(run)).toEqual([SITE]);
		expect(sent).toEqual([
			loginRequest,
			dataRequest(`${SITE_PATH}?$include=info,units`, { 'api-version': apiVersion }),
		]);
	});

	test('of the test of the credential', async () => {
		foreseeLogin();
		serverAt().get('/meta/sites/0').reply(404);
		const n8n = await n8nAtWire();
		expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
		expect(sent).toEqual([loginRequest, dataRequest('/meta/sites/0')]);
	});

	test('of the HTTP Request node', async () => {
		foreseeLogin();
		serverAt().get('/feed/plans?from=1').reply(200, {});
		const n8n = await n8nAtWire();
		await n8n.run({ node: httpRequestNode(`${API}/feed/plans?from=1`) });
		expect(sent).toEqual([loginRequest, dataRequest('/feed/plans?from=1')]);
	});
});

test.each(['Api-Version', 'api-version', 'API-VERSION'])(
	'a version that a request names in %s is not overwritten',
	async (name) => {
		const headers = { [name]: '2023-01-01', Accept: 'text/plain' };
		const request = await authenticated({ url: `${API}${SITE_PATH}`, headers });
		expect(request.headers).toEqual({ ...headers, Authorization: 'Bearer token-1' });
	},
);

/** Texts that would add a header, end a path or open another one, were they not taken for data. */
const HOSTILE = Object.entries({
	'CR LF': 'x\r\nX-Injected: 1',
	LF: 'x\nX-Injected: 1',
	'CR LF CR LF': 'x\r\n\r\nGET /injected HTTP/1.1\r\n\r\n',
	NUL: 'x\u0000y',
	'U+2028': 'x\u2028X-Injected: 1',
	'U+560A, a line break in its low byte': 'x嘊嘍X-Injected: 1',
	'outside ASCII': 'Ærø 🐟 ‮',
	'half a surrogate pair': 'x\ud800',
	quotes: '"},"injected":{"a":"',
	'percent-encoded': 'x%0d%0aX-Injected:%201',
	path: '../../injected',
	query: '?injected=1#',
});

const node = siteNode({ operation: 'get', siteId: 1042 });
const SITE_REQUEST = `GET ${API}${SITE_PATH}?$include=info,units`;

function expectNoOtherHeaders(): void {
	const names = new Set(sent.flatMap(({ headers }) => Object.keys(headers)));
	for (const ours of ['accept', 'api-version', 'authorization', 'content-type']) names.delete(ours);
	expect([...names]).toEqual([]);
}

test.each(HOSTILE)('username and password with %s are sent as data', async (_, text) => {
	const login = { username: `user ${text}`, password: `password ${text}` };
	foreseeLogin();
	foreseeSite();
	await (await n8nAtWire(login)).run({ node });
	// What cannot be seen around a username was pasted along
	const username = login.username.replace(/[\s\u202E]+$/, '');
	const asSent = JSON.stringify({ ...login, username });
	expect(JSON.parse(sent[0]?.body ?? '')).toEqual(JSON.parse(asSent));
	expect(sentRequests()).toEqual([LOGIN_REQUEST, SITE_REQUEST]);
	expectNoOtherHeaders();
});

test.each(HOSTILE)('a stored token with %s adds no header', async (_, text) => {
	const server = serverAt().persist();
	server.post('/auth/token').optionally().reply(401);
	server.get(SITE_PATH).query(true).optionally().reply(401);
	await (await n8nAtWire({ accessToken: `token ${text}` })).run({ node });
	for (const request of sentRequests()) expect([LOGIN_REQUEST, SITE_REQUEST]).toContain(request);
	expectNoOtherHeaders();
});

const OTHER = 'https://other.example.com';

/** Neither the token nor the password went to another address than the service's. */
function expectNoSecretElsewhere(): void {
	const elsewhere = sent.filter(({ request }) => !request.includes(` ${API}/`));
	expect(JSON.stringify(elsewhere)).not.toMatch(new RegExp(`Bearer|token-1|${LOGIN.password}`));
}

describe('the HTTP Request node sends the token to the origin of the base URL', () => {
	test.each([
		['the origin', API],
		['the origin with its default port', `${API}:443`],
		['the origin in capitals', API.toUpperCase()],
	])('%s', async (_, origin) => {
		foreseeLogin();
		foreseeSite();
		const n8n = await n8nAtWire();
		expect(dataOf(await n8n.run({ node: httpRequestNode(`${origin}${SITE_PATH}`) }))).toEqual([
			SITE,
		]);
		expect(sent[1]?.headers.authorization).toBe('Bearer token-1');
	});

	test.each([
		['another host', OTHER, OTHER],
		['a subdomain', 'https://eu.api.example.com', 'https://eu.api.example.com'],
		['the domain above', 'https://example.com', 'https://example.com'],
		['a host that begins alike', `${API}.other.example`, `${API}.other.example`],
		['another port', `${API}:8443`, `${API}:8443`],
		['http', 'http://api.example.com', 'http://api.example.com'],
		['another host behind a username', 'https://api.example.com@other.example.com', OTHER],
		['another host behind a login', 'https://api.example.com:443@other.example.com', OTHER],
		['another host before a backslash', 'https://other.example.com\\@api.example.com', OTHER],
	])('not %s', async (_, typed, origin) => {
		foreseeLogin();
		serverAt(origin)
			.get(/meta.sites.1042$/)
			.reply(200, {});
		const n8n = await n8nAtWire();
		expect((await n8n.run({ node: httpRequestNode(`${typed}${SITE_PATH}`) })).status).toBe(
			'success',
		);
		expect(sent[1]?.headers).not.toHaveProperty('api-version');
		expectNoSecretElsewhere();
	});
});

test.each([
	['within the origin', { baseURL: API, url: '/feed/plans' }, 'Bearer token-1'],
	['to another origin', { baseURL: OTHER, url: '/meta/sites/0' }, undefined],
	['that is no address', { baseURL: 'api.example.com', url: '/meta/sites/0' }, undefined],
])('a request with a base URL of its own, %s', async (_, options, authorization) => {
	const { baseURL, headers } = await authenticated(options);
	expect([baseURL, headers?.Authorization]).toEqual([options.baseURL, authorization]);
});

test.each([
	['to a base URL that was edited', { baseUrl: OTHER }, OTHER],
	['that is not the token of its login', { accessToken: 'token-0' }, API],
])('a stored token is not sent %s', async (_, edited, origin) => {
	foreseeLogin('token-1');
	foreseeSite();
	const n8n = await n8nAtWire();
	await n8n.run({ node });
	n8n.editCredential(CREDENTIAL, edited);
	foreseeLogin('token-2', origin);
	foreseeSite(origin);
	await n8n.run({ node });
	const authorizations = sent.slice(2).map(({ headers }) => headers.authorization);
	expect(authorizations).toEqual([undefined, 'Bearer token-2']);
});

describe.each([301, 302, 303, 307, 308])('a redirect with status %i', (status) => {
	test.each([
		['another origin', OTHER],
		['the same origin', API],
	])(
		'to %s is followed by the HTTP Request node, with the token within the origin only',
		async (_, origin) => {
			foreseeLogin();
			serverAt()
				.get(SITE_PATH)
				.reply(status, '', { location: `${origin}/elsewhere` });
			serverAt(origin).get('/elsewhere').reply(200, SITE);
			const run = await (await n8nAtWire()).run({ node: httpRequestNode(`${API}${SITE_PATH}`) });
			expect(dataOf(run)).toEqual([SITE]);
			const requests = [LOGIN_REQUEST, `GET ${API}${SITE_PATH}`, `GET ${origin}/elsewhere`];
			expect(sentRequests()).toEqual(requests);
			expect(sent[2]?.headers.authorization).toBe(origin === API ? 'Bearer token-1' : undefined);
			expectNoSecretElsewhere();
		},
	);
});
