import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { sampleSites } from '../../tools/fake-service/sites';
import { commandsOf, readJobs } from '../../tools/gate/jobs';
import { at, defined } from '../../tools/helpers/at';
import { until } from '../../tools/helpers/until';
import { copyCheckout } from '../../tools/n8n/checkout';
import { waitForPoll } from '../../tools/n8n/checks';
import { outputOf } from '../../tools/n8n/processes';
import { ownService, saveCredential, useN8n } from '../../tools/n8n/use-n8n';
import { chain, manualTrigger, node, reportChanges } from '../../tools/n8n/workflows';
import { ROOT } from '../../tools/n8n/workspace';
import { type Registry, startRegistry } from './registry';

const PACKAGE = 'n8n-nodes-aquaculture';
const PACKAGES = '/community-packages';

const { version: FIRST_VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	version: string;
};
/** Nothing has been published before: the update is the same code with the next number. */
const UPDATE = FIRST_VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));

const SITES = sampleSites();
const FIRST = at(SITES, 0);
const ONE = String(FIRST.siteId);
const BOTH = `${ONE}, ${at(SITES, 1).siteId}`;

/** The node as the editor saves it: without the parameters that have their defaults. */
const SAVED: Record<string, INodeParameters> = {
	Get: { siteId: ONE, options: {} },
	'Get, not simplified': { siteId: ONE, simplify: false, include: ['info'], options: {} },
	'Get Many': { operation: 'getAll', siteIds: BOTH, options: { maxConcurrency: 4, maxRetries: 1 } },
	'Get Many, with the response': {
		operation: 'getAll',
		siteIds: BOTH,
		options: { fullResponse: true, apiVersion: '2023-01-01', timeout: 60000 },
	},
	'Get Units': { operation: 'getUnits', siteIds: BOTH, options: {} },
	'Get Map': { operation: 'getMap', siteIds: BOTH, binaryPropertyName: 'map', options: {} },
};

/** What n8n says about an installed package. */
interface InstalledPackage {
	installedVersion: string;
	updateAvailable?: string;
	failedLoading?: boolean;
	installedNodes: Array<{ type: string }>;
}

let registry: Registry;

/**
 * Runs the commands of publish.yml for a version's tag, less what needs GitHub: `npm ci`, and the provenance that it
 * signs.
 */
async function publish(folder: string, version: string): Promise<void> {
	const { pack, publish: upload } = readJobs('publish.yml');
	const commands = [...commandsOf(defined(pack)), ...commandsOf(defined(upload))]
		.filter((command) => command !== 'npm ci')
		.map((command) => command.replace(' --provenance', ''));
	const env = {
		PATH: process.env['PATH'],
		HOME: registry.publisherHome,
		GITHUB_REF_NAME: `v${version}`,
		...registry.env,
	};
	await outputOf('bash', ['-ec', commands.join('\n')], { cwd: folder, env });
}

const stage = useN8n('release', {
	n8n: async (cleanup) => {
		registry = await startRegistry(cleanup, (line) => process.stderr.write(`${line}\n`));
		return { env: registry.env, tarball: undefined };
	},
	credential: false,
});

/** Where n8n keeps its packages. */
const modules = () => join(stage.n8n.userFolder, '.n8n', 'nodes', 'node_modules');

const installed = async () => await stage.n8n.rest.get<InstalledPackage[]>(PACKAGES);

const workflowIds: Record<string, string> = {};

/** Saves the workflows, with a credential, as a user does. */
async function saveWorkflows(): Promise<void> {
	const { n8n, service } = stage;
	const credentials = { aquacultureApi: await saveCredential(n8n, service) };
	for (const [name, parameters] of Object.entries(SAVED)) {
		const read = node(name, `${PACKAGE}.aquacultureSite`, 1, parameters, { credentials });
		workflowIds[name] = await n8n.createWorkflow(chain(name, manualTrigger(), read));
	}
}

/** The items of each saved workflow, and where it ended with one, its failure. */
async function runAll(): Promise<Record<string, unknown>> {
	const entries = Object.entries(workflowIds).map(async ([name, id]) => {
		const execution = await stage.n8n.runWorkflow(id);
		const items = execution.items(name).map(({ json, binary }) => {
			const { headers, ...rest } = json as { headers?: Record<string, unknown> };
			// The date of the response, and the ID of the stored file
			if (headers) delete headers['date'];
			const { id: _id, ...file } = binary?.['map'] ?? {};
			return { ...rest, ...(headers && { headers }), ...(binary && { file }) };
		});
		return [name, execution.failure ?? items] as const;
	});
	return Object.fromEntries(await Promise.all(entries));
}

