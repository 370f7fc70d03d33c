import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { getIssues } from '@placemarkio/check-geojson';
import type { INodeParameters } from 'n8n-workflow';
import type { FeatureCollection } from '../../nodes/AquacultureSite/operations/map';
import type { Site } from '../fake-service/sites';
import { at, defined } from '../helpers/at';
import { until } from '../helpers/until';
import type { Execution } from './executions';
import type { NewWorkflow } from './n8n';
import { FILES, TOOLS, useExamples } from './use-examples';
import { chain, manualTrigger, node } from './workflows';

const stage = useExamples();
const { openAi, sheets, slack } = stage.examples;

beforeEach(() => {
	stage.service.reset();
	slack.messages.length = 0;
});

const readExample = (file: string) => stage.examples.read(file);

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

it('posts the daily site report, one line for each site', async () => {
	const example = readExample('daily-site-report-to-slack.json');
	edit(parametersOf(example, 'Get many sites'), 'siteIds', '1063', '1063, 9999');
	await run(example);

	const [message, ...others] = slack.messages;
	expect(others).toEqual([]);
	expect(message?.channel).toBe('#fish-farm');
	const [head, ...lines] = (message?.text ?? '').split('\n');
	expect(head).toMatch(/^\*Our sites on [A-Z][a-z]+day \d{1,2} [A-Z][a-z]+ \d{4}\*$/);
	expect(lines).toEqual([
		'• *Storholmen* (STOR): 10 units, license SAMPLE-1042, maximum total biomass 7800',
		'• *Ørnesvika* (ØRNE): 6 units, license SAMPLE-1057, maximum total biomass 4680',
		'• *Gåsøya Sør* (GÅSØ): 8 units, license SAMPLE-1063, maximum total biomass 6240',
		expect.stringMatching(/^⚠️ .*9999.* was not found/),
	]);
});

/** The rows of n8n's own data table of this name. */
async function readDataTable(name: string): Promise<object[]> {
	const dataTableId = { __rl: true, mode: 'name', value: name };
	const parameters = { operation: 'get', dataTableId, returnAll: true };
	const rows = node('Rows', 'n8n-nodes-base.dataTable', 1.1, parameters);
	return (await run(chain('Rows', manualTrigger(), rows))).json('Rows');
}

describe.each([
	['units-to-data-table.json', async () => await readDataTable('Units')],
	['units-to-google-sheets.json', () => sheets.rows],
])('%s', (file, readRows) => {
	it('writes a row for each unit', async () => {
		await run(readExample(file));

		const rows = await readRows();
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
	});

	it('finds the rows again by their unit, and appends what is new', async () => {
		const { units } = at(stage.service.sites, 0);
		Object.assign(at(units, 6), { unitName: 'Pen 7 North', latitude: 66.8462 });
		units.push({ ...at(units, 9), unitId: 104211, unitName: 'Pen 11' });
		await run(readExample(file));

		const rows = await readRows();
		expect(rows).toHaveLength(25);
		const changed = { unitId: 104207, unitName: 'Pen 7 North', latitude: 66.8462 };
		expect(rows[6]).toMatchObject(changed);
		expect(rows[24]).toMatchObject({ unitId: 104211, unitName: 'Pen 11' });
	});
});

it('saves the map as a file', async () => {
	const example = readExample('map-file.json');
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
	edit(
		parametersOf(example, 'HTTP Request'),
		'url',
		'https://api.example.com',
		stage.service.baseUrl,
	);
	const execution = await run(example);

	expect(execution.json('HTTP Request')).toEqual([stage.service.sites[0]]);
	expect(stage.service.counts).toMatchObject({ logins: 1, sitesServed: 1 });
});

it('answers a question with what the tools return', async () => {
	const chatInput = 'Where is pen 7 of Storholmen?';
	const item = { json: { action: 'sendMessage', sessionId: '1', chatInput } };
	const pinData = { 'When chat message received': [item] };
	const example = { ...readExample('ai-agent.json'), pinData };
	const [{ output }] = (await run(example)).json('AI Agent') as [{ output: string }];

	expect(openAi.tools.map(({ name }) => name).sort()).toEqual(Object.values(TOOLS).sort());
	const [sites, units] = output.split('\n').map((text) => JSON.parse(text) as object[]);
	expect(sites).toMatchObject(
		['Storholmen', 'Ørnesvika', 'Gåsøya Sør'].map((siteName) => ({ siteName })),
	);
	expect(units?.[6]).toMatchObject({ unitName: 'Pen 7', latitude: 66.84512, longitude: 13.41897 });
});

it('offers the sites to MCP clients that know the token', async () => {
	const { n8n, cleanup } = stage;
	await n8n.activate(await n8n.createWorkflow(readExample('mcp-server.json')));
	const connect = async (token: string) => {
		const client = new Client({ name: 'test', version: '1.0.0' });
		cleanup.defer(() => client.close());
		const requestInit = { headers: { authorization: `Bearer ${token}` } };
		const url = new URL(`${n8n.baseUrl}/mcp/aquaculture-sites`);
		await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
		return client;
	};
	await expect(connect('wrong')).rejects.toThrow();

	const client = await connect(stage.examples.mcpToken);
	const { tools } = await client.listTools();
	expect(tools.map(({ name }) => name).sort()).toEqual(Object.values(TOOLS).sort());
	const { content } = await client.callTool({ name: TOOLS.site, arguments: { Site_ID: '1057' } });
	expect(JSON.stringify(content)).toContain('Ørnesvika');
});

describe('site change alert', () => {
	function expectAlert(...lines: string[]): void {
		expect(slack.messages).toEqual([{ channel: '#fish-farm', text: lines.join('\n') }]);
	}

	it('posts a message for a change of each kind when it is tried out', async () => {
		await run(readExample('site-change-alert-to-slack.json'));
		expectAlert(
			'The license of Storholmen changed from SAMPLE-1042 (before) to SAMPLE-1042',
			'Pen 1 was added to Storholmen',
			'Pen 1 was removed from Storholmen',
			'Pen 1 of Storholmen was moved 111 m',
		);
	});

	it('posts the changes that the next poll finds', async () => {
		const example = readExample('site-change-alert-to-slack.json');
		// n8n's shortest interval
		Object.assign(parametersOf(example, 'Aquaculture Site Trigger'), {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
		});
		const { n8n, service } = stage;
		const id = await n8n.createWorkflow(example);
		await n8n.activate(id);

		const [storholmen, ornesvika, gasoya] = service.sites as [Site, Site, Site];
		storholmen.info.license = 'SAMPLE-2042';
		at(storholmen.units, 6).latitude = 66.8462;
		const removed = at(ornesvika.units.splice(5, 1), 0);
		ornesvika.units.push({ ...removed, unitId: 105707, unitName: 'Pen 7' });
		at(gasoya.units, 0).latitude = 67.02945;
		at(gasoya.units, 1).unitName = 'Pen 2 South';
		await until('Slack has the alert', () => slack.messages.length > 0);
		await n8n.deactivate(id);

		expectAlert(
			'The license of Storholmen changed from SAMPLE-1042 to SAMPLE-2042',
			'Pen 7 of Storholmen was moved 120 m',
			'Pen 6 was removed from Ørnesvika',
			'Pen 7 was added to Ørnesvika',
			'Pen 2 of Gåsøya Sør was renamed to Pen 2 South',
		);
	});
});

it('has run every example', () => {
	expect([...stage.examples.seen].sort()).toEqual(FILES);
});
