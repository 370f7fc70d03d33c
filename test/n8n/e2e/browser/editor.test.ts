import type { Locator } from 'playwright-core';
import { type Site, sampleSites } from '../../../tools/fake-service/sites';
import { at } from '../../../tools/helpers/at';
import { useN8n } from '../../../tools/n8n/use-n8n';
import { chain, node } from '../../../tools/n8n/workflows';
import { eventually } from '../eventually';
import { openEditor } from './chromium';
import type { Editor } from './editor';
import { takePicture } from './pictures';

/** The name of the node and the trigger in n8n's list of nodes. */
const NODE = 'Aquaculture Site';

/** As n8n names the first credential of the type. */
const CREDENTIAL = 'Aquaculture account';

/** What a fish farmer may look for, in n8n's list of about a thousand nodes. */
const WORDS = [
	...['aquaculture', 'fish', 'fish farm', 'salmon', 'trout', 'biomass', 'net pen'],
	...['site', 'sites', 'unit', 'units', 'pen', 'pens', 'cage', 'cages', 'tank', 'tanks'],
	...['farm', 'farms', 'sea', 'location', 'locations', 'position', 'positions', 'coordinates'],
	...['change', 'changes', 'alert', 'alerts', 'map', 'geojson'],
	// In Norwegian
	...['laks', 'ørret', 'fisk', 'oppdrett', 'fiskeoppdrett', 'oppdrettsanlegg', 'havbruk'],
	...['akvakultur', 'anlegg', 'lokalitet', 'lokaliteter', 'merd', 'merder', 'biomasse', 'kart'],
];

/** The fields of a site with the default settings. */
const SITE = [
	...['siteId', 'siteName', 'type', 'code', 'license', 'maxTotalBiomass'],
	...['latitude', 'longitude', 'timezone', 'unitCount'],
];

const WINDOW = { width: 1520, height: 900 };

/** Their names look like HTML; the second one cannot be read. */
const PLAIN = 7;
const GONE = 8;
const units = [{ unitId: 1, unitName: '<b>2</b> `&amp;`' }] as Site['units'];
const plain = { ...at(sampleSites(), 0), siteId: PLAIN, siteName: '<i>A</i>', units };

const stage = useN8n('browser', {
	service: { sites: [...sampleSites(), plain] },
	credential: false,
});
let editor: Editor;

beforeAll(async () => {
	const message = '<b>Gone</b> `&amp;`';
	stage.service.faults.site.push({ siteId: GONE, status: 404, body: { json: { message } } });
	editor = await openEditor(stage, WINDOW);
	await createCredential();
});

/** Takes a picture in a window that is as low as its content. */
async function takeLow(name: string, part: Locator, height: number): Promise<void> {
	await editor.closeMessages();
	await editor.page.setViewportSize({ ...WINDOW, height });
	await takePicture(editor.page, name, part);
	await editor.page.setViewportSize(WINDOW);
}

/**
 * Takes a picture of the open node.
 * @param left the width of the pane left of the parameters; by default just enough for all of an input's buttons
 * @param height of the window, so that all parameters are shown
 */
async function takePanel(name: string, left = 330, height = 650): Promise<void> {
	await editor.narrowInput(left);
	await takeLow(name, editor.panel, height);
}

async function expectTable(table: string[][]): Promise<void> {
	await eventually(async () => expect(await editor.readTable()).toEqual(table));
}

/** A new node in a workflow of its own, with the credential. */
async function openNode(action: string): Promise<void> {
	await editor.newWorkflowWith(NODE, action);
	await editor.useCredential(CREDENTIAL);
}

it('is found in the node list by what a fish farmer calls it', async () => {
	await editor.newWorkflow();
	await editor.addManualTrigger();
	const late: string[] = [];
	for (const word of WORDS) {
		const names = await editor.searchNodes(word);
		if (!names.slice(0, 3).includes(NODE)) late.push(`${word} ${names.indexOf(NODE) + 1}`);
	}
	// OpenAI and Send Email hold these letters, and n8n ranks a node's name above any search term
	expect(late).toEqual(['pen 5', 'sea 4']);
	await editor.searchNodes('fish farm');
	await takeLow('node-panel-search', editor.nodeList, 320);
});

/** The credential says that a password is wrong, and that the right one works. */
async function createCredential(): Promise<void> {
	await editor.newWorkflowWith(NODE, 'Get site');
	await editor.at('node-credentials-empty-state').getByRole('button').click();
	const dialog = editor.credentialDialog;
	await editor.fill('baseUrl', stage.service.baseUrl);
	await editor.fill('username', stage.service.login.username);
	await editor.fill('password', 'not the password');
	await editor.saveCredential();
	// If it says anything else, the failure shows what
	await eventually(async () =>
		expect(await editor.page.locator('body').innerText()).toContain('More details'),
	);
	await dialog.getByText('More details').click();
	await dialog.getByText(/username.*password/).waitFor();
	await editor.closeMessages();
	await takePicture(editor.page, 'credential-refused', dialog);

	await editor.fill('password', stage.service.login.password);
	await editor.saveCredential();
	// n8n closes the dialog of a credential that works
	await dialog.waitFor({ state: 'hidden' });
	await editor.closeMessages();

	await editor.at('credential-edit-button').click();
	await dialog.getByText('Connection tested successfully').waitFor();
	await takePicture(editor.page, 'credential', dialog);
}

