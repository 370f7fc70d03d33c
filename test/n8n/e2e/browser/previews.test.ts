import { useN8n } from '../../../tools/n8n/use-n8n';
import { chain, node } from '../../../tools/n8n/workflows';
import { eventually } from '../eventually';
import { openEditor } from './chromium';
import type { Editor } from './editor';

const NODE = 'Aquaculture Site';

const INFO = ['type', 'code', 'license', 'maxTotalBiomass', 'latitude', 'longitude', 'timezone'];
const SITE = ['siteId', 'siteName', ...INFO, 'unitCount'];
const UNIT_ROW = ['siteId', 'siteName', 'unitId', 'unitName', 'latitude', 'longitude', 'code'];

const stage = useN8n('previews');
let editor: Editor;

beforeAll(async () => {
	editor = await openEditor(stage);
});

/**
 * Reads the rows of n8n's virtual list from top to bottom, all at once: they stand in the page in any order, are placed
 * one after the other, and those that are not in use lie far above it.
 */
const PREVIEW = `[...document.querySelectorAll(
	'[data-test-id="ndv-input-panel"] [data-test-id="run-data-schema-item"]')]
	.map((row) => ({ top: row.getBoundingClientRect().top, name: row.innerText }))
	.filter(({ top }) => top >= 0)
	.sort((a, b) => a.top - b.top)
	.map(({ name }) => name)`;

/** Waits until the input pane shows these fields, and maybe more below, of the node before, which has not run. */
async function expectPreview(fields: string[], ends: { more: boolean }): Promise<void> {
	await editor.at('schema-preview-warning').waitFor();
	await eventually(async () => {
		const shown: string[] = await editor.page.evaluate(PREVIEW);
		expect(ends.more ? shown.slice(0, fields.length) : shown).toEqual(fields);
	});
}

/** Drags a field from the input pane to the fields of a node "Edit Fields". */
async function dragField(name: string): Promise<void> {
	const field = editor.at('run-data-schema-node-name', editor.at('ndv-input-panel'));
	await field
		.filter({ hasText: name })
		.first()
		.dragTo(editor.at('assignment-collection-drop-area'), { steps: 10 });
	await editor.at('assignment').first().waitFor();
}

test.each([
	['Get site', 'siteId', 'Get: 1042', SITE],
	['Get many sites', 'siteIds', 'Get Many: 1042', SITE],
	['Get units of sites', 'siteIds', 'Get Units: 1042', [...UNIT_ROW, 'timezone']],
	['Get map of sites', 'siteIds', 'Get Map: 1042', ['fileName', 'siteCount', 'featureCount']],
])(
	'"%s" is the name of the node, and its fields are shown before it has run',
	async (action, parameter, subtitle, fields) => {
		await editor.newWorkflowWith(NODE, action);
		await eventually(async () => expect(await editor.readName()).toBe(action));
		await editor.fill(parameter, '1042');
		await editor.closePanel();
		const caption = `${action}\n${subtitle}`;
		await eventually(async () => expect(await editor.canvas.last().innerText()).toBe(caption));
		await editor.addNodeAtEnd('Edit Fields (Set)');
		await expectPreview(fields, { more: true });
	},
);

test('a field that was dragged before the first run holds its value after it', async () => {
	await editor.newWorkflowWith(NODE, 'Get many sites');
	await editor.fill('siteIds', '1042, 1057');
	await editor.closePanel();
	await editor.addNodeAtEnd('Edit Fields (Set)');
	await expectPreview(SITE, { more: false });
	await dragField('license');
	expect(stage.service.counts.requests).toBe(0);
	await editor.execute();
	const dragged = [['license'], ['SAMPLE-1042'], ['SAMPLE-1057']];
	await eventually(async () => expect(await editor.readTable()).toEqual(dragged));
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
	await expectPreview(SITE, { more: false });
});

test('a tool is named by its operation', async () => {
	await editor.newAgentWith(`${NODE} Tool`);
	const expectName = async (name: string) =>
		await eventually(async () => expect(await editor.readName()).toBe(name));
	await expectName('Get site in Aquaculture Site');
	await editor.choose('operation', 'Get Units');
	await expectName('Get units of sites in Aquaculture Site');
});
