import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { INodeParameters } from 'n8n-workflow';
import { useN8n } from './use-n8n';
import { node } from './workflows';

const SITE_ID = { type: 'string', description: 'The numeric ID of the site' };
const SITE_IDS = { type: 'string', description: 'The IDs of the sites' };

/** A parameter that the model fills in, as the button beside it writes it. */
const fromModel = (name: string, { type, description }: typeof SITE_ID) =>
	`={{ $fromAI('${name}', '${description}', '${type}') }}`;

/** As the editor names each when its operation is chosen. */
const TOOLS: Record<string, INodeParameters> = {
	'Get site in Aquaculture Site': { siteId: fromModel('siteId', SITE_ID) },
	'Get many sites in Aquaculture Site': {
		operation: 'getAll',
		siteIds: fromModel('siteIds', SITE_IDS),
		output: 'selectedFields',
		fields: ['siteName', 'unitCount', 'mapUrl'],
	},
	'Get units of sites in Aquaculture Site': {
		operation: 'getUnits',
		siteIds: fromModel('siteIds', SITE_IDS),
	},
};

const toolName = (name: string) => name.replaceAll(' ', '_');

const stage = useN8n('mcp');
const client = new Client({ name: 'test', version: '1.0.0' });

beforeAll(async () => {
	const { n8n, credential, cleanup } = stage;
	const credentials = { aquacultureApi: credential };
	const tools = Object.entries(TOOLS).map(([name, parameters]) =>
		node(name, 'n8n-nodes-aquaculture.aquacultureSiteTool', 1, parameters, { credentials }),
	);
	const workflow = await n8n.createWorkflow({
		name: 'Sites for a Model',
		nodes: [
			node('MCP Server Trigger', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path: 'sites' }),
			...tools,
		],
		connections: Object.fromEntries(
			tools.map(({ name }) => [
				name,
				{ ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] },
			]),
		),
	});
	await n8n.activate(workflow);
	await client.connect(new StreamableHTTPClientTransport(new URL(`${n8n.baseUrl}/mcp/sites`)));
	cleanup.defer(() => client.close());
});

beforeEach(() => {
	stage.service.reset();
});

/** What a model gets: the text of the tool's only content. */
async function call(tool: string, given: object): Promise<{ isError: boolean; text: string }> {
	const result = await client.callTool({ name: toolName(tool), arguments: { ...given } });
	const [content, ...others] = result.content as [{ type: string; text: string }];
	expect(content.type).toBe('text');
	expect(others).toEqual([]);
	return { isError: result.isError === true, text: content.text };
}

const callWith = async (siteId: string) => await call('Get site in Aquaculture Site', { siteId });

it('lists the node as tools that a model can tell apart', async () => {
	const { tools } = await client.listTools();
	const asSeen = tools.map(({ name, description, inputSchema: { properties, required } }) => ({
		...{ name, description, properties, required },
	}));
	const several = { properties: { siteIds: SITE_IDS }, required: ['siteIds'] };
	const own = [{ properties: { siteId: SITE_ID }, required: ['siteId'] }, several, several];
	expect(asSeen).toEqual(
		Object.keys(TOOLS).map((name, index) => ({
			...{ name: toolName(name), description: name },
			...own[index],
		})),
	);
});

it('gives a model the site in few words, with one request', async () => {
	const { isError, text } = await callWith('1042');
	expect(isError).toBe(false);
	expect(JSON.parse(text)).toEqual([
		{
			siteId: 1042,
			siteName: 'Storholmen',
			type: 'Sea',
			code: 'STOR',
			license: 'SAMPLE-1042',
			maxTotalBiomass: 7800,
			latitude: 66.84512,
			longitude: 13.41207,
			timezone: 'Europe/Oslo',
			unitCount: 10,
		},
	]);
	expect(stage.service.counts).toMatchObject({ logins: 1, siteRequests: 1 });
});

it('gives a model the fields that were selected', async () => {
	const { text } = await call('Get many sites in Aquaculture Site', { siteIds: '1042, 1101' });
	const mapUrl = expect.stringContaining('openstreetmap.org') as unknown;
	expect(JSON.parse(text)).toEqual([
		{ siteId: 1042, siteName: 'Storholmen', unitCount: 10, mapUrl },
		{ siteId: 1101, siteName: 'Blåsundet', unitCount: 0, mapUrl },
	]);
});

it.each([
	['a site that does not exist', '4711', /Site 4711 was not found[^]*Check the site ID/, true],
	['text that is not a site ID', 'Storholmen', /"Storholmen" is not a site ID[^]*number/, false],
])('tells a model about %s, and what to do', async (_what, siteId, expected, isRequested) => {
	const { isError, text } = await callWith(siteId);
	expect(isError).toBe(true);
	expect(text).toMatch(expected);
	expect(stage.service.counts.siteRequests > 0).toBe(isRequested);
});
