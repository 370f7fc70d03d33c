import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from '@placemarkio/check-geojson';
import type { INode, INodeParameters } from 'n8n-workflow';
import { type Service, startService } from '../fake-service/service';
import { manySites, sampleSites } from '../fake-service/sites';
import { type CredentialReference, N8nInstance } from './n8n';
import { prepared } from './prepared';
import { findSecrets, secretsOf } from './secrets';
import { until } from '../helpers/until';
import { node, readSites, siteNode } from './workflows';

const SITES = sampleSites();
const [STORHOLMEN, ORNESVIKA] = SITES;
const NOT_THERE = 77;

let service: Service;
let n8n: N8nInstance;
let credential: CredentialReference;

beforeAll(async () => {
	service = await startService({ sites: [...SITES, ...manySites(200)] });
	n8n = await N8nInstance.create({ ...prepared(), name: 'site', env: { N8N_LOG_LEVEL: 'debug' } });
	await n8n.start();
	await n8n.login();
	credential = await n8n.createCredential('Sea farm', {
		baseUrl: service.baseUrl,
		...service.login,
	});
});

afterAll(async () => {
	await n8n?.dispose();
	await service?.close();
});

/** The node that is looked at; by default it reads the site of its item. */
function read(parameters: INodeParameters, more: Partial<INode> = {}): INode {
	return siteNode('Read', credential, { siteId: '={{ $json.siteId }}', ...parameters }, more);
}

const run = (siteIds: number[], ...nodes: INode[]) =>
	n8n.createAndRun(readSites(siteIds, ...nodes));

describe('one of three sites is not there', () => {
	const siteIds = [STORHOLMEN!.siteId, NOT_THERE, ORNESVIKA!.siteId];
	const message = `Site ${NOT_THERE} was not found [item 1]`;
	const description =
		'Check the site ID. The service knows no such site, or does not show it to this user. ' +
		`The service says: "There is no site ${NOT_THERE}."`;
	const good = [
		{ json: STORHOLMEN, pairedItem: { item: 0 } },
		{ json: ORNESVIKA, pairedItem: { item: 2 } },
	];
	const bad = {
		json: { error: message, message: description },
		pairedItem: { item: 1 },
	};

	test('«Stop Workflow»: the run ends and says which', async () => {
		const execution = await run(siteIds, read({ operation: 'get' }));
		expect(execution.status).toBe('error');
		expect(execution.failure).toEqual({ node: 'Read', httpCode: '404', message, description });
		expect(execution.items('Read')).toEqual([]);
	});

	test('«Continue»: it takes the place of its item', async () => {
		const execution = await run(
			siteIds,
			read({ operation: 'get' }, { onError: 'continueRegularOutput' }),
		);
		expect(execution.finished).toBe(true);
		expect(execution.items('Read')).toEqual([good[0], bad, good[1]]);
	});

	test('«Continue (using error output)»: it goes there, with the fields of its item', async () => {
		const execution = await run(
			siteIds,
			read({ operation: 'get' }, { onError: 'continueErrorOutput' }),
		);
		expect(execution.finished).toBe(true);
		expect(execution.items('Read', 0)).toEqual(good);
		expect(execution.items('Read', 1)).toEqual([
			{ ...bad, json: { siteId: NOT_THERE, ...bad.json } },
		]);
	});
});

test('«Include Response Headers and Status» gives the whole response', async () => {
	const execution = await run(
		[STORHOLMEN!.siteId],
		read({ operation: 'get', options: { fullResponse: true } }),
	);
	expect(execution.json('Read')).toEqual([
		{
			statusCode: 200,
			headers: expect.objectContaining({ 'content-type': 'application/json; charset=utf-8' }),
			body: STORHOLMEN,
		},
	]);
});

test('Get Units gives one row for each unit', async () => {
	const execution = await run(
		[ORNESVIKA!.siteId],
		read({ operation: 'getUnits', siteIds: '={{ $json.siteId }}' }),
	);
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

test("Get GeoJSON gives a file that n8n's Read/Write Files node writes", async () => {
	// The only folder that n8n lets its nodes write to when nothing else is set
	const folder = join(n8n.userFolder, '.n8n-files');
	await mkdir(folder, { recursive: true });
	const path = join(folder, 'map.geojson');
	const execution = await run(
		[STORHOLMEN!.siteId],
		read({ operation: 'getGeoJson', format: 'file', siteIds: '={{ $json.siteId }}' }),
		node('Write', 'n8n-nodes-base.readWriteFile', 1.1, {
			operation: 'write',
			fileName: path,
			dataPropertyName: 'data',
		}),
	);
	expect(execution.failure).toBeUndefined();
	expect(execution.items('Read')[0]?.binary?.['data']).toMatchObject({
		fileName: `site-${STORHOLMEN!.siteId}.geojson`,
		mimeType: 'application/geo+json',
	});
	// Throws where RFC 7946 is not kept
	expect(check(await readFile(path, 'utf8'))).toMatchObject({
		type: 'FeatureCollection',
		features: [
			{ properties: { kind: 'site', siteName: STORHOLMEN!.siteName } },
			...STORHOLMEN!.units.map(({ unitName }) => ({ properties: { kind: 'unit', unitName } })),
		],
	});
});

test('stopped in the editor, a run ends its requests and starts no other', async () => {
	service.faults.site.push({ connection: 'hang' });
	const before = { ...service.counts };
	const asked = () => service.counts.siteRequests - before.siteRequests;
	const siteIds = manySites(200).map(({ siteId }) => siteId);
	const { id } = await n8n.createWorkflow(readSites(siteIds, read({ operation: 'get' })));

	const executionId = await n8n.startViaEditor(id);
	await until('requests are under way', () => service.counts.inFlight > 0);
	await n8n.rest('POST', `/executions/${executionId}/stop`);
	const { status } = await n8n.waitForExecution(executionId);
	expect(status).toBe('canceled');
	await until('no request is under way any more', () => service.counts.inFlight === 0);
	const atTheEnd = asked();
	expect(atTheEnd).toBeLessThan(200);
	expect(service.counts.aborted - before.aborted).toBe(atTheEnd);

	// A whole other run later, and with a service that answers again, nothing has been added but what that run asked.
	service.faults.site.length = 0;
	const other = await run([STORHOLMEN!.siteId], read({ operation: 'get' }));
	expect(other.json('Read')).toEqual([STORHOLMEN]);
	expect(asked()).toBe(atTheEnd + 1);
	expect(await n8n.waitForExecution(executionId)).toMatchObject({ status: 'canceled' });
});

test('after all of the above, no password and no token is anywhere', async () => {
	expect(await findSecrets(n8n, secretsOf(service))).toEqual([]);
});
