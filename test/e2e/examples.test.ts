import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getIssues } from '@placemarkio/check-geojson';
import type { INodeParameters } from 'n8n-workflow';
import type { FeatureCollection } from '../../nodes/AquacultureSite/operations/map';
import type { Site } from '../fake-service/sites';
import { at, defined } from '../helpers/at';
import { until } from '../helpers/until';
import { openEditor } from './browser/chromium';
import { boxOf, type Editor } from './browser/editor';
import { takePicture } from './browser/pictures';
import type { Execution } from './executions';
import { GoogleSheets } from './fakes/google-sheets';
import { fakeHosts } from './fakes/hosts';
import { Slack } from './fakes/slack';
import type { NewWorkflow } from './n8n';
import { useN8n } from './use-n8n';
import { ROOT } from './workspace';

const FOLDER = join(ROOT, 'examples');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

const seen = new Set<string>();

const slack = new Slack();
const sheets = new GoogleSheets('THE-ADDRESS-OF-YOUR-SPREADSHEET', 'Units');

const stage = useN8n('examples', {
	n8n: async (cleanup) => ({
		env: await fakeHosts(cleanup, 'examples', {
			'slack.com': slack.host,
			'sheets.googleapis.com': sheets.host,
		}),
	}),
	credential: false,
});

beforeAll(async () => {
	const { service, n8n } = stage;
	// By the names that n8n proposes for new credentials, which the examples refer to
	for (const [name, type, data] of [
		['Aquaculture API account', 'aquacultureApi', { baseUrl: service.baseUrl, ...service.login }],
		['Slack account', 'slackApi', { accessToken: slack.accessToken }],
		[
			'Google Sheets account',
			'googleSheetsOAuth2Api',
			{
				clientId: 'sample',
				clientSecret: 'sample',
				oauthTokenData: { access_token: sheets.accessToken, token_type: 'Bearer' },
			},
		],
	] as const) {
		await n8n.createCredential(name, data, type);
	}
});

beforeEach(() => {
	stage.service.reset();
	slack.messages.length = 0;
});

function readExample(file: string): NewWorkflow {
	seen.add(file);
	return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as NewWorkflow;
}

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
	edit(parametersOf(example, 'Read the Sites'), 'siteIds', '1063', '1063, 9999');
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

describe('units to Google Sheets', () => {
	it('writes a row for each unit into an empty sheet', async () => {
		await run(readExample('units-to-google-sheets.json'));

		expect(sheets.rows).toHaveLength(24);
		expect(sheets.rows[6]).toEqual({
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
		await run(readExample('units-to-google-sheets.json'));

		expect(sheets.rows).toHaveLength(25);
		const changed = { unitId: 104207, unitName: 'Pen 7 North', latitude: 66.8462 };
		expect(sheets.rows[6]).toMatchObject(changed);
		expect(sheets.rows[24]).toMatchObject({ unitId: 104211, unitName: 'Pen 11' });
	});
});

it('saves the map as a file', async () => {
	const example = readExample('map-file.json');
	// The only folder to which n8n 2 lets its nodes write by default
	edit(parametersOf(example, 'Save the Map'), 'fileName', '/home/node', stage.n8n.userFolder);
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
		parametersOf(example, 'Ask the Service'),
		'url',
		'https://api.example.com',
		stage.service.baseUrl,
	);
	const execution = await run(example);

	expect(execution.json('Ask the Service')).toEqual([stage.service.sites[0]]);
	expect(stage.service.counts).toMatchObject({ logins: 1, sitesServed: 1 });
});

describe('site change alert', () => {
	function expectAlert(...lines: string[]): void {
		expect(slack.messages).toEqual([{ channel: '#fish-farm', text: lines.join('\n') }]);
	}

	it('posts a message for a change of each kind when it is tried out', async () => {
		await run(readExample('site-change-alert-to-slack.json'));
		expectAlert(
			'• The license of *Storholmen* changed from SAMPLE-1042 (before) to SAMPLE-1042',
			'• Pen 1 was added to *Storholmen*',
			'• Pen 1 was removed from *Storholmen*',
			'• Pen 1 of *Storholmen* was moved 111 m',
		);
	});

	it('posts the changes that the next poll finds', async () => {
		const example = readExample('site-change-alert-to-slack.json');
		// n8n's shortest interval
		Object.assign(parametersOf(example, 'When a Site Changes'), {
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
		at(gasoya.units, 1).unitName = 'Pen 2 <south>';
		await until('Slack has the alert', () => slack.messages.length > 0);
		await n8n.deactivate(id);

		expectAlert(
			'• The license of *Storholmen* changed from SAMPLE-1042 to SAMPLE-2042',
			'• Pen 7 of *Storholmen* was moved 120 m',
			'• Pen 6 was removed from *Ørnesvika*',
			'• Pen 7 was added to *Ørnesvika*',
			'• The name of Pen 2 &lt;south&gt; of *Gåsøya Sør* changed from Pen 2 to Pen 2 &lt;south&gt;',
		);
	});
});

it('has run every example', () => {
	expect([...seen].sort()).toEqual(FILES);
});

describe('on the canvas', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await openEditor(stage);
	});

	it.each(FILES)('shows %s with its note, and nothing left to fix', async (file) => {
		const example = readExample(file);
		const id = await stage.n8n.createWorkflow(example);
		await editor.page.goto(`${stage.n8n.baseUrl}/workflow/${id}`);

		const note = editor.at('sticky');
		const nodes = editor.canvas;
		const canvas = await boxOf(editor.at('canvas'));
		await until('the editor shows the workflow centered and in full size', async () => {
			const box = await note.boundingBox();
			const { width } = parametersOf(example, 'What to Set');
			if (box === null || box.width !== width) return false;
			const left = box.x - canvas.x;
			const right = canvas.x + canvas.width - (box.x + box.width);
			return Math.abs(left - right) <= 2;
		});

		const names = example.nodes.map(({ name }) => name).slice(1);
		expect((await nodes.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(names);
		expect(await editor.at('node-issues').count()).toBe(0);
		const lines = note.locator('li');
		expect(await lines.count()).toBe(3);
		const lastLine = await boxOf(lines.last());
		const firstNode = await boxOf(nodes.first());
		expect(lastLine.y + lastLine.height).toBeLessThan(firstNode.y);

		await takePicture(editor.page, `example-${file.replace('.json', '')}`, note);
	});
});
