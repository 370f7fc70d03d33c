import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Service, startService } from '../fake-service/service';
import { N8nInstance } from './n8n';
import { prepared } from './prepared';
import { node } from './workflows';

const TOOL = 'Aquaculture Site';

let service: Service;
let n8n: N8nInstance;
let client: Client;

beforeAll(async () => {
	service = await startService();
	n8n = await N8nInstance.create({ ...prepared(), name: 'mcp' });
	await n8n.start();
	await n8n.login();
	const credential = await n8n.createCredential('Aquaculture API account', {
		baseUrl: service.baseUrl,
		...service.login,
	});
	const workflow = await n8n.createWorkflow({
		name: 'Sites for a Model',
		nodes: [
			node('MCP Server Trigger', '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path: 'sites' }),
			node(
				TOOL,
				'n8n-nodes-aquaculture.aquacultureSiteTool',
				1,
				{
					siteId: "={{ $fromAI('siteId', 'The number of the site, in digits only', 'string') }}",
					output: 'simplified',
				},
				{ credentials: { aquacultureApi: credential } },
			),
		],
		connections: {
			[TOOL]: { ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] },
		},
	});
	await n8n.activate(workflow.id);

	client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(new StreamableHTTPClientTransport(new URL(`${n8n.baseUrl}/mcp/sites`)));
});

afterAll(async () => {
	await client?.close();
	await n8n?.dispose();
	await service?.close();
});

beforeEach(() => {
	service.reset();
});

function callWith(siteId: string) {
	return client.callTool({ name: 'Aquaculture_Site', arguments: { siteId } });
}

it('lists the node as a tool that a model can understand', async () => {
	const { tools } = await client.listTools();

	expect(tools).toEqual([
		{
			name: 'Aquaculture_Site',
			description: expect.stringMatching(/^Read data of aquaculture sites \(sea farms\)/),
			inputSchema: expect.objectContaining({
				type: 'object',
				properties: {
					siteId: { type: 'string', description: 'The number of the site, in digits only' },
				},
				required: ['siteId'],
			}),
		},
	]);
});

it('gives a model the site in few words, with one request', async () => {
	const { content, isError = false } = await callWith('1042');

	expect(isError).toBe(false);
	const [{ type, text }, ...others] = content as [{ type: string; text: string }];
	expect(others).toEqual([]);
	expect(type).toBe('text');
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
	expect(service.counts).toMatchObject({ logins: 1, siteRequests: 1 });
});

it('tells a model about a site that is not there, and what to do', async () => {
	const { content, isError } = await callWith('4711');

	expect(isError).toBe(true);
	expect(content).toEqual([
		{
			type: 'text',
			text: expect.stringMatching(/Site 4711 was not found[^]*Check the site ID/),
		},
	]);
});

it('tells a model what a site ID is, without asking the service', async () => {
	const { content, isError } = await callWith('Storholmen');

	expect(isError).toBe(true);
	expect(content).toEqual([
		{
			type: 'text',
			text: expect.stringMatching(/"Storholmen" is not a site ID[^]*whole number in digits/),
		},
	]);
	expect(service.counts.requests).toBe(0);
});
