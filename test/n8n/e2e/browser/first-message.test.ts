import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IWorkflowBase } from 'n8n-workflow';
import { Slack } from '../../../tools/demo/fakes/slack';
import { defined } from '../../../tools/helpers/at';
import { fakeHosts } from '../../../tools/n8n/hosts';
import { useN8n } from '../../../tools/n8n/use-n8n';
import { ROOT } from '../../../tools/n8n/workspace';
import { eventually } from '../eventually';
import { Animation } from './animation';
import { Canvas } from './canvas';
import { openEditor } from './chromium';

const [, EXAMPLE = '', FILE = ''] = defined(
	/paste `(https:\/\/raw\.githubusercontent\.com\/[^`]*?\/main\/([^`]*))`/.exec(
		readFileSync(join(ROOT, 'README.md'), 'utf8'),
	),
);

/** The width in pixels of the pane left of the parameters, so that there is room for the message. */
const INPUT_WIDTH = 200;

const slack = new Slack();

const stage = useN8n('first-message', {
	n8n: async (cleanup) => ({
		env: await fakeHosts(cleanup, 'first-message', {
			'slack.com': slack.host,
			[new URL(EXAMPLE).host]: ({ path }) => {
				if (!EXAMPLE.endsWith(path)) throw new Error('not_found');
				return JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as object;
			},
		}),
	}),
	credential: false,
});

// "Your first message in Slack" in README.md, step by step
it('takes a new user to a message in Slack', async () => {
	const { n8n, service } = stage;
	const data = { baseUrl: service.baseUrl, ...service.login };
	await n8n.createCredential('Aquaculture account', data);
	const editor = await openEditor(stage, { width: 1280, height: 720 });
	const { page } = editor;
	const canvas = new Canvas(editor);
	const animation = new Animation(page);
	const expectIssues = async (names: string[]) =>
		await eventually(async () =>
			expect(await canvas.readNames({ withIssues: true })).toEqual(names),
		);

	// 1. Import the example
	await canvas.openNew();
	await canvas.importUrl(EXAMPLE);
	await canvas.zoomToFit();
	await expectIssues(['Send a message']);
	await animation.add(3);

	// 2. Enter the sites, and try that step alone
	await editor.openNode('Get many sites');
	await editor.narrowInput(INPUT_WIDTH);
	await editor.useCredential('Aquaculture account');
	await editor.fill('siteIds', '1042, 1057');
	await animation.add(2);
	await editor.execute();
	await eventually(async () => {
		const [, ...sites] = await editor.readTable();
		expect(sites.map(([, name]) => name)).toEqual(['Storholmen', 'Ørnesvika']);
	});
	await animation.add(3);
	await editor.closePanel();

	// 3. Slack's credential
	await editor.openNode('Send a message');
	await editor.narrowInput(INPUT_WIDTH);
	await editor.panel.getByRole('button', { name: 'Connect to Slack' }).click();
	await editor.fill('accessToken', slack.accessToken);
	await animation.add(2);
	await editor.saveCredential();
	// n8n tests it, and closes the dialog of a credential that works
	await editor.credentialDialog.waitFor({ state: 'hidden' });
	await editor.closeMessages();

	// 4. The channel
	await editor.at('rlc-input', editor.panel).fill('#fish-farm');
	await animation.add(2);
	await editor.closePanel();
	await expectIssues([]);

	// 5. The message
	await canvas.execute();
	await animation.add(3);
	const [message, ...others] = slack.messages;
	expect(others).toEqual([]);
	expect(message?.channel).toBe('#fish-farm');
	expect(message?.text.split('\n').slice(1)).toEqual([
		'• *Storholmen* (STOR): 10 units, license SAMPLE-1042',
		'• *Ørnesvika* (ØRNE): 6 units, license SAMPLE-1057',
	]);
	await editor.openNode('Send a message');
	await animation.add(4);
	await animation.save('first-message.gif');
	await editor.closePanel();

	// 6. Every morning, by the clock of the farm
	await canvas.setTimezone('Europe/Oslo');
	await canvas.publish();
	const [{ id }] = await n8n.rest.get<[IWorkflowBase]>('/workflows');
	await eventually(async () =>
		expect(await n8n.rest.get<IWorkflowBase>(`/workflows/${id}`)).toMatchObject({
			active: true,
			settings: { timezone: 'Europe/Oslo' },
		}),
	);
});
