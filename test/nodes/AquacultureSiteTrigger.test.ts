import { Workflow, type IDataObject, type INodeParameters } from 'n8n-workflow';
import type { Engine } from '../engine/engine';
import type { PollingTrigger } from '../engine/polling-trigger';
import { startService, type Service } from '../fake-service/service';
import { CREDENTIAL, seaFarm } from '../helpers/sea-farm';

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService();
});

beforeEach(async () => {
	service.reset();
	engine = await seaFarm(service);
});

afterAll(async () => {
	await service.close();
});

const node = (parameters: INodeParameters = {}) => ({
	type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
	parameters: { siteIds: '1042, 1057', ...parameters },
});

/** The stand-in's site, to be changed. */
const site = (siteId: number) => service.sites.find((candidate) => candidate.siteId === siteId)!;

/** An active workflow's trigger; its first poll was silent. */
async function activated(parameters?: INodeParameters): Promise<PollingTrigger> {
	const trigger = engine.pollingTrigger(node(parameters));
	expect(await trigger.activate()).toBeNull();
	return trigger;
}

/** n8n after a restart, with what its database held; activates the workflow. */
async function restarted({ saved }: PollingTrigger, parameters?: INodeParameters) {
	engine = await seaFarm(service);
	const trigger = engine.pollingTrigger(node(parameters), saved);
	return { trigger, emitted: await trigger.activate() };
}

/** What items tell, in short: `unitChanged 1042 104201 unitName`. */
function told(items: Array<{ json: IDataObject }> | null): string[] | null {
	return (
		items &&
		items.map(({ json: { event, siteId, unitId, changes } }) =>
			[event, siteId, unitId, ...(changes as Array<{ field: string }>).map(({ field }) => field)]
				.filter((part) => part !== undefined)
				.join(' '),
		)
	);
}

const warnings = () => engine.logs.filter(({ level }) => level === 'warn');

describe('what has changed', () => {
	test('is told once, one item for each event, after a silent first poll', async () => {
		const trigger = await activated();
		expect(await trigger.poll()).toBeNull();

		site(1042).info.license = 'SAMPLE-7';
		site(1042).units.pop();
		site(1057).units[0]!.unitName = 'Merd 1';
		site(1057).units.push({ unitId: 105799, unitName: 'Merd 99' });
		const items = await trigger.poll();
		expect(told(items)?.sort()).toEqual([
			'siteChanged 1042 info.license',
			'unitAdded 1057 105799',
			'unitChanged 1057 105701 unitName',
			'unitRemoved 1042 104210',
		]);
		expect(await trigger.poll()).toBeNull();
		expect(service.counts).toMatchObject({ logins: 1, siteRequests: 8 });
	});

	test('holds before, after and the current object', async () => {
		const trigger = await activated();
		site(1042).info.license = 'SAMPLE-7';
		const [item] = (await trigger.poll())!;
		expect(item!.json).toEqual({
			event: 'siteChanged',
			siteId: 1042,
			siteName: 'Storholmen',
			changes: [{ field: 'info.license', before: 'SAMPLE-1042', after: 'SAMPLE-7' }],
			detectedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			site: site(1042),
		});
	});

	test('holds how far a unit was moved', async () => {
		const trigger = await activated();
		const unit = site(1042).units[6]!;
		unit.latitude = unit.latitude! + 0.001;
		const [item] = (await trigger.poll())!;
		expect(item!.json).toMatchObject({ unitName: 'Pen 7', distance: 111.2, unit });
	});

	test('is compared by unit, not by position', async () => {
		const trigger = await activated();
		site(1042).units.reverse();
		expect(await trigger.poll()).toBeNull();
	});

	test('starts the workflow only where it was chosen', async () => {
		const trigger = await activated({ events: ['unitAdded'] });
		site(1042).info.license = 'SAMPLE-7';
		expect(await trigger.poll()).toBeNull();
		site(1042).units.push({ unitId: 104299, unitName: 'Pen 99' });
		expect(told(await trigger.poll())).toEqual(['unitAdded 1042 104299']);
	});

	test('leaves out the fields and the small moves that do not matter', async () => {
		const trigger = await activated({
			options: { ignoreFields: 'info.maxTotalBiomass, unitName ', minimumDistance: 100 },
		});
		const unit = site(1042).units[0]!;
		const move = () => (unit.latitude = unit.latitude! + 0.0006);
		site(1042).info.maxTotalBiomass = 1;
		unit.unitName = 'Merd 1';
		move();
		expect(await trigger.poll()).toBeNull();
		move();
		expect(await trigger.poll()).toMatchObject([{ json: { distance: 133.4 } }]);
	});

	test('is asked for with info and units in the chosen version', async () => {
		await activated({ options: { apiVersion: '2023-01-01' } });
		const requests = service.requests.filter(({ endpoint }) => endpoint === 'site');
		expect(requests).toHaveLength(2);
		for (const { query, headers } of requests) {
			expect(query).toEqual({ $include: 'info,units' });
			expect(headers['api-version']).toBe('2023-01-01');
		}
	});

	test('is told once by two polls at the same time', async () => {
		const trigger = await activated();
		site(1042).info.license = 'SAMPLE-7';
		const [one, other] = await Promise.all([trigger.poll(), trigger.poll()]);
		expect(told(one)).toEqual(['siteChanged 1042 info.license']);
		// The same array: it has come out once, whichever poll it was
		expect(other).toBe(one);
		expect(await trigger.poll()).toBeNull();
	});

	test('is not taken back by a slower poll, which has read the old state', async () => {
		const trigger = await activated({ siteIds: '1042' });
		const served = service.counts.sitesServed;
		service.faults.site.push({ times: 1, drip: { bytes: 400, everyMs: 40 } });
		const slower = trigger.poll();
		while (service.counts.sitesServed === served) await new Promise(setImmediate);
		site(1042).info.license = 'SAMPLE-7';
		const faster = await trigger.poll();
		expect(told(faster)).toEqual(['siteChanged 1042 info.license']);
		expect(await slower).toBe(faster);
		expect(await trigger.poll()).toBeNull();
	});
});

