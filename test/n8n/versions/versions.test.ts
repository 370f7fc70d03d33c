import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import type { Service, ServiceOptions } from '../../tools/fake-service/service';
import { manySites, sampleSites } from '../../tools/fake-service/sites';
import { at } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { expectReportedChange, waitForPoll } from '../../tools/n8n/checks';
import { installN8n, pinnedVersion } from '../../tools/n8n/install';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { findSecrets, secretsOf } from '../../tools/n8n/secrets';
import { ownService, saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
import { httpRequest, readSites, reportChanges, siteNode } from '../../tools/n8n/workflows';

const SITES = sampleSites();
const STORHOLMEN = at(SITES, 0);
const ORNESVIKA = at(SITES, 1);
const WITHOUT_UNITS = at(SITES, 4);
const NOT_THERE = 77;
const ONE = [STORHOLMEN.siteId];

const MANY = manySites(200);
const MANY_IDS = MANY.map(({ siteId }) => siteId);

/** Made of characters that look different in base64, in a URL and in a form. */
const MISTYPED = 'p+ss wörd/&=% 1042';

/** A node that reads the site of its item. */
type Caller = (
	credential: CredentialReference,
	service: Service,
	onError?: INode['onError'],
) => INode;

const byNode: Caller = (credential, _service, onError) =>
	siteNode('Read', credential, {}, { onError });

const byHttpRequest: Caller = (credential, { baseUrl }, onError) =>
	httpRequest('Read', credential, `=${baseUrl}/meta/sites/{{ $json.siteId }}`, { onError });

const VERSIONS = (['1', '2'] as const).map((major) => ({ major, version: pinnedVersion(major) }));

describe.each(VERSIONS)('n8n $version', ({ major, version }) => {
	const stage = useN8n(`versions-${major}`, {
		n8n: async () => ({
			install: await installN8n(major, (line) => process.stderr.write(`${line}\n`)),
			env: { N8N_LOG_LEVEL: 'debug' },
		}),
		credential: false,
	});
	const services: Service[] = [];

	/** A service of one test alone, and a credential for it. */
	async function own(options?: ServiceOptions, data?: ICredentialDataDecryptedObject) {
		const both = await ownService(stage, options, data);
		services.push(both.service);
		return both;
	}

	/** Runs a workflow that gives the nodes one item for each site. */
	const run = async (sites: number[], ...nodes: INode[]) =>
		await stage.n8n.createAndRun(readSites(sites, ...nodes));

	test('is that version', async () => {
		expect(await stage.n8n.rest.get('/settings')).toMatchObject({ versionCli: version });
	});

	test.each([
		['is right', {}, 'OK', /^Connection successful!$/],
		['has a wrong password', { password: MISTYPED }, 'Error', /username.*password/],
	])('tests a credential that %s', async (_, change, status, message) => {
		const { service, credential } = await own();
		const data = { baseUrl: service.baseUrl, ...service.login, ...change };
		const result = await stage.n8n.testCredential(credential, data);
		expect(result).toEqual({ status, message: expect.stringMatching(message) as unknown });
	});

	test('Get Units, with a hint about a site that has none', async () => {
		const { credential } = await own();
		const sites = [WITHOUT_UNITS.siteId, ORNESVIKA.siteId];
		const execution = await run(sites, siteNode('Read', credential, { operation: 'getUnits' }));
		const { siteId, siteName, info, units } = ORNESVIKA;
		const { code, timezone } = info;
		expect(execution.json('Read')).toEqual(
			units.map((unit) => ({ siteId, siteName, ...unit, code, timezone })),
		);
		expect(execution.hints('Read')).toEqual([
			expect.stringMatching(new RegExp(`^No rows.*${WITHOUT_UNITS.siteName}`)),
		]);
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
			const { service, credential } = await own();
			const execution = await run(siteIds, byNode(credential, service, onError));
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

	test('reports a lost connection', async () => {
		const { service, credential } = await own();
		service.faults.site.push({ connection: 'reset' });
		const once = { options: { maxRetries: 0 } };
		const { failure } = await run(ONE, siteNode('Read', credential, once));
		expect(failure?.message).toMatch(/^The connection to the service /);
		expect(failure?.description).toMatch(/try again/i);
	});

	test.each([
		[true, undefined],
		[false, "The service's certificate"],
	])('a self-signed certificate, which the credential allows: %s', async (allowed, message) => {
		const tls = await selfSignedCertificate();
		const { credential } = await own({ tls }, { allowUnauthorizedCerts: allowed });
		const { failure } = await run(ONE, siteNode('Read', credential, {}));
		const expected = message && (expect.stringContaining(message) as string);
		expect(failure?.message).toEqual(expected);
	});

	describe.each([
		['the node', byNode],
		['the HTTP Request node', byHttpRequest],
	])('%s', (_, caller) => {
		test('logs in once for 200 items, not again in the next run, and once where the token ends in mid-run', async () => {
			const { service, credential } = await own({ sites: MANY });
			const workflow = readSites(MANY_IDS, caller(credential, service));
			const workflowId = await stage.n8n.createWorkflow(workflow);
			/** What a run of the workflow, from which every site must come, requests of the service. */
			async function readAll() {
				const { logins, siteRequests } = service.counts;
				const execution = await stage.n8n.runWorkflow(workflowId);
				expect(execution.json('Read').map(({ siteId }) => siteId)).toEqual(MANY_IDS);
				const { counts } = service;
				return [counts.logins - logins, counts.siteRequests - siteRequests];
			}
			expect(await readAll()).toEqual([1, 200]);
			expect(await readAll()).toEqual([0, 200]);
			service.faults.tokenLifetime = { uses: 2 * 200 + 100 };
			const [logins, siteRequests] = await readAll();
			expect(logins).toBe(1);
			expect(siteRequests).toBe(200 + service.counts.unauthorized);
			// Only what was in flight with the old token, 128 at most, is sent again; for n8n 1, twice
			expect(service.counts.unauthorized).toBeGreaterThan(0);
			expect(service.counts.unauthorized).toBeLessThanOrEqual(major === '1' ? 256 : 128);
			expect(service.requests.at(-1)?.headers['api-version']).toBe('2025-01-01');
			expect(service.counts.refusedLogins).toBe(0);
		});

		// The same user is logged in with the right password: that token must be of no use here
		test('with a wrong password: one rejected login for 20 items, and no data', async () => {
			const { service, credential } = await own({ sites: MANY });
			await run(MANY_IDS.slice(0, 1), caller(credential, service));
			const mistyped = await saveCredential(stage.n8n, service, { password: MISTYPED });
			const onError = 'continueErrorOutput';
			const execution = await run(MANY_IDS.slice(0, 20), caller(mistyped, service, onError));
			expect(execution.items('Read', 0)).toEqual([]);
			expect(execution.items('Read', 1)).toHaveLength(20);
			expect(service.counts).toMatchObject({ logins: 1, refusedLogins: 1, siteRequests: 1 });
			const secrets = { ...secretsOf(...services), mistyped: MISTYPED };
			expect(await findSecrets(stage.n8n, secrets)).toEqual([]);
		});
	});

	test.each(['called', 'redirected to'])('another origin, %s, gets no token', async (how) => {
		const { service, credential } = await own();
		const elsewhere = await startFake(stage.cleanup);
		// So there is a token to send
		await run(ONE, byHttpRequest(credential, service));
		expect(service.issuedTokens).toHaveLength(1);
		service.faults.site.push({ redirect: { status: 307, to: elsewhere.origin } });
		await run(ONE, byHttpRequest(credential, how === 'called' ? elsewhere : service));
		expect(elsewhere.requests).not.toEqual([]);
		const seen = JSON.stringify(elsewhere.requests);
		expect(seen).not.toMatch(/authorization|bearer/i);
		for (const token of service.issuedTokens) expect(seen).not.toContain(token);
	});

	test('a stopped run ends its requests and starts no other', async () => {
		const { n8n } = stage;
		const { service, credential } = await own({ sites: MANY });
		service.faults.site.push({ connection: 'hang' });
		const workflow = await n8n.createWorkflow(readSites(MANY_IDS, byNode(credential, service)));
		const executionId = await n8n.startExecution(workflow);
		await until('requests are in flight', () => service.counts.inFlight > 0);
		await n8n.rest.post(`/executions/${executionId}/stop`);
		expect((await n8n.waitForExecution(executionId)).status).toBe('canceled');
		await until('no request is in flight', () => service.counts.inFlight === 0);
		const { siteRequests, aborted } = service.counts;
		expect(siteRequests).toBeLessThan(MANY.length);
		expect(aborted).toBe(siteRequests);

		// After a whole run at a service that responds again, only the request of that run has been added
		service.faults.site.length = 0;
		const first = MANY_IDS.slice(0, 1);
		expect((await run(first, byNode(credential, service))).json('Read')).toHaveLength(1);
		expect(service.counts.siteRequests).toBe(siteRequests + 1);
	});

	test('the trigger, published while the service is down, reports a change', async () => {
		const { service, credential } = await own();
		service.faults.site.push({ status: 503, times: 4 });
		await expectReportedChange({ n8n: stage.n8n, service, credential });
	});

	test.each([
		['a site that does not exist', [NOT_THERE, ...ONE], {}, `Site ${NOT_THERE} was not found`],
		[
			'a rejected login',
			ONE,
			{ password: MISTYPED },
			'The service rejected the username or password',
		],
	])(
		'the trigger, published with %s, says so once, and goes on',
		async (_, siteIds, wrong, message) => {
			const { n8n } = stage;
			const { service, credential } = await own({}, wrong);
			const workflow = await n8n.createWorkflow(reportChanges(credential, siteIds));
			await n8n.activate(workflow);
			expect(await n8n.rest.get(`/workflows/${workflow}`)).toMatchObject({ active: true });
			const executions = async () => await n8n.executions(workflow);
			await until('it is told', async () => (await executions()).length > 0);
			const data = { baseUrl: service.baseUrl, ...service.login };
			const corrected = { name: credential.name, type: 'aquacultureApi', data };
			await n8n.rest.patch(`/credentials/${credential.id}`, corrected);
			await waitForPoll(service, ONE);
			at(service.sites, 0).info.license = 'SAMPLE-NEW';
			await until('the change is told', async () => (await executions()).length > 1);
			await waitForPoll(service, ONE);
			const [change, failure, ...others] = await Promise.all(
				(await executions()).map(({ id }) => n8n.waitForExecution(id)),
			);
			expect(change?.json('Reported')).toMatchObject([{ changes: [{ after: 'SAMPLE-NEW' }] }]);
			expect(failure?.failure?.message).toContain(message);
			expect(others).toEqual([]);
			await n8n.deactivate(workflow);
		},
	);
});
