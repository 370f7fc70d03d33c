import type { INode } from 'n8n-workflow';
import { defined } from '../../helpers/at';
import { until } from '../../helpers/until';
import type { NewWorkflow } from '../n8n';
import { FILES, readFile } from '../use-examples';
import { useN8n } from '../use-n8n';
import { Canvas } from './canvas';
import { openEditor } from './chromium';
import { boxOf, type Editor } from './editor';
import { takePicture } from './pictures';

/** As n8n names the first credential of the type. */
const CREDENTIAL = 'Aquaculture account';

/** The nodes that lack something which only their user has. */
const INCOMPLETE: Record<string, string[]> = {
	'ai-agent.json': ['OpenAI Chat Model'],
	'daily-site-report-to-slack.json': ['Send a message'],
	'map-file.json': [],
	'mcp-server.json': ['MCP Server Trigger'],
	'other-endpoint.json': ['HTTP Request'],
	'site-change-alert-to-slack.json': ['Send a message'],
	'units-to-data-table.json': [],
	'units-to-google-sheets.json': ['Append or update row in sheet'],
};

const stage = useN8n('example-pages', { credential: false });
let editor: Editor;
let canvas: Canvas;

beforeAll(async () => {
	const { n8n, service } = stage;
	// The only credential there is
	await n8n.createCredential(CREDENTIAL, { baseUrl: service.baseUrl, ...service.login });
	editor = await openEditor(stage, { width: 1720, height: 1100 });
	canvas = new Canvas(editor);
});

it('covers every example', () => {
	expect(Object.keys(INCOMPLETE)).toEqual(FILES);
});

it.each(FILES)('connects itself when it is pasted: %s', async (file) => {
	const text = readFile(file);
	const { nodes } = JSON.parse(text) as NewWorkflow;
	await canvas.paste(text);

	const note = editor.at('sticky');
	const names = nodes.map(({ name }) => name).slice(1);
	await until('all nodes are there', async () => (await canvas.nodes.count()) === names.length);
	await canvas.zoomToFit();
	expect((await canvas.readNames()).sort()).toEqual([...names].sort());
	expect(await canvas.readNames({ withIssues: true })).toEqual(INCOMPLETE[file]);

	const lines = note.locator('li');
	expect(await lines.count()).toBe(3);
	const lastLine = await boxOf(lines.last());
	const paper = await boxOf(note);
	for (const node of await canvas.nodes.all()) {
		const box = await boxOf(node);
		expect(box.y).toBeGreaterThan(lastLine.y + lastLine.height);
		expect(box.y + box.height).toBeLessThan(paper.y + paper.height);
		expect(box.x + box.width).toBeLessThan(paper.x + paper.width);
	}
	await editor.closeMessages();
	await takePicture(editor.page, `example-${file.replace('.json', '')}`, note);

	const first = defined(nodes.find(usesTheCredential));
	await canvas.open(first.name);
	await editor.useCredential(CREDENTIAL);
	if (first.name === 'HTTP Request') {
		await editor.fill('url', `${stage.service.baseUrl}/meta/sites/1042`);
	}
	await editor.execute(first.name.endsWith('Trigger') ? 'Fetch Test Event' : 'Execute step');
	expect((await editor.readTable()).length).toBeGreaterThan(1);
});

function usesTheCredential({ type, parameters }: INode): boolean {
	return (
		type.startsWith('n8n-nodes-aquaculture.') || parameters['nodeCredentialType'] !== undefined
	);
}