describe('a restart of n8n', () => {
	test('loses nothing that happened meanwhile, and tells nothing twice', async () => {
		const trigger = await activated();
		site(1042).info.license = 'SAMPLE-7';
		await trigger.poll();
		site(1042).info.license = 'SAMPLE-8';
		const { trigger: again, emitted } = await restarted(trigger);
		expect(told(emitted)).toEqual(['siteChanged 1042 info.license']);
		expect(emitted![0]!.json.changes).toMatchObject([{ before: 'SAMPLE-7', after: 'SAMPLE-8' }]);
		expect(await again.poll()).toBeNull();
	});

	// n8n saves what the trigger remembers when items go out, not after a silent poll
	test('after silent polls, too', async () => {
		const trigger = await activated();
		for (let poll = 0; poll < 3; poll++) expect(await trigger.poll()).toBeNull();
		const { trigger: again, emitted } = await restarted(trigger);
		expect(emitted).toBeNull();
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await again.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('after polls whose changes were not chosen, ignored or too small', async () => {
		const parameters = {
			events: ['siteChanged', 'unitChanged'],
			options: { ignoreFields: 'license', minimumDistance: 100 },
		};
		const unit = site(1042).units[0]!;
		const trigger = await activated(parameters);
		site(1042).info.license = 'SAMPLE-7';
		site(1057).units.pop();
		unit.latitude = unit.latitude! + 0.0006;
		expect(await trigger.poll()).toBeNull();
		const { trigger: again, emitted } = await restarted(trigger, parameters);
		expect(emitted).toBeNull();
		unit.latitude = unit.latitude! + 0.0006;
		expect(await again.poll()).toMatchObject([{ json: { distance: 133.4 } }]);
	});

	test('before the first baseline was saved: the next poll takes it', async () => {
		const trigger = engine.pollingTrigger(node());
		expect(await trigger.poll()).toBeNull();
		expect(trigger.saved).toEqual({});
		const { trigger: again, emitted } = await restarted(trigger);
		expect(emitted).toBeNull();
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await again.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('is not kept from activating the workflow by a site that is gone', async () => {
		const trigger = await activated();
		service.faults.site.push({ siteId: 1057, status: 404 });
		await expect(trigger.poll()).rejects.toThrow('Site 1057 was not found');
		site(1042).info.license = 'SAMPLE-7';
		const { trigger: again, emitted } = await restarted(trigger);
		expect(told(emitted)).toEqual(['siteChanged 1042 info.license']);
		// n8n saved nothing when it was said, so it is said once more
		await expect(again.poll()).rejects.toThrow('Site 1057 was not found');
		expect(await again.poll()).toBeNull();
	});

	test('nor by a service that is down just then, of which the next poll tells', async () => {
		const trigger = await activated();
		service.faults.site.push({ status: 500 });
		const { trigger: again, emitted } = await restarted(trigger);
		expect(emitted).toBeNull();
		expect(warnings()).toHaveLength(2);
		await expect(again.poll()).rejects.toMatchObject({ httpCode: '500' });
		service.faults.site.length = 0;
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await again.poll())).toEqual(['siteChanged 1042 info.license']);
	});
});

describe('a site that cannot be read', () => {
	test('keeps its old state and is named in the log; the others are told', async () => {
		const trigger = await activated();
		service.faults.site.push({ siteId: 1042, status: 500 });
		site(1042).info.license = 'SAMPLE-7';
		site(1057).info.license = 'SAMPLE-8';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
		expect(warnings()).toEqual([
			expect.objectContaining({
				message: expect.stringMatching(/site 1042 was not read: .*\(status 500\)$/),
				metadata: expect.objectContaining({ description: expect.stringMatching(/\w+/) }),
			}),
		]);
		expect(await trigger.poll()).toBeNull();

		service.faults.site.length = 0;
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
		expect(await trigger.poll()).toBeNull();
	});

	test.each<[string, object]>([
		['a web page', { body: 'html' }],
		['nothing', { body: 'empty' }],
		['broken JSON', { body: 'broken' }],
		['a list', { body: { json: [] } }],
		['no info and no units', { merge: { info: null, units: null } }],
	])('as the service answers with %s: no unit is taken for removed', async (_what, fault) => {
		const trigger = await activated();
		service.faults.site.push({ siteId: 1042, ...fault });
		expect(await trigger.poll()).toBeNull();
		service.faults.site.length = 0;
		expect(await trigger.poll()).toBeNull();
	});

	test('is asked for once more when the connection breaks off', async () => {
		const trigger = await activated({ siteIds: '1042' });
		service.faults.site.push({ times: 1, connection: 'reset' });
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('and no other either: the poll says why, with the status', async () => {
		const trigger = await activated();
		service.faults.site.push({ status: 500 });
		await expect(trigger.poll()).rejects.toMatchObject({
			name: 'NodeApiError',
			message: 'The service is unavailable (status 500)',
			description: expect.stringContaining('Run the workflow again later'),
			httpCode: '500',
		});
		service.faults.site.length = 0;
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('from the start keeps the workflow from being activated, if it is the only one', async () => {
		service.faults.site.push({ status: 503, retryAfter: 3600 });
		const trigger = engine.pollingTrigger(node());
		await expect(trigger.activate()).rejects.toMatchObject({
			message: 'The service asked for a wait of 60 minutes',
			httpCode: '503',
		});
	});
});

describe('a site that is not found any more', () => {
	const gone = (...siteId: number[]) => service.faults.site.push({ siteId, status: 404 });

	test('is said once, as what it is, and not as units removed', async () => {
		const trigger = await activated();
		gone(1042);
		await expect(trigger.poll()).rejects.toMatchObject({
			name: 'NodeApiError',
			message: 'Site 1042 was not found',
			description: expect.stringContaining('Check the site ID'),
			httpCode: '404',
		});
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.poll()).toBeNull();
	});

	test('takes no events of other sites with it', async () => {
		const trigger = await activated();
		gone(1042);
		site(1057).info.license = 'SAMPLE-8';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
		await expect(trigger.poll()).rejects.toThrow('Site 1042 was not found');
		site(1057).info.license = 'SAMPLE-9';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
	});

	test('is compared with its last state when it comes back, and said again when it goes again', async () => {
		const trigger = await activated();
		gone(1042);
		await expect(trigger.poll()).rejects.toThrow('Site 1042');
		service.faults.site.length = 0;
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
		gone(1042);
		await expect(trigger.poll()).rejects.toThrow('Site 1042');
	});

	test('is not said again because it could not be read in between', async () => {
		const trigger = await activated();
		gone(1042);
		await expect(trigger.poll()).rejects.toThrow('Site 1042');
		service.faults.site.unshift({ siteId: 1042, status: 500, times: 1 });
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.poll()).toBeNull();
	});

	test('is said by itself, where several are gone', async () => {
		const trigger = await activated({ siteIds: '1042, 1057, 1063' });
		gone(1042, 1057);
		await expect(trigger.poll()).rejects.toThrow('Site 1042');
		await expect(trigger.poll()).rejects.toThrow('Site 1057');
		expect(await trigger.poll()).toBeNull();
	});

	test('hides nothing else that goes wrong', async () => {
		const trigger = await activated();
		gone(1042, 1057);
		await expect(trigger.poll()).rejects.toThrow('Site 1042');
		await expect(trigger.poll()).rejects.toThrow('Site 1057');
		expect(await trigger.poll()).toBeNull();
		service.faults.site.unshift({ siteId: 1057, status: 500 });
		await expect(trigger.poll()).rejects.toMatchObject({ httpCode: '500' });
		service.faults.site.length = 0;
		service.expireTokens();
		engine.editCredential(CREDENTIAL, { password: 'wrong' });
		await expect(trigger.poll()).rejects.toMatchObject({ httpCode: '401' });
	});

	test('is told at once where it was never there: an ID was mistyped', async () => {
		const trigger = engine.pollingTrigger(node({ siteIds: '1042, 77' }));
		await expect(trigger.activate()).rejects.toThrow('Site 77 was not found');
	});
});

describe('a new baseline', () => {
	test('is taken silently for a site that is added to the list', async () => {
		const before = await activated({ siteIds: '1042' });
		const trigger = engine.pollingTrigger(node(), before.saved);
		site(1042).info.license = 'SAMPLE-7';
		site(1057).info.license = 'SAMPLE-8';
		expect(told(await trigger.activate())).toEqual(['siteChanged 1042 info.license']);
		site(1057).info.license = 'SAMPLE-9';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
	});

	test('forgets a site that is taken from the list', async () => {
		const before = await activated();
		const trigger = engine.pollingTrigger(node({ siteIds: '1042' }), before.saved);
		expect(await trigger.activate()).toBeNull();
		expect(JSON.stringify(trigger.saved)).not.toContain('1057');
		const later = engine.pollingTrigger(node(), trigger.saved);
		site(1057).info.license = 'SAMPLE-8';
		expect(await later.activate()).toBeNull();
	});

	test('is taken for another address of the service', async () => {
		const other = await startService();
		try {
			other.sites[0]!.info.license = 'OTHER';
			const trigger = await activated();
			engine.editCredential(CREDENTIAL, { baseUrl: other.baseUrl, accessToken: '' });
			expect(await trigger.poll()).toBeNull();
			other.sites[0]!.info.license = 'OTHER-2';
			const [item] = (await trigger.poll())!;
			expect(item!.json.changes).toMatchObject([{ before: 'OTHER', after: 'OTHER-2' }]);
		} finally {
			await other.close();
		}
	});

	test('is not taken for the same address in another spelling', async () => {
		const trigger = await activated();
		engine.editCredential(CREDENTIAL, { baseUrl: ` ${service.baseUrl}/auth/token/ ` });
		site(1042).info.license = 'SAMPLE-7';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('is taken for another version of the service', async () => {
		const before = await activated();
		site(1042).info.license = 'SAMPLE-7';
		const options = { apiVersion: '2023-01-01' };
		const trigger = engine.pollingTrigger(node({ options }), before.saved);
		expect(await trigger.activate()).toBeNull();
		site(1042).info.license = 'SAMPLE-8';
		expect(told(await trigger.poll())).toEqual(['siteChanged 1042 info.license']);
	});

	test('is small: that of a site of 20 units takes some kilobytes', async () => {
		const { units } = site(1042);
		while (units.length < 20) {
			const number = units.length + 1;
			units.push({ ...units[0]!, unitId: 104200 + number, unitName: `Pen ${number}` });
		}
		const { saved } = await activated({ siteIds: '1042' });
		const bytes = Buffer.byteLength(JSON.stringify(saved));
		expect(bytes).toBeGreaterThan(1000);
		expect(bytes).toBeLessThan(3000);
	});
});

describe('what has to be mended is said', () => {
	test('a wrong password: with the name of the credential, after one login', async () => {
		engine.editCredential(CREDENTIAL, { password: 'wrong' });
		const trigger = engine.pollingTrigger(node());
		await expect(trigger.activate()).rejects.toMatchObject({
			name: 'NodeApiError',
			message: 'The service rejected the username or password: credential "Sea farm"',
			description: expect.stringContaining('Open the credential "Sea farm"'),
			httpCode: '401',
		});
		expect(service.counts).toMatchObject({ tokenRequests: 1, siteRequests: 0 });
	});

	test.each<[string, INodeParameters, string]>([
		['site IDs', { siteIds: '1042, x' }, `'Site IDs': "x" is not a site ID (entry 2 of 2)`],
		['version', { options: { apiVersion: 'latest' } }, "'API Version' is not a date"],
	])('wrong %s: before anything is sent', async (_what, parameters, message) => {
		const trigger = engine.pollingTrigger(node(parameters));
		await expect(trigger.activate()).rejects.toMatchObject({ name: 'NodeOperationError', message });
		expect(service.counts.requests).toBe(0);
	});

	test('no credential: that there is none', async () => {
		const trigger = engine.pollingTrigger({ ...node(), credential: null });
		await expect(trigger.activate()).rejects.toThrow('Node does not have any credentials set');
	});

	test('a base URL that is none: before anything is sent', async () => {
		engine.editCredential(CREDENTIAL, { baseUrl: 'api.example.com' });
		await expect(engine.pollingTrigger(node()).activate()).rejects.toThrow(
			`'Base URL' must start with https:// or http://: credential "Sea farm"`,
		);
		expect(service.counts.requests).toBe(0);
	});

	test('none of it with a secret in it, neither in n8n’s log', async () => {
		const trigger = await activated();
		const secrets = [service.login.password, ...service.issuedTokens];
		service.faults.site.push({ status: 500, body: { json: { message: secrets.join(' ') } } });
		const failure = await trigger.poll().catch((error: Error) => error);
		const everything = JSON.stringify([failure, engine.logs, trigger.saved]);
		for (const secret of secrets) expect(everything).not.toContain(secret);
	});
});

describe('«Fetch Test Event»', () => {
	test('shows an item of each chosen kind in the shape of production', async () => {
		const test = await engine.testTrigger(node());
		const trigger = await activated();
		site(1042).info.license = 'SAMPLE-7';
		site(1042).units[0]!.latitude! += 0.01;
		site(1042).units.splice(1, 1, { unitId: 104299, unitName: 'Pen 99' });
		const production = (await trigger.poll())!;
		const shapes = (items: Array<{ json: IDataObject }>) =>
			Object.fromEntries(items.map(({ json }) => [json.event, Object.keys(json)]));
		expect(test.items).toHaveLength(4);
		expect(shapes(test.items)).toEqual(shapes(production));
		expect(test.items[0]!.json).toMatchObject({ siteId: 1042, siteName: 'Storholmen' });
	});

	test('shows the chosen kinds alone', async () => {
		const { items } = await engine.testTrigger(node({ events: ['unitRemoved'] }));
		expect(told(items)).toEqual(['unitRemoved 1042 104201']);
	});

	test('takes the first site that can be read, also one without units', async () => {
		service.faults.site.push({ siteId: 1042, status: 404 });
		const { items } = await engine.testTrigger(node({ siteIds: '1042, 1101' }));
		expect(items.map(({ json }) => [json.event, json.siteId])).toEqual([
			['siteChanged', 1101],
			['unitAdded', 1101],
			['unitRemoved', 1101],
			['unitChanged', 1101],
		]);
	});

	test('says why where there is none', async () => {
		service.faults.site.push({ status: 404 });
		const { error } = await engine.testTrigger(node());
		expect(error).toMatchObject({ message: 'Site 1042 was not found', httpCode: '404' });
	});

	test('leaves what the trigger remembers as it is', async () => {
		const memory = jest.spyOn(Workflow.prototype, 'getStaticData');
		try {
			expect((await engine.testTrigger(node())).items).toHaveLength(4);
			const kept = memory.mock.results.map(({ value }) => JSON.stringify(value));
			expect(kept).toEqual(kept.map(() => '{}'));
		} finally {
			memory.mockRestore();
		}
	});
});
