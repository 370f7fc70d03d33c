import {
	type IDataObject,
	type INodeParameters,
	Workflow,
	type WorkflowActivateMode,
} from 'n8n-workflow';
import {
	CONNECTION_RULES,
	SITE_RULES,
	TOKEN_RULES,
} from '../../nodes/AquacultureSite/service/messages/rules';
import { messageOf } from '../tools/cases/examples';
import type { PollingTrigger } from '../tools/engine/polling-trigger';
import { CREDENTIAL, seaFarm, useSeaFarm } from '../tools/engine/sea-farm';
import { type Fault, type Faults } from '../tools/fake-service/faults';
import { refusalBeyond } from '../tools/fake-service/limit';
import { manySites } from '../tools/fake-service/sites';
import { at } from '../tools/helpers/at';
import { bucket } from '../tools/helpers/limiters';

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

test('a site that cannot be read is named in the log, and the others are reported', async () => {
	const trigger = await activated();
	farm.service.faults.site.push({ siteId: 1042, status: 500 });
	setLicense('SAMPLE-8', 1057);
	expect(summary(await trigger.poll())).toEqual(['siteChanged 1057 info.license']);
	expect(farm.engine.logs.filter(({ level }) => level === 'warn')).toMatchObject([
		{
			message: `Aquaculture Site Trigger: site 1042 was not read: ${messageOf(SITE_RULES.unavailable, 500)}`,
			metadata: {
				description: expect.stringMatching(/^The problem is with the service/) as unknown,
			},
		},
	]);
});

