import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { getIssues } from '@placemarkio/check-geojson';
import type { INodeParameters } from 'n8n-workflow';
import type { toSiteMap } from '../../../nodes/AquacultureSite/operations/map';
import { FILES, readExample as readExampleWith } from '../../tools/demo/example-files';
import { ExampleServices, type NodeCredentials, TOOLS } from '../../tools/demo/example-services';
import type { Service } from '../../tools/fake-service/service';
import type { Site } from '../../tools/fake-service/sites';
import { at, defined } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { waitForPoll } from '../../tools/n8n/checks';
import type { Execution } from '../../tools/n8n/executions';
import type { NewWorkflow } from '../../tools/n8n/n8n';
import { ownService, saveCredential, useN8n } from '../../tools/n8n/use-n8n';
import { chain, every, manualTrigger, node } from '../../tools/n8n/workflows';

/** The map that the node makes. */
type FeatureCollection = ReturnType<typeof toSiteMap>;

const services = new ExampleServices();
const { slack, sheets, openAi } = services;
const stage = useN8n('examples', {
	n8n: async (cleanup) => ({ env: await services.start(cleanup, 'examples') }),
	credential: false,
});

/** Of the test that runs now. */
let service: Service;
let credentials: NodeCredentials;

async function startService(): Promise<void> {
	const own = await ownService(stage);
	service = own.service;
	credentials = await services.saveCredentials(stage.n8n, own.credential);
}

beforeEach(async () => {
	await startService();
	slack.messages.length = 0;
});

/** What is posted where the farm reads it; of failures, each test tells in a channel of its own. */
const posted = () => slack.messages.filter(({ channel }) => channel === '#fish-farm');

/** An example in which the credentials have been selected. */
const readExample = (file: string) => readExampleWith(file, credentials);

function parametersOf(example: NewWorkflow, node: string): INodeParameters {
	return defined(example.nodes.find(({ name }) => name === node)).parameters;
}

/** Replaces a part of a node's text, as the note of the example says. */
function edit(parameters: INodeParameters, parameter: string, from: string, to: string): void {
	expect(parameters[parameter]).toContain(from);
	parameters[parameter] = (parameters[parameter] as string).replace(from, to);
}