describe('Aquaculture Site', () => {
	it('shows a site when only its ID was entered', async () => {
		await openNode('Get site');
		await editor.fill('siteId', '1042');
		await editor.execute();

		const place = ['66.84512', '13.41207', 'Europe/Oslo'];
		await expectTable([
			SITE,
			['1042', 'Storholmen', 'Sea', 'STOR', 'SAMPLE-1042', '7800', ...place, '10'],
		]);
	});

	it('shows units as rows, with an icon for each theme', async () => {
		await openNode('Get units of sites');
		await editor.fill('siteIds', '1042');
		await editor.execute();

		await eventually(async () => {
			const [head, ...rows] = await editor.readTable();
			expect(head?.join(' ')).toBe(
				'siteId siteName unitId unitName latitude longitude code timezone',
			);
			expect(rows).toHaveLength(10);
			expect(rows[6]?.join(' ')).toBe(
				'1042 Storholmen 104207 Pen 7 66.84512 13.41897 STOR Europe/Oslo',
			);
		});
		const icon = (file: string) => editor.panel.locator(`img[src$="${file}"]`).first().waitFor();
		await icon('aquaculture.svg');
		await takePanel('node-light');
		await editor.page.emulateMedia({ colorScheme: 'dark' });
		await icon('aquaculture.dark.svg');
		await takePanel('node-dark');
		await editor.page.emulateMedia({ colorScheme: 'light' });
	});

	it('shows a map as a file', async () => {
		await openNode('Get map of sites');
		await editor.fill('siteIds', '1042, 1120');
		await editor.execute();
		await editor.viewOutput('Binary');
		await editor.output.getByText('sites.geojson').waitFor();
		await takePanel('map', 330, 690);
	});

	it('says that a site does not exist, and what to do', async () => {
		await openNode('Get site');
		await editor.fill('siteId', '77');
		await editor.execute();
		await eventually(async () =>
			expect(await editor.readFailure()).toEqual({
				message: 'Site 77 was not found',
				description: expect.stringMatching(/^Check the site ID\./) as string,
			}),
		);
		await takePanel('not-found');
	});

	it('shows what the service sends as plain text, also where n8n renders HTML', async () => {
		await openNode('Get map of sites');
		await editor.fill('siteIds', String(PLAIN));
		await editor.execute();
		await eventually(async () =>
			expect(await editor.readHints()).toEqual([
				expect.stringContaining('unit <b>2</b> `&amp;` of site <i>A</i> (7)'),
			]),
		);

		await editor.fill('siteIds', String(GONE));
		await editor.execute();
		await eventually(async () =>
			expect((await editor.readFailure()).description).toContain('"‹b›Gone‹/b› `&amp;`"'),
		);
	});
});

describe('before it has run', () => {
	/**
	 * Reads the rows of n8n's virtual list from top to bottom, all at once: they stand in the page in any order, are
	 * placed one after the other, and those that are not in use lie far above it.
	 */
	const PREVIEW = `[...document.querySelectorAll(
		'[data-test-id="ndv-input-panel"] [data-test-id="run-data-schema-item"]')]
		.map((row) => ({ top: row.getBoundingClientRect().top, name: row.innerText }))
		.filter(({ top }) => top >= 0)
		.sort((a, b) => a.top - b.top)
		.map(({ name }) => name)`;

	/** Waits until the input pane shows the fields of a site as those of the node before, which has not run. */
	async function expectPreview(): Promise<void> {
		await editor.at('schema-preview-warning').waitFor();
		await eventually(async () => expect(await editor.page.evaluate(PREVIEW)).toEqual(SITE));
	}

	it('shows its fields, and one that was dragged holds its value after the first run', async () => {
		const { requests } = stage.service.counts;
		await openNode('Get many sites');
		await editor.fill('siteIds', '1042, 1057');
		await editor.closePanel();
		await editor.addNodeAtEnd('Edit Fields (Set)');
		await expectPreview();
		await editor.dragField('license');
		expect(stage.service.counts.requests).toBe(requests);
		await editor.execute();
		await expectTable([['license'], ['SAMPLE-1042'], ['SAMPLE-1057']]);
	});

	it('shows its fields where the workflow was saved without a resource', async () => {
		const type = 'n8n-nodes-aquaculture.aquacultureSite';
		const workflow = await stage.n8n.createWorkflow(
			chain(
				'Saved Earlier',
				node('Sites', type, 1, { siteId: 1042 }),
				node('Edit Fields', 'n8n-nodes-base.set', 3.4, {}),
			),
		);
		await editor.openWorkflow(workflow);
		await editor.openNode('Edit Fields');
		await expectPreview();
	});
});

describe('Aquaculture Site Trigger', () => {
	it('shows a test event of the kind that was chosen', async () => {
		await editor.newWorkflow();
		await editor.addNode(NODE, 'On unit changed');
		await editor.useCredential(CREDENTIAL);
		await editor.fill('siteIds', '1042');
		await editor.execute('Fetch Test Event');
		await eventually(async () => {
			const [head, row] = await editor.readTable();
			expect(head?.join(' ')).toBe(
				'event summary siteName unitName siteId unitId changes distance mapUrl detectedAt unit',
			);
			expect(row?.slice(0, 5).join('; ')).toBe(
				'unitChanged; Pen 1 of Storholmen was moved 111 m; Storholmen; Pen 1; 1042',
			);
		});
		await takePanel('trigger', 290);
	});
});