describe('a workflow is published', () => {
	/** A trigger that is published now, or with n8n started, and its failed executions. */
	const publish = async (siteIds = '1042, 1057', mode?: WorkflowActivateMode) => {
		const trigger = farm.engine.pollingTrigger(node({ siteIds }));
		expect(await trigger.activate(mode)).toBeNull();
		return trigger;
	};
	const messages = ({ failures }: PollingTrigger) => failures.map(({ message }) => message);

	const of = (...faults: Fault[]): Pick<Faults, 'token' | 'site'> => {
		return { token: faults, site: faults };
	};

	test.each<[string, Partial<Faults>, baseUrl?: string]>([
		['503', of({ status: 503 })],
		['502 with a page', of({ status: 502, body: 'html' })],
		['a reset connection', of({ connection: 'reset' })],
		['no response', of({ connection: 'hang' })],
		['a name that is not found', of(), 'https://no-such-host.invalid'],
		['429 with Retry-After', of({ status: 429, retryAfter: 5 })],
		['429 with Retry-After of an hour', of({ status: 429, retryAfter: 3600 })],
		['503 of the token endpoint alone', { token: [{ status: 503 }] }],
		['no response of the token endpoint alone', { token: [{ connection: 'hang' }] }],
	])(
		'while the service is down (%s): polls go on, and what changes after that is told once, also after a restart',
		async (_, down, baseUrl = farm.service.baseUrl) => {
			Object.assign(farm.service.faults, down);
			farm.engine.editCredential(CREDENTIAL, { baseUrl });
			const trigger = await publish();
			Object.assign(farm.service.faults, of());
			farm.engine.editCredential(CREDENTIAL, { baseUrl: farm.service.baseUrl });
			await farm.clock.sleep(60_000);
			expect(await trigger.poll()).toBeNull();
			setLicense('SAMPLE-7');
			expect(summary(await trigger.poll())).toEqual(licenseChanged);
			expect(await trigger.poll()).toBeNull();
			expect(messages(trigger)).toEqual([]);
			// n8n saves what was first read with the first event
			setLicense('SAMPLE-8');
			farm.engine = await seaFarm(farm.service);
			const restarted = farm.engine.pollingTrigger(node(), trigger.saved);
			expect(summary(await restarted.activate('init'))).toEqual(licenseChanged);
		},
	);

	test.each<WorkflowActivateMode>(['activate', 'init'])(
		'with a site that does not exist (%s): told at once, once, and the others are watched',
		async (mode) => {
			const trigger = await publish('404, 1042', mode);
			await trigger.poll();
			expect(trigger.failures).toMatchObject([
				{
					name: 'NodeApiError',
					message: messageOf(SITE_RULES.notFound, 404, 404),
					httpCode: '404',
				},
			]);
			setLicense('SAMPLE-7');
			expect(summary(await trigger.poll())).toEqual(licenseChanged);
		},
	);

	test.each([
		[{ baseUrl: 'a.b' }, "'Base URL' must start with https:// or http://"],
		[{ password: 'wrong' }, TOKEN_RULES.rejected.message],
	])('with %j: told at once, once, and to correct it is enough', async (wrong, message) => {
		farm.engine.editCredential(CREDENTIAL, wrong);
		const trigger = await publish();
		await trigger.poll();
		expect(messages(trigger)).toEqual([`${message}: credential "Sea farm"`]);
		const { login, baseUrl } = farm.service;
		farm.engine.editCredential(CREDENTIAL, { ...login, baseUrl });
		expect(await trigger.poll()).toBeNull();
		setLicense('SAMPLE-7');
		expect(summary(await trigger.poll())).toEqual(licenseChanged);
	});

	test('with a wrong field: refused when it is published, a failed execution when n8n starts', async () => {
		for (const wrong of [{ siteIds: '1042, x' }, { events: ['penMoved'] }]) {
			const trigger = farm.engine.pollingTrigger(node(wrong));
			const failure = { name: 'NodeOperationError', message: expect.any(String) as unknown };
			await expect(trigger.activate()).rejects.toMatchObject(failure);
			expect(await trigger.activate('init')).toBeNull();
			expect(await trigger.activate('leadershipChange')).toBeNull();
			expect(trigger.failures).toMatchObject([failure, failure]);
			expect((await farm.engine.testTrigger(node(wrong))).error).toMatchObject(failure);
		}
		expect(farm.service.counts.requests).toBe(0);
	});

	test('with a field to ignore that no site has: refused when it is published, and only then', async () => {
		const ignoring = node({ options: { ignoreFields: 'depth' } });
		await expect(farm.engine.pollingTrigger(ignoring).activate()).rejects.toThrow('"depth"');
		const site = Object.assign(farm.site(1042), { depth: 80 });
		const trigger = await activated(ignoring.parameters);
		Reflect.deleteProperty(site, 'depth');
		expect(await trigger.poll()).toBeNull();
		expect(await trigger.activate('init')).toBeNull();
		expect(trigger.failures).toEqual([]);
	});

	test("with n8n's own failure: told in a failed execution", async () => {
		const trigger = farm.engine.pollingTrigger({ ...node(), credential: null });
		expect(await trigger.activate()).toBeNull();
		expect(messages(trigger)).toEqual(['Node does not have any credentials set']);
	});
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

test.each(['site', 'token'] as const)(
	'where the %s endpoint hangs, a poll ends in time',
	async (endpoint) => {
		const { faults, counts } = farm.service;
		faults[endpoint].push({ connection: 'hang' });
		const start = farm.clock.now();
		const { error } = await farm.engine.testTrigger(single);
		expect(farm.clock.now() - start).toBeLessThanOrEqual(36_000);
		expect(error).toMatchObject({
			message: CONNECTION_RULES.late.message,
			description: expect.stringMatching(/^Fetch a test event again later; if/) as unknown,
		});
		expect(counts[`${endpoint}Requests`]).toBeLessThanOrEqual(2);
	},
);

test('what must be fixed is reported without a secret in it, nor in the log of n8n', async () => {
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

test('"Fetch Test Event" returns the chosen kinds by the options, of the first site, and remembers nothing', async () => {
	const memory = jest.spyOn(Workflow.prototype, 'getStaticData');
	const events = ['unitChanged', 'siteChanged'];
	const options = { ignoreFields: 'License, unitName', minimumDistance: 2000 };
	const { items } = await farm.engine.testTrigger(node({ siteIds: '1101, 1042', events, options }));
	const kept = memory.mock.results.map(({ value }) => JSON.stringify(value));
	expect(kept).toEqual(kept.map(() => '{}'));
	expect(summary(items)).toEqual(['siteChanged 1101 siteName', 'unitChanged 1101 1 latitude']);
	expect(items[1]?.json.distance).toBeGreaterThan(2000);
});

test('100 sites, polled each minute at a service that accepts 30 requests a minute and refuses the others with 503: each site has its turn, and none is said to be unreadable', async () => {
	const { service, clock, engine } = farm;
	const sites = manySites(100);
	service.sites.push(...sites);
	const start = clock.now();
	// As nginx does unless it is told otherwise
	service.faults.site.push(refusalBeyond(bucket(11, 0.5), false, 503));
	const siteIds = sites.map(({ siteId }) => siteId);
	const trigger = engine.pollingTrigger(node({ siteIds: siteIds.join() }));
	await trigger.activate();
	for (let poll = 1; poll < 8; poll++) {
		await clock.sleep(start + poll * 60_000 - clock.now());
		await trigger.poll();
	}
	expect(trigger.failures).toEqual([]);
	const read = farm.siteRequests.filter(({ status }) => status === 200);
	expect(new Set(read.map(({ siteId }) => siteId))).toEqual(new Set(siteIds));
	// In each poll, as many as may be in flight before anything is known of the limit
	expect(farm.siteRequests.length - read.length).toBeLessThanOrEqual(8 * 128);
});
