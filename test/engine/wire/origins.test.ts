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

const OTHER = 'https://other.example.com';
const get = siteNode({ operation: 'get', siteId: 1042, include: [] });
const SITE_REQUEST = `GET ${API}${SITE_PATH}`;

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
	await n8n.run({ node: get });
	n8n.editCredential(CREDENTIAL, edited);
	foreseeLogin('token-2', origin);
	foreseeSite(origin);
	await n8n.run({ node: get });
	const authorizations = sent.slice(2).map(({ headers }) => headers.authorization);
	expect(authorizations).toEqual([undefined, 'Bearer token-2']);
});

describe.each([301, 302, 303, 307, 308])('a redirect with status %i', (status) => {
	describe.each([
		['another origin', OTHER],
		['the same origin', API],
	])('to %s', (_, origin) => {
		const headers = { location: `${origin}/elsewhere` };

		test('is not followed by the test of the credential', async () => {
			foreseeLogin();
			serverAt().get('/meta/sites/0').reply(status, '', headers);
			await (await n8nAtWire()).testCredential(CREDENTIAL);
			expect(sentRequests()).toEqual([LOGIN_REQUEST, `GET ${API}/meta/sites/0`]);
		});

		test('is followed by the HTTP Request node, with the token within the origin only', async () => {
			foreseeLogin();
			serverAt().get(SITE_PATH).reply(status, '', headers);
			serverAt(origin).get('/elsewhere').reply(200, SITE);
			const run = await (await n8nAtWire()).run({ node: httpRequestNode(`${API}${SITE_PATH}`) });
			expect(dataOf(run)).toEqual([SITE]);
			expect(sentRequests()).toEqual([LOGIN_REQUEST, SITE_REQUEST, `GET ${origin}/elsewhere`]);
			expect(sent[2]?.headers.authorization).toBe(origin === API ? 'Bearer token-1' : undefined);
			expectNoSecretElsewhere();
		});
	});
});