/** Uninstalled, it leaves nothing behind, and n8n names the node that is missing. */
async function expectUninstalled(): Promise<void> {
	expect(await installed()).toEqual([]);
	expect(readdirSync(modules()).filter((name) => !name.startsWith('.'))).toEqual([]);
	await expect(stage.n8n.runWorkflow(defined(workflowIds['Get']))).rejects.toThrow(
		`Unrecognized node type: ${PACKAGE}.aquacultureSite`,
	);
}

/** Runs a command of docs/administrators.md as its reader does, with the next version if `update`, and restarts n8n. */
async function administrate(command: 'install' | 'uninstall', update = false): Promise<void> {
	const page = readFileSync(join(ROOT, 'docs/administrators.md'), 'utf8');
	const [line] = defined(new RegExp(`^npm ${command} .*`, 'm').exec(page));
	const { n8n } = stage;
	const env = { PATH: process.env['PATH'], HOME: n8n.userFolder, ...registry.env };
	const script = update ? line.replace(`@${FIRST_VERSION}`, `@${UPDATE}`) : line;
	await outputOf('sh', ['-ec', script], { cwd: n8n.userFolder, env });
	await n8n.stop();
	await n8n.start();
}

test('the life of a release: after each step, the saved workflows run as before', async () => {
	const { n8n } = stage;

	// A tag that is not the version in package.json publishes nothing
	await expect(publish(await copyCheckout('release'), UPDATE)).rejects.toThrow();

	// Published, and installed in n8n
	await publish(await copyCheckout('release'), FIRST_VERSION);
	const first = await n8n.rest.post<InstalledPackage>(PACKAGES, { name: PACKAGE });
	expect(first.installedVersion).toBe(FIRST_VERSION);
	expect(first.installedNodes.map(({ type }) => type).sort()).toEqual([
		`${PACKAGE}.aquacultureSite`,
		`${PACKAGE}.aquacultureSiteTrigger`,
	]);
	await saveWorkflows();
	const before = await runAll();
	const sites = [FIRST, at(SITES, 1)].map(({ siteId }) => ({ siteId }));
	expect(before).toMatchObject({ Get: sites.slice(0, 1), 'Get Many': sites });
	const { service, credential } = await ownService(stage);
	const watching = await n8n.createWorkflow(reportChanges(credential, [FIRST.siteId]));
	await n8n.activate(watching);
	await waitForPoll(service, [FIRST.siteId]);

	// An update is published, offered and installed
	const folder = await copyCheckout('release');
	const where = { cwd: folder, env: process.env };
	await outputOf('npm', ['version', UPDATE, '--no-git-tag-version'], where);
	await publish(folder, UPDATE);
	expect(await installed()).toMatchObject([
		{ installedVersion: FIRST_VERSION, updateAvailable: UPDATE },
	]);
	await n8n.rest.patch(PACKAGES, { name: PACKAGE });
	const [updated, ...others] = await installed();
	expect(others).toEqual([]);
	expect(updated).toMatchObject({ installedVersion: UPDATE, failedLoading: false });
	expect(updated?.updateAvailable).toBeUndefined();
	expect(await runAll()).toEqual(before);

	// The trigger keeps what it has stored: a change while n8n is down is reported, once
	await n8n.stop();
	at(service.sites, 0).info.license = 'SAMPLE-UPDATED';
	await n8n.start();
	const reports = async () => await n8n.executions(watching);
	await until('the change is reported', async () => (await reports()).length > 0);
	await waitForPoll(service, [FIRST.siteId]);
	const [report, ...more] = await reports();
	expect(more).toEqual([]);
	expect((await n8n.waitForExecution(defined(report).id)).json('Reported')).toMatchObject([
		{ event: 'siteChanged', changes: [{ field: 'info.license', after: 'SAMPLE-UPDATED' }] },
	]);
	await n8n.deactivate(watching);

	// Back to the first version, in n8n
	const uninstall = async () => await n8n.rest.delete(`${PACKAGES}?name=${PACKAGE}`);
	await uninstall();
	await expectUninstalled();
	await n8n.rest.post(PACKAGES, { name: `${PACKAGE}@${FIRST_VERSION}` });
	expect(await installed()).toMatchObject([{ installedVersion: FIRST_VERSION }]);
	expect(await runAll()).toEqual(before);
	await uninstall();

	// The same with npm
	for (const update of [true, false]) {
		await administrate('install', update);
		const manifest = readFileSync(join(modules(), PACKAGE, 'package.json'), 'utf8');
		expect(JSON.parse(manifest)).toMatchObject({ version: update ? UPDATE : FIRST_VERSION });
		expect(await runAll()).toEqual(before);
	}
	await administrate('uninstall');
	await expectUninstalled();

	// Nothing but the package, and what npm knows against it, was requested from the registry
	const advisories = 'POST /-/npm/v1/security/advisories/bulk';
	const isOwn = (request: string) => request.includes(PACKAGE) || request === advisories;
	expect(registry.requests.filter((request) => !isOwn(request))).toEqual([]);
});
