import type { INode } from 'n8n-workflow';
import { manySites } from '../fake-service/sites';
import { at } from '../helpers/at';
import type { CredentialReference } from './n8n';
import { saveCredential, useN8n } from './use-n8n';
import { httpRequest, readSites, siteNode } from './workflows';

const SITES = manySites(200);
const SITE_IDS = SITES.map(({ siteId }) => siteId);

/** One for each case that starts without a token: a login is remembered for a while. */
const login = (username: string) => ({ username, password: `password of ${username}` });
const BY_NODE = login('node@example.com');
const BY_HTTP_REQUEST = login('http-request@example.com');
const CORRECTED = login('corrected@example.com');

const stage = useN8n('login', {
	service: { sites: SITES, login: BY_NODE, moreLogins: [BY_HTTP_REQUEST, CORRECTED] },
});

afterEach(() => {
	stage.service.faults.tokenLifetime = undefined;
});

/** Runs a workflow in the editor and counts what reached the service meanwhile. */
async function run(workflowId: string) {
	const { counts } = stage.service;
	const before = { ...counts };
	const execution = await stage.n8n.runWorkflow(workflowId);
	return {
		execution,
		logins: counts.logins - before.logins,
		refusedLogins: counts.refusedLogins - before.refusedLogins,
		siteRequests: counts.siteRequests - before.siteRequests,
		unauthorized: counts.unauthorized - before.unauthorized,
	};
}

type Caller = (credential: CredentialReference, more?: Partial<INode>) => INode;

const byNode: Caller = (credential, more) => siteNode('Read', credential, {}, more);

const byHttpRequest: Caller = (credential, more) =>
	httpRequest('Read', credential, `=${stage.service.baseUrl}/meta/sites/{{ $json.siteId }}`, more);

describe.each([
	['the node', byNode, BY_NODE],
	["n8n's HTTP Request node", byHttpRequest, BY_HTTP_REQUEST],
])('200 items through %s', (name, caller, user) => {
	let workflowId: string;

	beforeAll(async () => {
		const credential = await saveCredential(stage.n8n, stage.service, { ...user, name });
		workflowId = await stage.n8n.createWorkflow(readSites(SITE_IDS, caller(credential)));
	});

	/** Runs the workflow, from which every site must come. */
	async function readAll() {
		const { execution, ...counts } = await run(workflowId);
		expect(execution.json('Read').map(({ siteId }) => siteId)).toEqual(SITE_IDS);
		return counts;
	}

	test('without a token: one login', async () => {
		const expected = { logins: 1, refusedLogins: 0, siteRequests: 200, unauthorized: 0 };
		expect(await readAll()).toEqual(expected);
	});

	test('with the token that n8n has stored: no login', async () => {
		const expected = { logins: 0, refusedLogins: 0, siteRequests: 200, unauthorized: 0 };
		expect(await readAll()).toEqual(expected);
	});

	test('the token expires in mid-run: one login, and every item is there', async () => {
		const { service } = stage;
		const token = service.issuedTokens.at(-1);
		const used = service.requests.filter((request) => request.token === token).length;
		service.faults.tokenLifetime = { uses: used + 100 };
		const { logins, refusedLogins, siteRequests, unauthorized } = await readAll();
		expect({ logins, refusedLogins }).toEqual({ logins: 1, refusedLogins: 0 });
		// Only the requests that were in flight with the old token are sent again.
		expect(unauthorized).toBeGreaterThan(0);
		expect(unauthorized).toBeLessThan(100);
		expect(siteRequests).toBe(200 + unauthorized);
	});

	// The same user is logged in with the right password: that token must be of no use here.
	test('20 items with a wrong password: one rejected login, and no data', async () => {
		const wrong = { ...user, name: `Mistyped, ${name}`, password: 'mistyped' };
		const credential = await saveCredential(stage.n8n, stage.service, wrong);
		const workflow = await stage.n8n.createWorkflow(
			readSites(SITE_IDS.slice(0, 20), caller(credential, { onError: 'continueErrorOutput' })),
		);
		const { execution, ...counts } = await run(workflow);
		expect(execution.items('Read', 0)).toEqual([]);
		expect(execution.items('Read', 1)).toHaveLength(20);
		expect(counts).toEqual({ logins: 0, refusedLogins: 1, siteRequests: 0, unauthorized: 0 });
	});
});

test('the right password works immediately after a wrong one', async () => {
	const { n8n, service } = stage;
	const wrong = { ...CORRECTED, password: 'mistyped' };
	const credential = await saveCredential(n8n, service, wrong);
	const siteId = at(SITE_IDS, 0);
	const workflow = await n8n.createWorkflow(readSites([siteId], byNode(credential)));
	expect((await run(workflow)).execution.status).toBe('error');
	await n8n.rest.patch(`/credentials/${credential.id}`, {
		name: credential.name,
		type: 'aquacultureApi',
		data: { baseUrl: service.baseUrl, ...CORRECTED },
	});
	const { execution, ...counts } = await run(workflow);
	expect(execution.json('Read')).toMatchObject([{ siteId }]);
	expect(counts).toEqual({ logins: 1, refusedLogins: 0, siteRequests: 1, unauthorized: 0 });
});
