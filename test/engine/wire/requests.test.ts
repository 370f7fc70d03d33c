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

test.each([
	[['info', 'units'], '?$include=info,units'],
	[['units', 'info'], '?$include=info,units'],
	[['info'], '?$include=info'],
	[['units'], '?$include=units'],
	[[], ''],
])('include %j is the query %j', async (include, query) => {
	foreseeLogin();
	foreseeSite();
	const n8n = await n8nAtWire();
	await n8n.run({ node: siteNode({ operation: 'get', siteId: 1042, include }) });
	expect(sentRequests()[1]).toBe(`GET ${API}${SITE_PATH}${query}`);
});

test.each(['Api-Version', 'api-version', 'API-VERSION'])(
	'a version that a request names in %s is not overwritten',
	async (name) => {
		const headers = { [name]: '2023-01-01', Accept: 'text/plain' };
		const request = await authenticated({ url: `${API}${SITE_PATH}`, headers });
		expect(request.headers).toEqual({ ...headers, Authorization: 'Bearer token-1' });
	},
);

test('a request that names none gets a version beside its own headers', async () => {
	const headers = { Accept: 'text/plain' };
	const request = await authenticated({ url: `${API}${SITE_PATH}`, headers });
	expect(request.headers).toEqual({
		...headers,
		'Api-Version': '2025-01-01',
		Authorization: 'Bearer token-1',
	});
});
