import { type IDataObject, type INodeParameters, Workflow } from 'n8n-workflow';
import type { PollingTrigger } from '../tools/engine/polling-trigger';
import { CREDENTIAL, seaFarm, useSeaFarm } from '../tools/engine/sea-farm';
import type { Fault } from '../tools/fake-service/faults';
import { at } from '../tools/helpers/at';

const farm = useSeaFarm();

const node = (parameters: INodeParameters = {}) => ({
	type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
	parameters: { siteIds: '1042, 1057', ...parameters },
});

/** An active workflow's trigger; its first poll was silent. */
async function activated(parameters?: INodeParameters): Promise<PollingTrigger> {
	const trigger = farm.engine.pollingTrigger(node(parameters));
	expect(await trigger.activate()).toBeNull();
	return trigger;
}

function setLicense(license: string, siteId = 1042): void {
	farm.site(siteId).info.license = license;
}

/** What items report, in short: `unitChanged 1042 104201 unitName`. */
function summary(items: Array<{ json: IDataObject }> | null): string[] | null {
	if (!items) return null;
	return items.map(({ json: { event, siteId, unitId, changes } }) => {
		const fields = (changes as Array<{ field: string }>).map(({ field }) => field);
		return [event, siteId, unitId ?? [], fields].flat().map(String).join(' ');
	});
}

const licenseChanged = ['siteChanged 1042 info.license'];

describe('what has changed', () => {
	test('is reported once, one item for each event, after a silent first poll', async () => {
		const trigger = await activated();
		expect(await trigger.poll()).toBeNull();

		setLicense('SAMPLE-7');
		farm.site(1042).units.pop();
		at(farm.site(1057).units, 0).unitName = 'Pen A';
		farm.site(1057).units.reverse().push({ unitId: 105799, unitName: 'Pen 99' });
		expect(summary(await trigger.poll())).toEqual([
			...licenseChanged,
			'unitRemoved 1042 104210',
			'unitChanged 1057 105701 unitName',
			'unitAdded 1057 105799',
		]);
		expect(await trigger.poll()).toBeNull();
		expect(farm.service.counts).toMatchObject({ logins: 1, siteRequests: 8 });
	});

	test('starts the workflow only where it was chosen, is not ignored and went far enough', async () => {
		const options = { ignoreFields: 'unitName', minimumDistance: 100 };
		const trigger = await activated({ events: ['unitChanged'], options });
		const unit = at(farm.site(1042).units, 0);
		const latitude = Number(unit.latitude);
		setLicense('SAMPLE-7');
		Object.assign(unit, { unitName: 'Pen A', latitude: latitude + 0.0006 });
		expect(await trigger.poll()).toBeNull();
		unit.latitude = latitude + 0.0012;
		const detectedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;
		expect(await trigger.poll()).toMatchObject([{ json: { distance: 133.4, unit, detectedAt } }]);
	});

	test('is requested with info and units in the chosen version', async () => {
		await activated({ options: { apiVersion: '2023-01-01' } });
		const request = {
			query: '$include=info,units',
			headers: { 'api-version': '2023-01-01' },
		};
		expect(farm.siteRequests).toMatchObject([request, request]);
	});

	test('is reported once by polls at the same time: the second one leaves it to the first', async () => {
		const trigger = await activated();
		const { counts } = farm.service;
		setLicense('SAMPLE-7');
		const requests = counts.siteRequests;
		const polls = await Promise.all([trigger.poll(), trigger.poll(), trigger.poll()]);
		expect(polls.map(summary)).toEqual([licenseChanged, null, null]);
		expect(counts.siteRequests - requests).toBe(2);
		expect(await trigger.poll()).toBeNull();
	});
});

