import Table from 'cli-table3';
import { choosePort, type Demo, DEMO_NODE, runCommand, say, startDemo } from '../n8n/cli';
import { ExampleServices } from './example-services';
import { openPlayground } from './playground';

const USAGE = `Shows the package at work: installs it in a real n8n, runs a workflow there and prints the items.

  npm run demo                        run the workflow once and print its items
  npm run demo -- --open              then leave n8n running, with all examples in it, to try everything in a browser
  npm run demo -- --open --port 5679  on another port than 5678; if it is taken, on the next free one
`;

/** Runs the workflow and prints its items. */
async function runWorkflow({ n8n, workflowId }: Demo): Promise<void> {
	say('Running the workflow "Aquaculture Demo" in n8n.');
	const execution = await n8n.runWorkflow(workflowId);
	const { status, failure } = execution;
	if (status !== 'success') {
		const { message, description = '' } = failure ?? { message: status };
		throw new Error(`The workflow stopped: ${message} ${description}\nn8n's log: ${n8n.log}`);
	}
	const rows = execution.json(DEMO_NODE);
	say(`The workflow has finished with ${rows.length} items (the sites are sample data):`);
	const head = ['siteId', 'siteName', 'license', 'latitude', 'longitude', 'timezone', 'unitCount'];
	const table = new Table({ head, style: { head: [], border: [] } });
	table.push(...rows.map((row) => head.map((field) => String(row[field] as string | number))));
	console.log(table.toString());
}

const OPTIONS = {
	open: { type: 'boolean', default: false },
	port: { type: 'string', default: '5678' },
} as const;

runCommand(USAGE, OPTIONS, async (values, cleanup) => {
	// Under two names, so that a run does not disturb one that is left open.
	// The port is checked now rather than after an installation of minutes.
	const services = new ExampleServices();
	const options = values.open
		? {
				name: 'demo-open',
				port: await choosePort(values.port),
				env: await services.start(cleanup, 'demo-open'),
			}
		: { name: 'demo' };
	const demo = await startDemo(options, cleanup);
	await runWorkflow(demo);
	if (values.open) await openPlayground(demo, services, cleanup);
	say('Done.');
});
