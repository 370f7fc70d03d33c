import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { startService } from '../service/service';
import { installN8n } from './install';
import { type CredentialFile, N8nInstance, type WorkflowFile } from './n8n';
import { freePort } from './processes';
import { packTarball } from './tarball';
import { SetupError } from './workspace';

const USAGE = `Shows the package at work: installs it in a real n8n, runs a workflow there and prints the items.

  npm run demo                        run the workflow once and print what came out
  npm run demo -- --open              and leave n8n running, to look around in a browser
  npm run demo -- --open --port 5679  on another port than 5678
`;

const WORKFLOW_ID = 'aquacultureDemo1';
const LAST_NODE = 'Site Overview';

/** The columns of the last node and the expressions that fill them, for a site as the service sends it. */
const COLUMNS = {
	'Site ID': '={{ $json.siteId }}',
	Site: '={{ $json.siteName }}',
	Latitude: '={{ $json.info.latitude }}',
	Longitude: '={{ $json.info.longitude }}',
	Units: "={{ $json.units.map((unit) => unit.unitName).join(', ') }}",
};

/** In a terminal of 100 columns, borders included. */
const COLUMN_WIDTHS = [9, 15, 11, 11, 46];

const startedAt = Date.now();

function say(line: string): void {
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
}

function demoWorkflow(siteIds: string, credential: CredentialFile): WorkflowFile {
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	return {
		id: WORKFLOW_ID,
		name: 'Aquaculture Demo',
		nodes: [
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a01',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a02',
				name: 'Aquaculture Site',
				type: 'n8n-nodes-aquaculture.aquacultureSite',
				typeVersion: 1,
				position: [220, 0],
				parameters: { operation: 'getAll', siteIds },
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			},
			{
				id: 'f6f0b1a4-3a56-4c06-9f0f-6c0d5c6a1a03',
				name: LAST_NODE,
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				position: [440, 0],
				parameters: {
					assignments: {
						assignments: Object.entries(COLUMNS).map(([name, value]) => ({
							id: name,
							name,
							value,
							type: name === 'Site' || name === 'Units' ? 'string' : 'number',
						})),
					},
					options: {},
				},
			},
		],
		connections: { Start: to('Aquaculture Site'), 'Aquaculture Site': to(LAST_NODE) },
	};
}

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

/** Leaves n8n running until the person stops it. */
async function keepOpen(n8n: N8nInstance): Promise<void> {
	say('Starting n8n.');
	await n8n.start();
	await n8n.login();
	console.log(`
n8n is running, with the credential and the workflow in it. The account is a throw-away: made for this
run, good on this machine only, and gone with the next one.

  Address   ${n8n.baseUrl}/workflow/${WORKFLOW_ID}
  E-mail    ${n8n.owner.email}
  Password  ${n8n.owner.password}

Ctrl-C stops it.`);
	const asked = new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
	});
	const over = await Promise.race([asked, n8n.ended.then(() => 'n8n')]);
	if (over) throw new Error(`n8n has stopped by itself. Its log: ${n8n.log}`);
	say('Stopping n8n.');
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
	const port = Number(values.port);
	if (!Number.isInteger(port) || port < 1 || port > 65535) {
		throw new SetupError(`--port takes a number from 1 to 65535, not '${values.port}'.`);
	}

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
			const credential: CredentialFile = {
				id: 'aquacultureDemo1',
				name: 'Aquaculture API (stand-in)',
				type: 'aquacultureApi',
				data: { baseUrl: service.baseUrl, ...service.login },
			};
			const siteIds = service.sites.map(({ siteId }) => siteId).join(', ');
			const workflow = demoWorkflow(siteIds, credential);
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

main().catch((error: Error) => {
	console.error(error instanceof SetupError ? `\n${error.message}` : error);
	process.exitCode = 1;
});
