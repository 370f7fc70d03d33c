import type { INode } from 'n8n-workflow';
import { FILES, readExampleFile } from '../../../tools/demo/example-files';
import type { NewWorkflow } from '../../../tools/n8n/n8n';
import { useN8n } from '../../../tools/n8n/use-n8n';
import { eventually } from '../eventually';
import { Canvas } from './canvas';
import { openEditor } from './chromium';
import type { Editor } from './editor';
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
	'workflow-failure-to-slack.json': ['Send a message'],
};

/** Where something is on the page. */
type Place = Record<'top' | 'bottom' | 'right', number>;

/** Of the lines of the note, of the note itself, and of the nodes, which lie on it. */
interface Places {
	lines: Place[];
	paper: Place;
	boxes: Place[];
}

/** All at once, because they move together while n8n zooms. */
const PLACES = `(() => {
	const placesOf = (selector) =>
		[...document.querySelectorAll(selector)].map((part) => part.getBoundingClientRect());
	return {
		lines: placesOf('[data-test-id="sticky"] li'),
		paper: placesOf('[data-test-id="sticky"]')[0],
		boxes: placesOf('[data-test-id="canvas-node"]'),
	};
})()`;

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
	const text = readExampleFile(file);
	const { nodes } = JSON.parse(text) as NewWorkflow;
	await canvas.paste(text);

	const note = editor.at('sticky');
	const names = nodes.map(({ name }) => name).slice(1);
	const expectNames = async () =>
		expect((await canvas.readNames()).sort()).toEqual([...names].sort());
	await eventually(expectNames);
	await canvas.zoomToFit();
	await eventually(async () => {
		await expectNames();
		expect(await canvas.readNames({ withIssues: true })).toEqual(INCOMPLETE[file]);
		const { lines, paper, boxes } = await editor.page.evaluate<Places>(PLACES);
		expect(lines).toHaveLength(3);
		expect(boxes).toHaveLength(names.length);
		for (const box of boxes) {
			expect(box.top).toBeGreaterThan(Math.max(...lines.map(({ bottom }) => bottom)));
			expect(box.bottom).toBeLessThan(paper.bottom);
			expect(box.right).toBeLessThan(paper.right);
		}
	});
	await editor.closeMessages();
	await takePicture(editor.page, `example-${file.replace('.json', '')}`, note);

	const first = nodes.find(usesTheCredential);
	if (first === undefined) return;
	await editor.openNode(first.name);
	// That it works with it is tested in ../examples.test.ts
	await editor.useCredential(CREDENTIAL);
});

function usesTheCredential({ type, parameters }: INode): boolean {
	return (
		type.startsWith('n8n-nodes-aquaculture.') || parameters['nodeCredentialType'] !== undefined
	);
}
