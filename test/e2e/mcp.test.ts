import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useN8n } from './use-n8n';
import { node } from './workflows';

const TOOL = 'Aquaculture Site';
const SITE_ID = { type: 'string', description: 'The numeric ID of the site' };

const stage = useN8n('mcp');
const client = new Client({ name: 'test', version: '1.0.0' });

beforeAll(async () => {
	const { n8n, credential, cleanup } = stage;
	const siteId = `={{ $fromAI('siteId', '${SITE_ID.description}', '${SITE_ID.type}') }}`;
	const workflow = await n8n.createWorkflow({
		name: 'Sites for a Model',
		nodes: [
			node('MCP Server Trigger', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path: 'sites' }),
			node(
				TOOL,
				'n8n-nodes-aquaculture.aquacultureSiteTool',
				1,
				{ siteId, output: 'simplified' },
				{ credentials: { aquacultureApi: credential } },
			),
		],
		connections: {
			[TOOL]: { ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] },
		},
	});
	await n8n.activate(workflow);
	await client.connect(new StreamableHTTPClientTransport(new URL(`${n8n.baseUrl}/mcp/sites`)));
	cleanup.defer(() => client.close());
});

beforeEach(() => {
	stage.service.reset();
});

/** What a model gets for a site: the text of the tool's only content. */
async function callWith(siteId: string): Promise<{ isError: boolean; text: string }> {
	const result = await client.callTool({ name: 'Aquaculture_Site', arguments: { siteId } });
	const [content, ...others] = result.content as [{ type: string; text: string }];
	expect(content.type).toBe('text');
	expect(others).toEqual([]);
	return { isError: result.isError === true, text: content.text };
}

it('lists the node as a tool that a model can understand', async () => {
	const { tools } = await client.listTools();
	expect(tools).toMatchObject([
		{
			name: 'Aquaculture_Site',
			description: expect.stringContaining('aquaculture sites') as unknown,
			inputSchema: { type: 'object', required: ['siteId'] },
		},
	]);
	expect(tools[0]?.inputSchema.properties).toEqual({ siteId: SITE_ID });
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

it.each([
	['a site that does not exist', '4711', /Site 4711 was not found[^]*Check the site ID/, true],
	['text that is not a site ID', 'Storholmen', /"Storholmen" is not a site ID[^]*number/, false],
])('tells a model about %s, and what to do', async (_what, siteId, expected, isRequested) => {
	const { isError, text } = await callWith(siteId);
	expect(isError).toBe(true);
	expect(text).toMatch(expected);
	expect(stage.service.counts.siteRequests > 0).toBe(isRequested);
});
