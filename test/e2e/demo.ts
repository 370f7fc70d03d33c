import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { startService } from '../fake-service/service';
import { COLUMNS, demoCredential, demoWorkflow, LAST_NODE } from './demo-workflow';
import { installN8n } from './install';
import { N8nInstance, type WorkflowFile } from './n8n';
import { keepOpen, parsePort, runMain, say } from './open';
import { freePort } from './processes';
import { packTarball } from './tarball';

const USAGE = `Shows the package at work: installs it in a real n8n, runs a workflow there and prints the items.

  npm run demo                        run the workflow once and print what came out
  npm run demo -- --open              and leave n8n running, to look around in a browser
  npm run demo -- --open --port 5679  on another port than 5678
`;

/** In a terminal of 100 columns, borders included. */
const COLUMN_WIDTHS = [9, 15, 11, 11, 46];

function asTable(rows: Array<Record<string, unknown>>): string {
	const head = Object.keys(COLUMNS);
	const table = new Table({
		head,
		colWidths: COLUMN_WIDTHS,
		wordWrap: true,
		style: { head: [], border: [] },
	});
	table.push(...rows.map((row) => head.map((column) => String(row[column] ?? ''))));
	return table.toString();
}

/** Imports and runs the workflow, and prints its items. */
async function runWorkflow(n8n: N8nInstance, workflow: WorkflowFile): Promise<void> {
	say('Running the workflow «Aquaculture Demo» in n8n.');
	const { execution, output } = await n8n.execute(workflow.id);
	if (!execution) throw new Error(`n8n did not run the workflow.\n${output}`);
	if (!execution.finished) {
		const { message, description = '' } = execution.failure ?? { message: execution.status };
		throw new Error(`The workflow stopped: ${message} ${description}\nn8n's log: ${n8n.log}`);
	}
	const rows = execution.json(LAST_NODE);
	say(`The workflow is done. ${rows.length} items came out (the sites are invented):`);
	console.log(asTable(rows));
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			open: { type: 'boolean', default: false },
			port: { type: 'string', default: '5678' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return console.log(USAGE);
	const port = parsePort(values.port);

	// Rather now than after an installation of minutes.
	if (values.open) await freePort(port);

	const install = await installN8n('2', say);
	const tarball = await packTarball(say);
	const service = await startService();
	try {
		say(`n8n ${install.version} gets the package and a stand-in for the aquaculture service.`);
		const n8n = await N8nInstance.create({
			install,
			tarball,
			// So that a run does not disturb one that is left open.
			...(values.open ? { name: 'demo-open', port } : { name: 'demo' }),
		});
		try {
			const credential = demoCredential(service);
			const workflow = demoWorkflow(service, credential);
			say('Importing a credential and a workflow.');
			await n8n.importCredential(credential);
			await n8n.importWorkflow(workflow);
			await runWorkflow(n8n, workflow);
			if (values.open) await keepOpen(n8n);
		} finally {
			await n8n.dispose();
		}
	} finally {
		await service.close();
	}
	say('Done.');
}

runMain(main);
