import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../tools/fake-service/faults';
import { manySites, type Site } from '../../tools/fake-service/sites';
import { at, defined } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { waitForPoll } from '../../tools/n8n/checks';
import { useN8n } from '../../tools/n8n/use-n8n';
import {
	callWebhook,
	chain,
	reportChanges,
	siteNode,
	webhook,
	webhookItems,
} from '../../tools/n8n/workflows';

// A real n8n, killed and started again while the service is ill, tokens expire and sites change

const SITES = manySites(12);
const IDS = SITES.map(({ siteId }) => siteId);
const NOT_THERE = 4999;
const WEBHOOK = 'soak';

const stage = useN8n('soak', { service: { sites: SITES } });
/** The second one has each site twice, the other way around. */
const triggers: string[] = [];
/** By trigger: what it has reported, in the form of `textOf`. */
const reports: string[][] = [[], []];
/** What each trigger must have reported, once. */
const made: string[] = [];
const executionsRead = new Set<string>();
let rounds = 0;
/** One for each start of n8n, and for each time that the tokens have expired. */
let mostLogins = 1;

beforeAll(async () => {
	const { n8n, credential } = stage;
	const read = siteNode('Read', credential, {}, { onError: 'continueRegularOutput' });
	const reader = chain('Read Sites', webhook(WEBHOOK, 'allEntries'), webhookItems(), read);
	await n8n.activate(await n8n.createWorkflow(reader));
	for (const list of [IDS, [...IDS, ...IDS].reverse()]) {
		const trigger = await n8n.createWorkflow(reportChanges(credential, list));
		// Its first poll is silent, so it must be over before anything changes
		await n8n.activate(trigger);
		triggers.push(trigger);
	}
});

/** Each fault meets every so-manieth request; the numbers have no divisor in common. */
const storm = (faults: Array<[every: number, fault: Fault]>): Fault[] =>
	faults.map(([every, fault]) => {
		let requests = 0;
		return { ...fault, when: () => ++requests % every === 0 };
	});

function startStorm(): void {
	const { faults } = stage.service;
	faults.site = storm([
		[7, { status: 503 }],
		[11, { status: 429, retryAfter: 1 }],
		[13, { status: 500 }],
		[17, { connection: 'reset' }],
		[19, { connection: 'cut' }],
		[5, { latencyMs: 300 }],
	]);
	faults.token = storm([
		[2, { status: 503 }],
		[3, { connection: 'reset' }],
	]);
}

function endStorm(): void {
	Object.assign(stage.service.faults, { site: [], token: [] });
}

type Values = Array<[field: string, before: unknown, after: unknown]>;

const textOf = (event: unknown, siteId: unknown, unitId: unknown, values: Values) =>
	JSON.stringify([event, siteId, unitId ?? null, values.sort()]);

/** Changes six sites, each in another way, and turns the units of all around, which is no change. */
function change(): void {
	const round = ++rounds;
	const site = (index: number): Site => at(stage.service.sites, (index + 6 * round) % 12);
	const set = (event: string, index: number, object: object, values: object, prefix = '') => {
		const unitId = 'unitId' in object ? object.unitId : null;
		const fields = Object.entries(values).map(([field, after]): Values[0] => [
			prefix + field,
			object[field as keyof typeof object],
			after,
		]);
		made.push(textOf(event, site(index).siteId, unitId, fields));
		Object.assign(object, values);
	};
	set('siteChanged', 0, site(0), { siteName: `Renamed ${round}` });
	set('siteChanged', 1, site(1).info, { license: `SAMPLE-${round}` }, 'info.');
	set('unitChanged', 2, at(site(2).units, 0), { unitName: `Renamed ${round}` });
	const moved = { latitude: 61 + round / 10, longitude: 5 + round / 10 };
	set('unitChanged', 3, at(site(3).units, 1), moved);
	const added = { ...at(site(4).units, 0), unitId: 900_000 + round, unitName: `New ${round}` };
	site(4).units.push(added);
	made.push(textOf('unitAdded', site(4).siteId, added.unitId, []));
	const removed = defined(site(5).units.shift());
	made.push(textOf('unitRemoved', site(5).siteId, removed.unitId, []));
	for (const { units } of stage.service.sites) units.reverse();
}

