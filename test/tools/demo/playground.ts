import Table from 'cli-table3';
import { ACTIONS, control, CONTROL_PATH } from '../fake-service/control';
import type { Cleanup } from '../helpers/cleanup';
import { type Demo, say } from '../n8n/cli';
import type { NewWorkflow } from '../n8n/n8n';
import { FILES, readExample } from './example-files';
import type { ExampleServices } from './example-services';

type Action = keyof typeof ACTIONS;

/** The key of each change of the service. */
const KEYS: Record<string, Action> = { m: 'move-pen', r: 'rename-unit', b: 'break', f: 'mend' };

const ALERT = 'site-change-alert-to-slack.json';
const TELLER = 'workflow-failure-to-slack.json';
const TRIGGER = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';

/** All examples as workflows, ready to run; the change alert is published, and what fails is told to Slack. */
async function addExamples({ n8n, service, credential }: Demo, services: ExampleServices) {
	const credentials = await services.saveCredentials(n8n, credential);
	const teller = await n8n.createWorkflow(readExample(TELLER, credentials));
	await n8n.activate(teller);
	// n8n lists the newest first
	const others = FILES.filter((file) => file !== ALERT && file !== TELLER);
	for (const file of [...others, ALERT]) {
		const example = readExample(file, credentials);
		example.settings = { ...example.settings, errorWorkflow: teller };
		for (const { type, parameters } of example.nodes) {
			// The shortest interval of n8n, so that nobody waits for long
			if (type === TRIGGER) parameters['pollTimes'] = { item: [{ mode: 'everyMinute' }] };
		}
		const text = JSON.stringify(example).replaceAll('https://api.example.com', service.baseUrl);
		const id = await n8n.createWorkflow(JSON.parse(text) as NewWorkflow);
		if (file === ALERT) await n8n.activate(id);
	}
}

/** All that a person needs to try everything: one table of at most 100 columns. */
function guide({ n8n, service }: Demo): string {
	const { email, password } = n8n.rest.owner;
	const { baseUrl, origin, login, sites } = service;
	const actions = Object.entries(KEYS);
	const table = new Table({ style: { head: [], border: [] } });
	const rows = {
		n8n: `Address   ${n8n.baseUrl}/home/workflows
Email     ${email}
Password  ${password}`,
		'The service': `Base URL  ${baseUrl}
Username  ${login.username}
Password  ${login.password}
Sites     ${sites.map(({ siteId, siteName }) => `${siteId} ${siteName}`).join('\n          ')}`,
		'Change it:\npress a key': actions
			.map(([key, action]) => `${key}  ${ACTIONS[action].what}.`)
			.join('\n'),
		'Or run a\ncommand': actions
			.map(([, action]) => `curl -X POST ${origin}${CONTROL_PATH}${action}`)
			.join('\n'),
		'What comes\nof it': `The workflow "Site Change Alert to Slack" is published and checks once a minute.
Its message appears here within two minutes, and its execution in n8n. While the service
is broken, "Workflow Failure to Slack" tells of it after three checks.`,
		Accounts: `The credential and the examples are in n8n. None needs an account: Slack, Google Sheets,
and OpenAI are played on this machine (the model repeats what the tools return). n8n
reaches nothing else by HTTPS. The next run deletes all of it.`,
	};
	table.push(...Object.entries(rows));
	return table.toString();
}

/** Changes the service at each key of the table, if somebody sits at a terminal. */
function listenToKeys({ service }: Demo, cleanup: Cleanup): void {
	const { stdin } = process;
	if (!stdin.isTTY) return;
	stdin.setRawMode(true);
	stdin.setEncoding('utf8');
	stdin.on('data', (keys: string) => {
		for (const key of keys) {
			// In this mode, Ctrl-C is a key like any other
			if (key === '\u0003') process.emit('SIGINT');
			const action = KEYS[key];
			if (action) control(service, action);
		}
	});
	cleanup.defer(() => stdin.setRawMode(false).pause());
}

/** Puts the examples into n8n, prints how to try everything, and leaves it running until the person stops it. */
export async function openPlayground(
	demo: Demo,
	services: ExampleServices,
	cleanup: Cleanup,
): Promise<void> {
	const { n8n, service } = demo;
	say('Adding the examples.');
	await addExamples(demo, services);
	services.slack.onMessage = ({ channel, text }) => {
		// Slack shows the words of a link, a terminal its address
		const lines = text.replace(/<([^|>]+)\|[^>]*>/g, '$1').replace(/^/gm, '          ');
		say(`Slack, ${channel}:\n${lines}`);
	};
	service.onControl = (what) => say(`${what}.`);
	listenToKeys(demo, cleanup);
	const stopped = new Promise((resolve) => {
		// Not once: Ctrl-C can come twice, from the terminal and from what started this, and the second must not end it
		for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve);
	});
	console.log(`\n${guide(demo)}\n\nPress Ctrl-C to stop.`);
	const failed = n8n.ended.then(() => {
		throw new Error(`n8n has stopped by itself. Its log: ${n8n.log}`);
	});
	await Promise.race([stopped, failed]);
	say('Stopping n8n.');
}
