import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '@placemarkio/check-geojson';
import type { INode, INodeParameters } from 'n8n-workflow';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import type { Service } from '../../tools/fake-service/service';
import { manySites, sampleSites } from '../../tools/fake-service/sites';
import { at } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { expectReportedChange } from '../../tools/n8n/checks';
import { installN8n, pinnedVersion } from '../../tools/n8n/install';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { findSecrets, secretsOf } from '../../tools/n8n/secrets';
import { saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { httpRequest, node, readSites, reportChanges, siteNode } from '../../tools/n8n/workflows';

const SITES = sampleSites();
const MANY = manySites(200);
const MANY_IDS = MANY.map(({ siteId }) => siteId);
const STORHOLMEN = at(SITES, 0);
const ORNESVIKA = at(SITES, 1);
const WITHOUT_UNITS = at(SITES, 4);
const NOT_THERE = 77;

/** Made of characters that look different in base64, in a URL and in a form. */
const MISTYPED = 'p+ss wörd/&=% 1042';

/** One for each case that starts without a token: a login is remembered for a while. */
const login = (username: string) => ({ username, password: `password of ${username}` });
const BY_NODE = login('node@example.com');
const BY_HTTP_REQUEST = login('http-request@example.com');

/** Counts what reaches a service from now on. */
function countFrom({ counts }: Service) {
	const { logins, refusedLogins, siteRequests, unauthorized } = counts;
	return () => ({
		logins: counts.logins - logins,
		refusedLogins: counts.refusedLogins - refusedLogins,
		siteRequests: counts.siteRequests - siteRequests,
		unauthorized: counts.unauthorized - unauthorized,
	});
}

const VERSIONS = (['1', '2'] as const).map((major) => ({ major, version: pinnedVersion(major) }));

describe.each(VERSIONS)('n8n $version', ({ major, version }) => {
	const stage = useN8n(`versions-${major}`, {
		service: { sites: [...SITES, ...MANY], moreLogins: [BY_NODE, BY_HTTP_REQUEST] },
		n8n: async () => ({
			install: await installN8n(major, (line) => process.stderr.write(`${line}\n`)),
			env: { N8N_LOG_LEVEL: 'debug' },
		}),
	});
	let elsewhere: Service;
	let secured: Service;

	beforeAll(async () => {
		elsewhere = await startFake(stage.cleanup);
		secured = await startFake(stage.cleanup, { tls: await selfSignedCertificate() });
	});

	afterEach(() => {
		stage.service.faults.site.length = 0;
		stage.service.faults.tokenLifetime = undefined;
	});

	/** Runs a workflow that gives the nodes one item for each site. */
	const run = (sites: number[], ...nodes: INode[]) =>
		stage.n8n.createAndRun(readSites(sites, ...nodes));

	type Caller = (credential: CredentialReference, more?: Partial<INode>) => INode;

	const byNode: Caller = (credential, more) => siteNode('Read', credential, {}, more);

	const byHttpRequest: Caller = (credential, more) =>
		httpRequest(
			'Read',
			credential,
			`=${stage.service.baseUrl}/meta/sites/{{ $json.siteId }}`,
			more,
		);

	/** By default it reads the site of its item. */
	const read = (parameters: INodeParameters = {}, more: Partial<INode> = {}) =>
		siteNode('Read', stage.credential, parameters, more);

	const one = [STORHOLMEN.siteId];
	const both = [STORHOLMEN.siteId, ORNESVIKA.siteId];

	test('is that version', async () => {
		expect(await stage.n8n.rest.get('/settings')).toMatchObject({ versionCli: version });
	});

	test.each([
		['is right', {}, 'OK', /^Connection successful!$/, 0],
		['has a wrong password', { password: 'mistyped' }, 'Error', /username.*password/, 1],
		[
			'names an unknown host',
			{ baseUrl: 'http://sea-farm.invalid' },
			'Error',
			/^The address of the service /,
			0,
		],
	] as const)('tests a credential that %s', async (_what, change, status, message, refused) => {
		const { n8n, service, credential } = stage;
		const { refusedLogins } = service.counts;
		const data = { baseUrl: service.baseUrl, ...service.login, ...change };
		const result = await n8n.testCredential(credential, data);
		expect(result).toEqual({ status, message: expect.stringMatching(message) as unknown });
		expect(service.counts.refusedLogins).toBe(refusedLogins + refused);
	});

	test('Get, with the status and headers of the response', async () => {
		const execution = await run(one, read({ options: { fullResponse: true } }));
		expect(execution.json('Read')).toEqual([
			{
				statusCode: 200,
				headers: expect.objectContaining({
					'content-type': 'application/json; charset=utf-8',
				}) as unknown,
				body: STORHOLMEN,
			},
		]);
	});

	test('Get Units, with a hint about a site that has none', async () => {
		const execution = await run(
			[WITHOUT_UNITS.siteId, ORNESVIKA.siteId],
			read({ operation: 'getUnits' }),
		);
		const { siteId, siteName, info, units } = ORNESVIKA;
		const { code, timezone } = info;
		expect(execution.json('Read')).toEqual(
			units.map((unit) => ({ siteId, siteName, ...unit, code, timezone })),
		);
		expect(execution.hints('Read')).toEqual([
			expect.stringMatching(new RegExp(`^No rows.*${WITHOUT_UNITS.siteName}`)),
		]);
	});

	test('Get Map as a file, written by Read/Write Files', async () => {
		// The only folder to which n8n 2 lets its nodes write by default
		const folder = join(stage.n8n.userFolder, '.n8n-files');
		await mkdir(folder, { recursive: true });
		const fileName = join(folder, 'map.geojson');
		const execution = await run(
			one,
			read({ operation: 'getMap' }),
			node('Write', 'n8n-nodes-base.readWriteFile', 1, { operation: 'write', fileName }),
		);
		expect(execution.failure).toBeUndefined();
		expect(execution.items('Read')[0]?.binary?.['data']).toMatchObject({
			fileName: `site-${STORHOLMEN.siteId}.geojson`,
			mimeType: 'application/geo+json',
		});
		// Throws where RFC 7946 is not kept
		expect(check(await readFile(fileName, 'utf8'))).toMatchObject({
			features: [
				{ properties: { kind: 'site', siteName: STORHOLMEN.siteName } },
				...STORHOLMEN.units.map(({ unitName }) => ({ properties: { kind: 'unit', unitName } })),
			],
		});
	});

	describe('one of three sites does not exist', () => {
		const siteIds = [STORHOLMEN.siteId, NOT_THERE, ORNESVIKA.siteId];
		const error = `Site ${NOT_THERE} was not found [item 1]`;
		const details = expect.stringMatching(
			new RegExp(`^Check the site ID\\. .* "There is no site ${NOT_THERE}\\."$`),
		) as string;
		const found = [
			{ json: STORHOLMEN, pairedItem: { item: 0 } },
			{ json: ORNESVIKA, pairedItem: { item: 2 } },
		];
		// The node names the site on the regular output; on the error output, n8n adds the fields of the input
		const failed = { json: { siteId: NOT_THERE, error, details }, pairedItem: { item: 1 } };
		// n8n 1.x knows a failed item by its message alone
		const advice = major === '1' ? { message: details } : { details };
		const sentOn = { json: { siteId: NOT_THERE, error, ...advice }, pairedItem: { item: 1 } };

		test.each([
			['stopWorkflow', 'error', [], []],
			['continueRegularOutput', 'success', [found[0], failed, found[1]], []],
			['continueErrorOutput', 'success', found, [sentOn]],
		] as const)('On Error: %s', async (onError, status, regular, errors) => {
			const execution = await run(siteIds, read({}, { onError }));
			expect(execution.status).toBe(status);
			expect(execution.items('Read', 0)).toEqual(regular);
			expect(execution.items('Read', 1)).toEqual(errors);
			const description: unknown = expect.stringMatching(
				/ "There is no site 77\." To keep the items that succeed, set 'On Error' to 'Continue' /,
			);
			const failure = { node: 'Read', httpCode: '404', message: error, description };
			expect(execution.failure).toEqual(status === 'error' ? failure : undefined);
		});
	});

	test('retries after a 503', async () => {
		stage.service.faults.site.push({ times: 1, status: 503 });
		expect((await run(both, read())).json('Read')).toEqual([STORHOLMEN, ORNESVIKA]);
	});

	test.each([
		[
			'a token that is rejected for good',
			{ status: 401 },
			/ access token: credential "Sea farm"$/,
			/ The service says: "/,
		],
		['a lost connection', { connection: 'reset' }, /^The connection to the service /, /try again/i],
	] as const)('reports %s', async (_what, fault, message, description) => {
		stage.service.faults.site.push(fault);
		const { failure } = await run(one, read({ options: { maxRetries: 0 } }));
		expect(failure?.message).toMatch(message);
		expect(failure?.description).toMatch(description);
	});

	test('trusts a self-signed certificate only where the credential says so', async () => {
		const readWith = async (allowUnauthorizedCerts: boolean) => {
			const own = await saveCredential(stage.n8n, secured, { allowUnauthorizedCerts });
			return await run(one, siteNode('Read', own, {}));
		};
		expect((await readWith(true)).json('Read')).toEqual([STORHOLMEN]);
		expect((await readWith(false)).failure?.message).toContain("The service's certificate");
	});

	describe.each([
		['the node', byNode, BY_NODE],
		['the HTTP Request node', byHttpRequest, BY_HTTP_REQUEST],
	])('200 items through %s', (name, caller, user) => {
		let workflowId: string;

		beforeAll(async () => {
			const credential = await saveCredential(stage.n8n, stage.service, { ...user, name });
			workflowId = await stage.n8n.createWorkflow(readSites(MANY_IDS, caller(credential)));
		});

		/** Counts what a run of the workflow, from which every site must come, requests of the service. */
		async function readAll() {
			const counted = countFrom(stage.service);
			const execution = await stage.n8n.runWorkflow(workflowId);
			expect(execution.json('Read').map(({ siteId }) => siteId)).toEqual(MANY_IDS);
			expect(stage.service.requests.at(-1)?.headers['api-version']).toBe('2025-01-01');
			return counted();
		}

		test.each([
			[`${name} without a token: one login`, 1],
			[`${name} with the token that n8n has stored: no login`, 0],
		])('%s', async (_, logins) => {
			const expected = { logins, refusedLogins: 0, siteRequests: 200, unauthorized: 0 };
			expect(await readAll()).toEqual(expected);
		});

		test(`${name}, whose token expires in mid-run: one login, and every item is there`, async () => {
			const { faults, issuedTokens, requests } = stage.service;
			const used = requests.filter(({ token }) => token === issuedTokens.at(-1)).length;
			faults.tokenLifetime = { uses: used + 100 };
			const { logins, refusedLogins, siteRequests, unauthorized } = await readAll();
			expect({ logins, refusedLogins }).toEqual({ logins: 1, refusedLogins: 0 });
			// Only the requests that were in flight with the old token, 128 at most, are sent again; for n8n 1, twice.
			expect(unauthorized).toBeGreaterThan(0);
			expect(unauthorized).toBeLessThanOrEqual(major === '1' ? 256 : 128);
			expect(siteRequests).toBe(200 + unauthorized);
		});

		// The same user is logged in with the right password: that token must be of no use here.
		test(`${name} with a wrong password: one rejected login for 20 items, and no data`, async () => {
			const mistyped = { ...user, name: 'Mistyped', password: MISTYPED };
			const credential = await saveCredential(stage.n8n, stage.service, mistyped);
			const counted = countFrom(stage.service);
			const onError = 'continueErrorOutput';
			const execution = await run(MANY_IDS.slice(0, 20), caller(credential, { onError }));
			expect(execution.items('Read', 0)).toEqual([]);
			expect(execution.items('Read', 1)).toHaveLength(20);
			expect(counted()).toEqual({ logins: 0, refusedLogins: 1, siteRequests: 0, unauthorized: 0 });
		});
	});

	test('says what to do about a wrong password', async () => {
		const mistyped = { name: 'Mistyped', password: MISTYPED };
		const credential = await saveCredential(stage.n8n, stage.service, mistyped);
		const { failure } = await run(both, siteNode('Read', credential, {}));
		expect(failure).toEqual({
			node: 'Read',
			httpCode: '401',
			message: expect.stringMatching(
				/username.*password: credential "Mistyped" \[item 0\]$/,
			) as unknown,
			description: expect.stringMatching(
				/^Open the credential "Mistyped".*locked.* "The username or the password is wrong\."$/,
			) as unknown,
		});
	});

	test.each([
		['at another origin', () => elsewhere],
		['redirected to another origin', () => stage.service],
	])('HTTP Request node %s: no token', async (_what, called) => {
		const { credential, service } = stage;
		service.faults.site.push({ redirect: { status: 307, to: elsewhere.origin } });
		await run(one, httpRequest('Read', credential, `${called().baseUrl}/meta/sites/1042`));
		// There was a token to send.
		const last = service.requests.filter(({ endpoint }) => endpoint === 'site').at(-1);
		expect(service.issuedTokens).toContain(last?.token);
		expect(elsewhere.requests).not.toEqual([]);
		const seen = JSON.stringify(elsewhere.requests);
		expect(seen).not.toMatch(/authorization|bearer/i);
		for (const token of service.issuedTokens) expect(seen).not.toContain(token);
		elsewhere.reset();
	});

	test('a stopped run ends its requests and starts no other', async () => {
		const { n8n, service } = stage;
		service.faults.site.push({ connection: 'hang' });
		const { siteRequests, aborted } = service.counts;
		const requested = () => service.counts.siteRequests - siteRequests;
		const workflow = await n8n.createWorkflow(readSites(MANY_IDS, read()));
		const executionId = await n8n.startExecution(workflow);
		await until('requests are in flight', () => service.counts.inFlight > 0);
		await n8n.rest.post(`/executions/${executionId}/stop`);
		expect((await n8n.waitForExecution(executionId)).status).toBe('canceled');
		await until('no request is in flight', () => service.counts.inFlight === 0);
		const atTheEnd = requested();
		expect(atTheEnd).toBeLessThan(MANY.length);
		expect(service.counts.aborted - aborted).toBe(atTheEnd);

		// After another whole run of a service that responds again, only the request of that run has been added.
		service.faults.site.length = 0;
		expect((await run(one, read())).json('Read')).toEqual([STORHOLMEN]);
		expect(requested()).toBe(atTheEnd + 1);
		expect((await n8n.waitForExecution(executionId)).status).toBe('canceled');
	});

	test('the trigger, published while the service is down, reports a change', async () => {
		stage.service.faults.site.push({ status: 503, times: 4 });
		await expectReportedChange(stage);
	});

	test('the trigger, published with a site that does not exist, says so and goes on', async () => {
		const { n8n, credential } = stage;
		const siteIds = [NOT_THERE, STORHOLMEN.siteId];
		const workflow = await n8n.createWorkflow(reportChanges(credential, siteIds));
		const { sitesServed } = stage.service.counts;
		await n8n.activate(workflow);
		const { id } = await until('it says so', async () => (await n8n.executions(workflow, 1))[0]);
		const { failure } = await n8n.waitForExecution(id);
		expect(failure?.message).toBe(`Site ${NOT_THERE} was not found`);
		await until('it goes on', () => stage.service.counts.sitesServed > sitesServed + 2);
		await n8n.deactivate(workflow);
	});

	test('after all of the above, no password and no token is anywhere', async () => {
		const secrets = { ...secretsOf(stage.service), mistyped: MISTYPED };
		expect(await findSecrets(stage.n8n, secrets)).toEqual([]);
	});
});