/** Imports an example and executes it as the editor does. */
async function run(example: NewWorkflow): Promise<Execution> {
	const execution = await stage.n8n.createAndRun(example);
	expect(execution.failure).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** The third site of the examples is closed to this user from now on. */
const CLOSED = 1063;
const close = () => service.faults.site.push({ siteId: CLOSED, status: 403 });
/** Stands for the address of the execution. */
const LINK = 'the execution';
const NO_ACCESS = `This user has no access to site ${CLOSED}`;
const ADVICE =
	'Ask the service operator for access, or remove the site ID. The service says: "Forbidden."';

/**
 * Publishes an example with the error workflow, as its note says, and waits until that has told Slack of a failure.
 * @returns the lines of the message
 */
async function runUnattended(
	example: NewWorkflow,
	meanwhile?: () => Promise<void>,
): Promise<string[]> {
	const { n8n } = stage;
	const teller = readExample('workflow-failure-to-slack.json');
	// Of its own, because a failure may arrive after the test
	const channel = `#failures-${example.name}`;
	Object.assign(parametersOf(teller, 'Send a message')['channelId'] as object, { value: channel });
	const errorWorkflow = await n8n.createWorkflow(teller);
	await n8n.activate(errorWorkflow);
	const id = await n8n.createWorkflow({
		...example,
		settings: { ...example.settings, errorWorkflow },
	});
	await n8n.activate(id);
	await meanwhile?.();
	const told = () => slack.messages.find((message) => message.channel === channel);
	const { text, unfurls } = await until('Slack is told of the failure', told);
	await n8n.deactivate(id);
	expect(unfurls).toBe(false);
	const address = new RegExp(`^http://\\S+/workflow/${id}/executions/\\d+$`);
	const lines = text.split('\n').filter((line) => line !== '');
	return lines.map((line) => line.replace(address, LINK));
}

/** Often, and yet not faster than a busy machine runs it. */
function often(example: NewWorkflow): NewWorkflow {
	const rule = { interval: [{ field: 'seconds', secondsInterval: 10 }] };
	Object.assign(parametersOf(example, 'Schedule Trigger'), { rule });
	return example;
}

it('posts the daily site report, one line for each site', async () => {
	const example = readExample('daily-site-report-to-slack.json');
	edit(parametersOf(example, 'Get many sites'), 'siteIds', '1063', '1063, 9999, abc');
	await run(example);

	const [message, ...others] = posted();
	expect(others).toEqual([]);
	const [head, ...lines] = (message?.text ?? '').split('\n');
	expect(head).toMatch(/^\*Our sites on [A-Z][a-z]+day \d{1,2} [A-Z][a-z]+ \d{4}\*$/);
	expect(lines).toEqual([
		'• *Storholmen* (STOR): 10 units, license SAMPLE-1042',
		'• *Ørnesvika* (ØRNE): 6 units, license SAMPLE-1057',
		'• *Gåsøya Sør* (GÅSØ): 8 units, license SAMPLE-1063',
		expect.stringMatching(/^⚠️ .*9999.* was not found/),
		expect.stringMatching(/^⚠️ .*"abc" is not a site ID/),
	]);
	expect(message?.unfurls).toBe(false);
});

it('posts a sample failure when it is tried out', async () => {
	await run(readExample('workflow-failure-to-slack.json'));
	expect(posted()).toMatchObject([{ unfurls: false }]);
	const lines = posted()[0]?.text.split('\n');
	expect(lines?.slice(0, 2)).toEqual(['⚠️ *Example Workflow* failed', 'Example Error Message']);
});

it('tells Slack at night that the daily site report could not be posted', async () => {
	const example = often(readExample('daily-site-report-to-slack.json'));
	const channelId = parametersOf(example, 'Send a message')['channelId'] as object;
	Object.assign(channelId, { value: slack.missingChannel });
	expect(await runUnattended(example)).toEqual([
		'⚠️ *Daily Site Report to Slack* failed',
		'Slack error response: "channel_not_found"',
		LINK,
	]);
});

it('says once in the daily site report that the login was rejected', async () => {
	const example = readExample('daily-site-report-to-slack.json');
	const wrong = { name: 'Mistyped', password: 'mistyped', username: 'report@example.com' };
	const aquacultureApi = await saveCredential(stage.n8n, service, wrong);
	const site = defined(example.nodes.find(({ name }) => name === 'Get many sites'));
	Object.assign(site, { credentials: { aquacultureApi } });
	await run(example);

	const [, ...lines] = (posted()[0]?.text ?? '').split('\n');
	expect(lines).toEqual([
		expect.stringMatching(/^⚠️ The service rejected the username or password/),
	]);
});

/** The rows of n8n's own data table of this name. */
async function readDataTable(name: string): Promise<object[]> {
	const dataTableId = { __rl: true, mode: 'name', value: name };
	const parameters = { operation: 'get', dataTableId, returnAll: true };
	const rows = node('Rows', 'n8n-nodes-base.dataTable', 1.1, parameters);
	return (await run(chain('Rows', manualTrigger(), rows))).json('Rows');
}

it.each([
	['units-to-data-table.json', async () => await readDataTable('Units')],
	['units-to-google-sheets.json', () => sheets.rows],
] as const)(
	'%s: a row for each unit, found again by it; the others when a site is closed, which Slack is told at night',
	async (file, readRows) => {
		await run(readExample(file));
		let rows = await readRows();
		expect(rows).toHaveLength(24);
		expect(rows[6]).toMatchObject({
			siteId: 1042,
			siteName: 'Storholmen',
			unitId: 104207,
			unitName: 'Pen 7',
			latitude: 66.84512,
			longitude: 13.41897,
			code: 'STOR',
			timezone: 'Europe/Oslo',
		});

		const { units } = at(service.sites, 0);
		Object.assign(at(units, 6), { unitName: 'Pen 7 North', latitude: 66.8462 });
		units.push({ ...at(units, 9), unitId: 104211, unitName: 'Pen 11' });
		await run(readExample(file));
		rows = await readRows();
		expect(rows).toHaveLength(25);
		expect(rows[6]).toMatchObject({ unitId: 104207, unitName: 'Pen 7 North', latitude: 66.8462 });
		expect(rows[24]).toMatchObject({ unitId: 104211, unitName: 'Pen 11' });

		const { name } = readExample(file);
		for (const { units } of service.sites.slice(0, 3)) at(units, 0).unitName = 'Pen 1 West';
		const changed = async () =>
			(await readRows())
				.filter((row) => (row as { unitName?: string }).unitName === 'Pen 1 West')
				.map((row) => (row as { siteId?: number }).siteId);
		close();
		expect(await runUnattended(often(readExample(file)))).toEqual([
			`⚠️ *${name}* failed`,
			'Some sites could not be read:',
			NO_ACCESS,
			ADVICE,
			LINK,
		]);
		expect(await changed()).toEqual([1042, 1057]);
	},
);

it('maps the others when a site is closed, and says so', async () => {
	const example = readExample('map-file.json');
	Object.assign(parametersOf(example, 'Get map of sites'), { format: 'json' });
	const mapped = (execution: Execution) =>
		(execution.json('Get map of sites') as unknown as FeatureCollection[]).map(({ features }) =>
			features.flatMap(({ id, properties }) => (properties['kind'] === 'site' ? [id] : [])),
		);
	close();
	const execution = await stage.n8n.createAndRun(example);
	expect(execution.failure?.message).toBe(`Some sites could not be read:\n${NO_ACCESS}\n${ADVICE}`);
	expect(mapped(execution)).toEqual([['site-1042', 'site-1057']]);
});

it('saves the map in a folder once its last node is activated', async () => {
	const example = readExample('map-file.json');
	const save = defined(example.nodes.find(({ name }) => name === 'Write File to Disk'));
	expect(save.disabled).toBe(true);
	save.disabled = false;
	// The only folder to which n8n 2 lets its nodes write by default
	edit(parametersOf(example, 'Write File to Disk'), 'fileName', '/home/node', stage.n8n.userFolder);
	const folder = join(stage.n8n.userFolder, '.n8n-files');
	await mkdir(folder, { recursive: true });
	await run(example);

	const file = await readFile(join(folder, 'sites.geojson'), 'utf8');
	expect(getIssues(file)).toEqual([]);
	const { features } = JSON.parse(file) as FeatureCollection;
	expect(features[0]?.geometry).toEqual({ type: 'Point', coordinates: [13.41207, 66.84512] });
	expect(features.filter(({ properties }) => properties['kind'] === 'site')).toHaveLength(3);
	expect(features.filter(({ properties }) => properties['kind'] === 'unit')).toHaveLength(24);
});

it('requests another endpoint with the login of the same credential', async () => {
	const example = readExample('other-endpoint.json');
	edit(parametersOf(example, 'HTTP Request'), 'url', 'https://api.example.com', service.baseUrl);
	const execution = await run(example);

	expect(execution.json('HTTP Request')).toEqual([service.sites[0]]);
	expect(service.counts).toMatchObject({ logins: 1, sitesServed: 1 });
});

it('answers a question with what the tools return', async () => {
	const chatInput = 'Where is pen 7 of Storholmen?';
	const item = { json: { action: 'sendMessage', sessionId: '1', chatInput } };
	const pinData = { 'When chat message received': [item] };
	const example = { ...readExample('ai-agent.json'), pinData };
	const ask = async () => {
		const [{ output }] = (await run(example)).json('AI Agent') as [{ output: string }];
		return output;
	};
	const output = await ask();

	expect(openAi.tools.map(({ name }) => name).sort()).toEqual(Object.values(TOOLS).sort());
	const [sites, units] = output.split('\n').map((text) => JSON.parse(text) as object[]);
	expect(sites).toMatchObject(
		['Storholmen', 'Ørnesvika', 'Gåsøya Sør'].map((siteName) => ({ siteName })),
	);
	expect(units?.[6]).toMatchObject({ unitName: 'Pen 7', latitude: 66.84512, longitude: 13.41897 });

	close();
	const [others = ''] = (await ask()).split('\n');
	expect(JSON.parse(others)).toMatchObject([
		{ siteName: 'Storholmen' },
		{ siteName: 'Ørnesvika' },
		{ error: NO_ACCESS, siteId: CLOSED },
	]);
});

describe('MCP server', () => {
	let client: Client;
	let server: Service;

	async function connect(token: string): Promise<Client> {
		const connected = new Client({ name: 'test', version: '1.0.0' });
		stage.cleanup.defer(() => connected.close());
		const requestInit = { headers: { authorization: `Bearer ${token}` } };
		const url = new URL(`${stage.n8n.baseUrl}/mcp/aquaculture-sites`);
		await connected.connect(new StreamableHTTPClientTransport(url, { requestInit }));
		return connected;
	}

	beforeAll(async () => {
		await startService();
		server = service;
		await stage.n8n.activate(await stage.n8n.createWorkflow(readExample('mcp-server.json')));
		client = await connect(services.mcpToken);
	});

	beforeEach(() => (service = server));

	/** What a model gets: the text of the tool's only content. */
	async function call(tool: string, given: Record<string, string>) {
		const result = await client.callTool({ name: tool, arguments: given });
		const [content, ...others] = result.content as [{ type: string; text: string }];
		expect(content.type).toBe('text');
		expect(others).toEqual([]);
		return { isError: result.isError === true, text: content.text };
	}

	it('rejects a client that does not know the token', async () => {
		await expect(connect('wrong')).rejects.toThrow();
	});

	it('lists the node as tools that a model can tell apart', async () => {
		const { tools } = await client.listTools();
		const seen = tools.map(({ name, description, inputSchema: { properties, required } }) => {
			return [name, description, required, properties];
		});
		const ids = {
			type: 'string',
			description: 'The numeric IDs of the sites, separated by commas',
		};
		const about = 'Get units of sites in Aquaculture Site';
		const units = [TOOLS.units, about, ['Site_IDs'], { Site_IDs: ids }];
		expect(seen).toContainEqual(units);
		expect(new Set(seen.map(([, description]) => description)).size).toBe(3);
	});

	it('gives a model the site in few words, with one request', async () => {
		const { sitesServed } = service.counts;
		const { isError, text } = await call(TOOLS.site, { Site_ID: '1042' });
		expect(isError).toBe(false);
		expect(JSON.parse(text)).toEqual([expect.objectContaining({ siteId: 1042, unitCount: 10 })]);
		expect(service.counts.sitesServed).toBe(sitesServed + 1);
	});

	it.each([
		['a site that does not exist', '4711', /Site 4711 was not found[^]*Check the site ID/, true],
		['text that is not a site ID', 'Storholmen', /"Storholmen" is not a site ID[^]*number/, false],
	])('tells a model about %s, and what to do', async (_what, Site_ID, expected, isRequested) => {
		const { siteRequests } = service.counts;
		const { isError, text } = await call(TOOLS.site, { Site_ID });
		expect(isError).toBe(true);
		expect(text).toMatch(expected);
		expect(service.counts.siteRequests > siteRequests).toBe(isRequested);
	});
});

describe('site change alert', () => {
	const postedLines = () => posted().flatMap(({ text }) => text.split('\n'));

	/** Of a site, each line with a link to its place on a map. */
	function expectAlert(siteName: string, ...changes: string[]): void {
		for (const { unfurls } of posted()) expect(unfurls).toBe(false);
		const link = / \(<https:\/\/www\.openstreetmap\.org\/\?mlat=[^|>]+\|map>\)$/;
		const found = postedLines().filter((line) => line.includes(siteName));
		expect(found.map((line) => line.replace(link, ''))).toEqual(changes);
		expect(found.filter((line) => !link.test(line))).toEqual([]);
	}

	it('posts a message for a change of each kind when it is tried out', async () => {
		await run(readExample('site-change-alert-to-slack.json'));
		expectAlert(
			'Storholmen',
			'The license of Storholmen changed from SAMPLE-1042 (before) to SAMPLE-1042',
			'Pen 1 was added to Storholmen',
			'Pen 1 of Storholmen was moved 111 m',
			'Pen 1 was removed from Storholmen',
		);
		expect([posted().length, postedLines().length]).toEqual([1, 4]);
	});

	function pollingOften(): NewWorkflow {
		const example = readExample('site-change-alert-to-slack.json');
		const pollTimes = { item: every(2) };
		Object.assign(parametersOf(example, 'Aquaculture Site Trigger'), { pollTimes });
		return example;
	}

	it('posts the changes that the next polls find', async () => {
		const { n8n } = stage;
		const id = await n8n.createWorkflow(pollingOften());
		await n8n.activate(id);
		await waitForPoll(service, [1042, 1057, 1063]);

		const [storholmen, ornesvika, gasoya] = service.sites as [Site, Site, Site];
		storholmen.info.license = 'SAMPLE-2042';
		at(storholmen.units, 6).latitude = 66.8462;
		const removed = at(ornesvika.units.splice(5, 1), 0);
		ornesvika.units.push({ ...removed, unitId: 105707, unitName: 'Pen 7' });
		at(gasoya.units, 0).latitude = 67.02945;
		at(gasoya.units, 1).unitName = 'Pen 2 South';
		// A poll that has begun finds some of them, and the next one the others
		await until('Slack has all of them', () => postedLines().length >= 5);
		await n8n.deactivate(id);

		expect(postedLines()).toHaveLength(5);
		expectAlert(
			'Storholmen',
			'The license of Storholmen changed from SAMPLE-1042 to SAMPLE-2042',
			'Pen 7 of Storholmen was moved 120 m',
		);
		expectAlert('Ørnesvika', 'Pen 6 was removed from Ørnesvika', 'Pen 7 was added to Ørnesvika');
		expectAlert('Gåsøya', 'Pen 2 of Gåsøya Sør was renamed to Pen 2 South');
	});

	it('tells Slack at night which site can no longer be read, and goes on', async () => {
		const lines = await runUnattended(pollingOften(), async () => {
			await waitForPoll(service, [1042, 1057, CLOSED]);
			close();
		});
		expect(lines.slice(0, 2)).toEqual([
			'⚠️ *Site Change Alert to Slack* failed',
			expect.stringMatching(new RegExp(`${CLOSED}.* could not be read`)),
		]);
	});
});

it('runs every example', () => {
	const named = readFileSync(__filename, 'utf8').match(/[a-z-]+\.json(?=')/g) ?? [];
	expect([...new Set(named)].sort()).toEqual(FILES);
});
