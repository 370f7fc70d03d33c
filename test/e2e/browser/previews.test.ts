import { useN8n } from '../use-n8n';
import { chain, node } from '../workflows';
import { openEditor } from './chromium';
import { boxOf, type Editor } from './editor';

const NODE = 'Aquaculture Site';

const INFO = ['longitude', 'latitude', 'type', 'code', 'license', 'maxTotalBiomass', 'timezone'];
const UNIT = ['unitId', 'unitName', 'longitude', 'latitude'];
const SITE = ['siteId', 'siteName', 'info', ...INFO, 'units', 'units[0]', ...UNIT];
const ROW = ['siteId', 'siteName', 'unitId', 'unitName', 'latitude', 'longitude', 'code'];

const stage = useN8n('previews');
let editor: Editor;

beforeAll(async () => {
	editor = await openEditor(stage);
});

/** The fields that the input pane shows of the node before, which has not run. */
async function readPreview(): Promise<string[]> {
	await editor.at('schema-preview-warning').waitFor();
	return await editor.at('run-data-schema-item', editor.at('ndv-input-panel')).allInnerTexts();
}

/** Drags a field from the input pane to the fields of a node "Edit Fields". */
async function dragField(name: string): Promise<void> {
	const field = editor.at('run-data-schema-node-name', editor.at('ndv-input-panel'));
	const from = await boxOf(field.filter({ hasText: name }).first());
	const to = await boxOf(editor.at('assignment-collection-drop-area'));
	const { mouse } = editor.page;
	await mouse.move(from.x + 5, from.y + from.height / 2);
	await mouse.down();
	await mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 });
	await mouse.up();
	await editor.at('assignment').first().waitFor();
}

test.each([
	['Get site', 'siteId', 'Get: 1042', SITE],
	['Get many sites', 'siteIds', 'Get Many: 1042', SITE],
	['Get units of sites', 'siteIds', 'Get Units: 1042', [...ROW, 'timezone']],
	['Get map of sites', 'siteIds', 'Get GeoJSON: 1042', ['type', 'bbox', 'bbox[0]', 'features']],
])(
	'"%s" is the name of the node, and its fields are shown before it has run',
	async (action, parameter, subtitle, fields) => {
		await editor.newWorkflowWith(NODE, action);
		expect(await editor.readName()).toBe(action);
		await editor.fill(parameter, '1042');
		await editor.closePanel();
		expect(await editor.canvas.last().innerText()).toBe(`${action}\n${subtitle}`);
		await editor.addNodeAtEnd('Edit Fields (Set)');
		expect((await readPreview()).slice(0, fields.length)).toEqual(fields);
	},
);

test('a field that was dragged before the first run holds its value after it', async () => {
	await editor.newWorkflowWith(NODE, 'Get many sites');
	await editor.fill('siteIds', '1042, 1057');
	await editor.closePanel();
	await editor.addNodeAtEnd('Edit Fields (Set)');
	await dragField('license');
	expect(stage.service.counts.requests).toBe(0);
	await editor.execute();
	expect(await editor.readTable()).toEqual([
		['info'],
		['license:SAMPLE-1042'],
		['license:SAMPLE-1057'],
	]);
});

test('a workflow that was saved without a resource has the previews too', async () => {
	const { n8n, credential } = stage;
	const credentials = { aquacultureApi: credential };
	const workflow = await n8n.createWorkflow(
		chain(
			'Saved Earlier',
			node('Sites', 'n8n-nodes-aquaculture.aquacultureSite', 1, { siteId: 1042 }, { credentials }),
			node('Edit Fields', 'n8n-nodes-base.set', 3.4, {}),
		),
	);
	await editor.openWorkflow(workflow);
	await editor.openNode('Edit Fields');
	expect(await readPreview()).toEqual(SITE);
});

test('a tool is named by its operation', async () => {
	await editor.newAgentWith(`${NODE} Tool`);
	expect(await editor.readName()).toBe('Get site in Aquaculture Site');
	await editor.choose('operation', 'Get Units');
	expect(await editor.readName()).toBe('Get units of sites in Aquaculture Site');
});