test('a restart of n8n while the service is down loses nothing and reports nothing twice', async () => {
	const trigger = await activated();
	setLicense('SAMPLE-7');
	await trigger.poll();
	setLicense('SAMPLE-8');
	farm.service.faults.site.push({ status: 500 });
	farm.engine = await seaFarm(farm.service);
	const restarted = farm.engine.pollingTrigger(node(), trigger.saved);
	// A failure would keep the workflow inactive; the third poll reports it
	expect(await restarted.activate('init')).toBeNull();
	expect(await restarted.poll()).toBeNull();
	await expect(restarted.poll()).rejects.toThrow('No site could be read in the last 3 polls');
	expect(await restarted.poll()).toBeNull();
	farm.service.faults.site.length = 0;
	const changes = [{ field: 'info.license', before: 'SAMPLE-7', after: 'SAMPLE-8' }];
	expect(await restarted.poll()).toMatchObject([{ json: { changes } }]);
	expect(await restarted.poll()).toBeNull();
});

describe('a site that cannot be read', () => {
	test('is named in the log, and the others are reported', async () => {
		const trigger = await activated();
		farm.service.faults.site.push({ siteId: 1042, status: 500 });
		setLicense('SAMPLE-8', 1057);
		expect(summary(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
		expect(farm.engine.logs.filter(({ level }) => level === 'warn')).toMatchObject([
			{
				message:
					'Aquaculture Site Trigger: site 1042 was not read: The service is unavailable (status 500)',
				metadata: {
					description: expect.stringMatching(/^The problem is with the service/) as unknown,
				},
			},
		]);
	});

	test('is requested once more when the connection is lost', async () => {
		const trigger = await activated({ siteIds: '1042' });
		farm.service.faults.site.push({ times: 1, connection: 'reset' });
		setLicense('SAMPLE-7');
		expect(summary(await trigger.poll())).toEqual(licenseChanged);
	});

	test.each<[Fault, string, string]>([
		[{ siteId: 1042, status: 404 }, '404', 'Site 1042 was not found'],
		[{ status: 503, retryAfter: 3600 }, '503', 'The service asked to retry after 60 minutes'],
	])(
		'%j keeps a new workflow inactive, however often n8n tries',
		async (fault, httpCode, message) => {
			farm.service.faults.site.push(fault);
			const description = expect.stringMatching(/^[A-Z].*\w/) as unknown;
			const failure = { name: 'NodeApiError', message, description, httpCode };
			const trigger = farm.engine.pollingTrigger(node());
			await expect(trigger.activate()).rejects.toMatchObject(failure);
			const { siteRequests } = farm.service.counts;
			for (let retry = 0; retry < 4; retry++) {
				await expect(trigger.activate()).rejects.toMatchObject(failure);
			}
			expect(farm.service.counts.siteRequests).toBe(siteRequests);
			const corrected = farm.engine.pollingTrigger(node({ siteIds: '1101' }), trigger.saved);
			farm.service.faults.site.length = 0;
			expect(await corrected.activate()).toBeNull();
		},
	);
});

test('a list that is longer than the rate limit allows is read one part after the other, also over restarts of n8n', async () => {
	// 2 of the 6 sites in each poll: those that arrive first
	let used = 0;
	farm.service.faults.site.push({ when: () => ++used > 2, status: 429, retryAfter: 3600 });
	const siteIds = '1042 1057 1063 1088 1101 1120';
	const read = new Set<unknown>();
	let saved: IDataObject = {};
	// Three are enough, unless requests overtake each other on their way
	for (let starts = 0; starts < 30 && read.size < 6; starts++) {
		used = 0;
		// With the token that n8n has stored
		farm.engine = await seaFarm(farm.service, farm.engine.database[CREDENTIAL]);
		const trigger = farm.engine.pollingTrigger(node({ siteIds }), saved);
		expect(await trigger.activate(starts === 0 ? 'activate' : 'init')).toBeNull();
		({ saved } = trigger);
		const served = farm.siteRequests.filter(({ status }) => status === 200);
		expect(served).toHaveLength(2 * (starts + 1));
		for (const { siteId } of served) read.add(siteId);
	}
	expect(read.size).toBe(6);
});

test('a new baseline is taken for another version and another address, but not for another spelling', async () => {
	const { saved } = await activated();
	setLicense('SAMPLE-7');
	const parameters = { options: { apiVersion: '2023-01-01' } };
	const trigger = farm.engine.pollingTrigger(node(parameters), saved);
	expect(await trigger.activate()).toBeNull();

	farm.engine.editCredential(CREDENTIAL, { baseUrl: ` ${farm.service.baseUrl}/auth/token/ ` });
	setLicense('SAMPLE-8');
	expect(summary(await trigger.poll())).toEqual(licenseChanged);

	// The same service at another address
	const baseUrl = farm.service.baseUrl.replace('127.0.0.1', 'localhost');
	farm.engine.editCredential(CREDENTIAL, { baseUrl, accessToken: '' });
	setLicense('SAMPLE-9');
	expect(await trigger.poll()).toBeNull();
	expect(farm.service.counts.sitesServed).toBe(8);
});

const single = node({ siteIds: '1042' });

test.each<['site' | 'token', again: string, poll: () => Promise<unknown>]>([
	['site', 'Publish the workflow', () => farm.engine.pollingTrigger(single).activate()],
	['token', 'Fetch a test event', async () => (await farm.engine.testTrigger(single)).error],
])('where the %s endpoint hangs, a poll ends in time: %s again', async (endpoint, again, poll) => {
	const { faults, counts } = farm.service;
	faults[endpoint].push({ connection: 'hang' });
	const start = farm.clock.now();
	const failure = await poll().catch((error: unknown) => error);
	expect(farm.clock.now() - start).toBeLessThanOrEqual(36_000);
	expect(failure).toMatchObject({
		message: 'The service did not respond in time',
		description: expect.stringMatching(`^${again} again later; if`) as unknown,
	});
	expect(counts[`${endpoint}Requests`]).toBeLessThanOrEqual(2);
});

describe('what must be fixed is reported', () => {
	test('a wrong site ID or base URL: before anything is sent', async () => {
		const wrongId = farm.engine.pollingTrigger(node({ siteIds: '1042, x' }));
		await expect(wrongId.activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: `'Site IDs': "x" is not a site ID (entry 2 of 2)`,
		});
		farm.engine.editCredential(CREDENTIAL, { baseUrl: 'api.example.com' });
		await expect(farm.engine.pollingTrigger(node()).activate()).rejects.toThrow(
			`'Base URL' must start with https:// or http://: credential "Sea farm"`,
		);
		expect(farm.service.counts.requests).toBe(0);
	});

	test('a name under "Ignore Fields" that no field has', async () => {
		const mistyped = node({ options: { ignoreFields: 'licens' } });
		await expect(farm.engine.pollingTrigger(mistyped).activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(
				/^'Ignore Fields': these sites have no field "licens"\./,
			) as unknown,
		});
	});

	test('without a secret in it, nor in the log of n8n', async () => {
		const trigger = await activated();
		const secrets = [farm.service.login.password, ...farm.service.issuedTokens];
		const body = { json: { message: secrets.join(' ') } };
		farm.service.faults.site.push({ status: 500, body });
		await trigger.poll();
		await trigger.poll();
		const failure = await trigger.poll().catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(Error);
		const everything = JSON.stringify([String(failure), failure, farm.engine.logs, trigger.saved]);
		expect(everything).toContain('The service says: \\"••• •••');
		for (const secret of secrets) expect(everything).not.toContain(secret);
	});
});

test('"Fetch Test Event" returns the chosen kinds by the options, of the first site that can be read, and remembers nothing', async () => {
	farm.service.faults.site.push({ siteId: 1042, status: 404 });
	const memory = jest.spyOn(Workflow.prototype, 'getStaticData');
	const events = ['unitChanged', 'siteChanged'];
	const options = { ignoreFields: 'License, unitName', minimumDistance: 2000 };
	const { items } = await farm.engine.testTrigger(node({ siteIds: '1042, 1101', events, options }));
	const kept = memory.mock.results.map(({ value }) => JSON.stringify(value));
	expect(kept).toEqual(kept.map(() => '{}'));
	expect(summary(items)).toEqual(['siteChanged 1101 siteName', 'unitChanged 1101 1 latitude']);
	expect(items[1]?.json.distance).toBeGreaterThan(2000);
});
