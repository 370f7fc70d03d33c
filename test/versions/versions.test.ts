import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '@placemarkio/check-geojson';
import type { INode, INodeParameters } from 'n8n-workflow';
import { installN8n, type N8nMajor } from '../e2e/install';
import { type CredentialReference, N8nInstance } from '../e2e/n8n';
import { prepared } from '../e2e/prepared';
import { until } from '../helpers/until';
import { chain, httpRequest, node, readSites, siteNode, siteTrigger } from '../e2e/workflows';
import { selfSignedCertificate } from '../fake-service/certificate';
import { type Service, startService } from '../fake-service/service';
import { sampleSites } from '../fake-service/sites';

const SITES = sampleSites();
const [STORHOLMEN, ORNESVIKA] = SITES;
const WITHOUT_UNITS = SITES.find(({ units }) => units.length === 0);
const NOT_THERE = 77;

/** The installation of a whole n8n comes first, on a new machine. */
const PATIENCE_FOR_INSTALLATION = 900_000;

const pinnedVersion = (major: N8nMajor) => {
	const file = join(__dirname, '..', 'e2e', `n8n-${major}`, 'package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { dependencies: { n8n: string } }).dependencies
		.n8n;
};

describe.each((['1', '2'] as const).map((major) => ({ major, version: pinnedVersion(major) })))(
	'n8n $version',
	({ major, version }) => {
		let service: Service;
		let elsewhere: Service;
		let secured: Service;
		let n8n: N8nInstance;
		let credential: CredentialReference;

		const good = () => ({ baseUrl: service.baseUrl, ...service.login });

		beforeAll(async () => {
			service = await startService();
			elsewhere = await startService();
			secured = await startService({ tls: await selfSignedCertificate() });
			const { tarball } = prepared();
			const install = await installN8n(major, (line) => process.stderr.write(`${line}\n`));
			n8n = await N8nInstance.create({ install, tarball, name: `versions-${major}` });
			await n8n.start();
			await n8n.login();
			credential = await n8n.createCredential('Sea farm', good());
		}, PATIENCE_FOR_INSTALLATION);

		afterAll(async () => {
			await n8n?.dispose();
			await elsewhere?.close();
			await secured?.close();
			await service?.close();
		});

		afterEach(() => {
			service.faults.site.length = 0;
		});

		/** The node that is looked at; by default it reads the site of its item. */
		const read = (parameters: INodeParameters, more: Partial<INode> = {}) =>
			siteNode(
				'Read',
				credential,
				{ siteId: '={{ $json.siteId }}', siteIds: '={{ $json.siteId }}', ...parameters },
				more,
			);

		const run = (siteIds: number[], ...nodes: INode[]) =>
			n8n.createAndRun(readSites(siteIds, ...nodes));

		const bothSites = [STORHOLMEN!.siteId, ORNESVIKA!.siteId];

		test('loads both nodes and the credential', async () => {
			expect(await n8n.rest('GET', '/settings')).toMatchObject({ versionCli: version });
			const names = ['aquacultureSite', 'aquacultureSiteTrigger'];
			const nodeInfos = names.map((name) => ({
				name: `n8n-nodes-aquaculture.${name}`,
				version: 1,
			}));
			expect(await n8n.rest('POST', '/node-types', { nodeInfos })).toEqual(
				names.map((name) => expect.objectContaining({ name })),
			);
		});

		test('accepts a good credential', async () => {
			const { id, name } = credential;
			expect(await n8n.testCredential({ id, name, type: 'aquacultureApi', data: good() })).toEqual({
				status: 'OK',
				message: 'Connection successful!',
			});
		});

		test('says what is wrong with a password', async () => {
			const { id, name } = credential;
			const data = { ...good(), password: 'mistyped' };
			expect(await n8n.testCredential({ id, name, type: 'aquacultureApi', data })).toEqual({
				status: 'Error',
				message: 'The service did not accept the username and password',
			});
		});

		test('Get', async () => {
			const execution = await run(bothSites, read({ operation: 'get' }));
			expect(execution.items('Read')).toEqual([
				{ json: STORHOLMEN, pairedItem: { item: 0 } },
				{ json: ORNESVIKA, pairedItem: { item: 1 } },
			]);
		});

		test('Get Many', async () => {
			const execution = await run(
				[STORHOLMEN!.siteId],
				read({ operation: 'getAll', siteIds: bothSites.join(', '), output: 'simplified' }),
			);
			expect(execution.json('Read')).toMatchObject([
				{ siteId: STORHOLMEN!.siteId, unitCount: STORHOLMEN!.units.length },
				{ siteId: ORNESVIKA!.siteId, unitCount: ORNESVIKA!.units.length },
			]);
		});

		test('Get Units', async () => {
			const execution = await run([ORNESVIKA!.siteId], read({ operation: 'getUnits' }));
			const { siteId, siteName, info, units } = ORNESVIKA!;
			expect(execution.json('Read')).toEqual(
				units.map((unit) => ({
					siteId,
					siteName,
					...unit,
					code: info.code,
					timezone: info.timezone,
				})),
			);
		});

		test('Get GeoJSON', async () => {
			const execution = await run([STORHOLMEN!.siteId], read({ operation: 'getGeoJson' }));
			const [map] = execution.json('Read');
			// Throws where RFC 7946 is not kept
			expect(check(JSON.stringify(map))).toMatchObject({
				features: [
					{ properties: { kind: 'site' } },
					...STORHOLMEN!.units.map(({ unitName }) => ({ properties: { kind: 'unit', unitName } })),
				],
			});
		});

		test('Get GeoJSON as a file, written by Read/Write Files', async () => {
			// The only folder that n8n 2 lets its nodes write to when nothing else is set
			const folder = join(n8n.userFolder, '.n8n-files');
			await mkdir(folder, { recursive: true });
			const fileName = join(folder, 'map.geojson');
			const execution = await run(
				[STORHOLMEN!.siteId],
				read({ operation: 'getGeoJson', format: 'file' }),
				node('Write', 'n8n-nodes-base.readWriteFile', 1, { operation: 'write', fileName }),
			);
			const [{ binary } = {}] = execution.items('Read');
			expect(binary?.['data']).toMatchObject({
				fileName: `site-${STORHOLMEN!.siteId}.geojson`,
				mimeType: 'application/geo+json',
			});
			expect(check(await readFile(fileName, 'utf8')).type).toBe('FeatureCollection');
		});

		describe('one of two sites is not there', () => {
			const siteIds = [NOT_THERE, STORHOLMEN!.siteId];
			const message = `Site ${NOT_THERE} was not found [item 0]`;
			const found = { json: STORHOLMEN, pairedItem: { item: 1 } };

			test('On Error: «Stop Workflow»', async () => {
				const execution = await run(siteIds, read({ operation: 'get' }));
				expect(execution.status).toBe('error');
				expect(execution.failure).toMatchObject({ node: 'Read', message });
				expect(execution.items('Read')).toEqual([]);
			});

			test('On Error: «Continue»', async () => {
				const execution = await run(
					siteIds,
					read({ operation: 'get' }, { onError: 'continueRegularOutput' }),
				);
				expect(execution.finished).toBe(true);
				const failed = { json: { error: message }, pairedItem: { item: 0 } };
				expect(execution.items('Read')).toMatchObject([failed, found]);
			});

			test('On Error: «Continue (using error output)»', async () => {
				const execution = await run(
					siteIds,
					read({ operation: 'get' }, { onError: 'continueErrorOutput' }),
				);
				expect(execution.finished).toBe(true);
				expect(execution.items('Read', 0)).toEqual([found]);
				expect(execution.json('Read', 1)).toMatchObject([{ siteId: NOT_THERE, error: message }]);
			});
		});

		test('says in a hint what is not in the table', async () => {
			const execution = await run(
				[WITHOUT_UNITS!.siteId, STORHOLMEN!.siteId],
				read({ operation: 'getUnits' }),
			);
			expect(execution.json('Read')).toHaveLength(STORHOLMEN!.units.length);
			expect(execution.hints('Read')).toEqual([
				expect.stringMatching(new RegExp(`^No units.*${WITHOUT_UNITS!.siteName}`)),
			]);
		});

		test('renews an expired token, with one login', async () => {
			service.expireTokens();
			const { logins } = service.counts;
			const execution = await run(
				SITES.map(({ siteId }) => siteId),
				read({ operation: 'get' }),
			);
			expect(execution.json('Read')).toEqual(SITES);
			expect(service.counts.logins).toBe(logins + 1);
		});

		test('asks again after a 503', async () => {
			service.faults.site.push({ times: 1, status: 503 });
			const execution = await run(bothSites, read({ operation: 'get' }));
			expect(execution.json('Read')).toEqual([STORHOLMEN, ORNESVIKA]);
		});

		test('tries a wrong password once for twenty items, and says what to do', async () => {
			const mistyped = await n8n.createCredential('Mistyped', {
				...good(),
				password: 'mistyped too',
			});
			const { refusedLogins } = service.counts;
			const execution = await run(
				Array<number>(20)
					.fill(STORHOLMEN!.siteId)
					.map((siteId, index) => siteId + index),
				siteNode('Read', mistyped, { operation: 'get', siteId: '={{ $json.siteId }}' }),
			);
			expect(execution.failure).toMatchObject({
				message:
					'The service did not accept the username and password: credential "Mistyped" [item 0]',
				description: expect.stringMatching(/^Open the credential "Mistyped"/),
			});
			expect(service.counts.refusedLogins).toBe(refusedLogins + 1);
		});

		test('tells a token that is refused for good', async () => {
			service.faults.site.push({ status: 401 });
			const execution = await run([STORHOLMEN!.siteId], read({ operation: 'get' }));
			expect(execution.failure).toMatchObject({
				message: 'The service does not accept its own access token: credential "Sea farm"',
				description: expect.stringContaining('The service says: '),
			});
		});

		test('tells a connection that broke off', async () => {
			service.faults.site.push({ connection: 'reset' });
			const execution = await run(
				[STORHOLMEN!.siteId],
				read({ operation: 'get', options: { maxRetries: 0 } }),
			);
			expect(execution.failure).toMatchObject({
				message: 'The connection to the service broke off',
			});
		});

		test('trusts a certificate that nobody vouches for only where the credential says so', async () => {
			const readWith = async (allowUnauthorizedCerts: boolean) => {
				const data = { baseUrl: secured.baseUrl, ...secured.login, allowUnauthorizedCerts };
				const own = await n8n.createCredential('Own certificate', data);
				return await run(
					[STORHOLMEN!.siteId],
					siteNode('Read', own, { operation: 'get', siteId: '={{ $json.siteId }}' }),
				);
			};
			expect((await readWith(true)).json('Read')).toEqual([STORHOLMEN]);
			expect((await readWith(false)).failure?.message).toMatch(
				/^The service's certificate is not trusted/,
			);
		});

		// A version of the node that each n8n has
		const request = (url: string) => httpRequest('Read', credential, url, { typeVersion: 4.2 });

		test('HTTP Request node with the credential', async () => {
			const url = `${service.baseUrl}/meta/sites/${STORHOLMEN!.siteId}`;
			const execution = await run([STORHOLMEN!.siteId], request(url));
			const { siteId, siteName } = STORHOLMEN!;
			expect(execution.json('Read')).toEqual([{ siteId, siteName }]);
			expect(service.requests.at(-1)?.headers['api-version']).toBe('2025-01-01');
		});

		test.each([
			['HTTP Request node elsewhere: no token', () => elsewhere],
			['HTTP Request node, redirected elsewhere: no token', () => service],
		])('%s', async (_what, asked) => {
			service.faults.site.push({ redirect: { status: 307, to: elsewhere.origin } });
			await run([STORHOLMEN!.siteId], request(`${asked().baseUrl}/meta/sites/1042`));
			expect(elsewhere.requests).not.toEqual([]);
			const seen = JSON.stringify(elsewhere.requests);
			expect(seen).not.toMatch(/authorization|bearer/i);
			for (const token of service.issuedTokens) expect(seen).not.toContain(token);
			elsewhere.reset();
		});

		test('a stopped run ends its requests and starts no other', async () => {
			service.faults.site.push({ connection: 'hang' });
			const { siteRequests } = service.counts;
			const { id: workflow } = await n8n.createWorkflow(
				readSites(bothSites, read({ operation: 'get' })),
			);
			const executionId = await n8n.startViaEditor(workflow);
			await until('requests are under way', () => service.counts.inFlight > 0);
			await n8n.rest('POST', `/executions/${executionId}/stop`);
			const { status } = await n8n.waitForExecution(executionId);
			expect(status).toBe('canceled');
			await until('no request is under way any more', () => service.counts.inFlight === 0);
			const atTheEnd = service.counts.siteRequests - siteRequests;
			expect(atTheEnd).toBeLessThanOrEqual(bothSites.length);
			// A whole other run later, nothing has been added but what that one asked.
			service.faults.site.length = 0;
			await run([STORHOLMEN!.siteId], read({ operation: 'get' }));
			expect(service.counts.siteRequests - siteRequests).toBe(atTheEnd + 1);
		});

		test('the trigger is activated and tells a change', async () => {
			const site = service.sites[0]!;
			const trigger = siteTrigger('Changes', credential, { siteIds: String(site.siteId) });
			const { id } = await n8n.createWorkflow(
				chain('Tell Changes', trigger, node('Told', 'n8n-nodes-base.noOp', 1, {})),
			);
			await n8n.activate(id);
			const before = site.info.license;
			site.info.license = 'SAMPLE-NEW';
			const executionId = await until('the change is told', async () => {
				const [first] = await n8n.executionIds(id);
				return first;
			});
			const execution = await n8n.waitForExecution(executionId);
			await n8n.deactivate(id);
			expect(execution.json('Told')).toMatchObject([
				{
					event: 'siteChanged',
					siteId: site.siteId,
					changes: [{ field: 'info.license', before, after: 'SAMPLE-NEW' }],
				},
			]);
		});
	},
);