/** Reads what the triggers have started since the last time. A failed poll of a storm has no items. */
async function look(): Promise<void> {
	for (const [index, workflow] of triggers.entries()) {
		for (const { id, status } of await stage.n8n.executions(workflow)) {
			if (executionsRead.has(id) || !['success', 'error'].includes(status)) continue;
			executionsRead.add(id);
			const execution = await stage.n8n.waitForExecution(id);
			for (const { event, siteId, unitId, changes } of execution.json('Reported')) {
				const values = (changes as IDataObject[]).map(({ field, before, after }) => {
					return [field, before, after] as Values[0];
				});
				at(reports, index).push(textOf(event, siteId, unitId, values));
			}
		}
	}
}

/** Waits until each trigger has reported all that has changed, and then for another poll. */
async function expectToldOnce(): Promise<void> {
	const isTold = async () => {
		await look();
		return reports.every((texts) => made.every((text) => texts.includes(text)));
	};
	await until('all changes are reported', isTold, { timeoutMs: 300_000, intervalMs: 500 });
	endStorm();
	await waitForPoll(stage.service, IDS);
	await look();
	for (const texts of reports) expect([...texts].sort()).toEqual([...made].sort());
	expect(stage.service.counts.logins).toBeLessThanOrEqual(mostLogins);
	expect(stage.service.counts.refusedLogins).toBe(0);
}

const SENTENCE = /^[A-Z][^{}<>]+ \[item \d+\]$/;

/** Runs the reader twice side by side: each item is its site, or a sentence. */
async function expectRead(): Promise<void> {
	const siteIds = [...IDS, NOT_THERE, ...IDS.slice(0, 7)];
	const run = async () => {
		// Just after a start, n8n does not know its webhooks yet
		const call = async () => {
			const response = await callWebhook(stage.n8n, WEBHOOK, { siteIds });
			return response.status === 200 ? response : undefined;
		};
		const response = await until('n8n accepts a call', call, { intervalMs: 500 });
		return (await response.json()) as Array<{ error?: string }>;
	};
	for (const items of await Promise.all([run(), run()])) {
		expect(items).toHaveLength(siteIds.length);
		const wrong = items.filter(({ error = '', ...item }, index) => {
			const site = stage.service.sites.find(({ siteId }) => siteId === siteIds[index]);
			return JSON.stringify(item) !== JSON.stringify(site) && !SENTENCE.test(error);
		});
		expect(wrong).toEqual([]);
		expect(at(items, IDS.length).error).toMatch(/^(Site 4999 was not found|The service)/);
	}
}

test.each([
	['in calm', () => undefined],
	['in a storm', startStorm],
	[
		'in a storm, after all tokens have expired',
		() => {
			startStorm();
			stage.service.expireTokens();
			mostLogins++;
		},
	],
])('%s: each change is told once, each item is its site or a sentence', async (_, begin) => {
	begin();
	change();
	await expectRead();
	await expectToldOnce();
});

test.each([
	['killed', async () => await stage.n8n.kill()],
	['stopped', async () => await stage.n8n.stop()],
])('n8n is %s, and starts in a storm: each change meanwhile is told once', async (_, end) => {
	await end();
	change();
	startStorm();
	await stage.n8n.start();
	mostLogins++;
	await expectRead();
	await expectToldOnce();
});

test('a trigger is deactivated, and activated again later: what has changed meanwhile is told once', async () => {
	const trigger = at(triggers, 1);
	await stage.n8n.deactivate(trigger);
	change();
	await stage.n8n.activate(trigger);
	await expectToldOnce();
});
