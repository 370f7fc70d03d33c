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
import { saveCredential, useN8n } from '../../tools/n8n/use-n8n';
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

const installed = async () => await stage.n8n.rest.get<InstalledPackage[]>(PACKAGES);

/** Saves the workflows, with a credential, as a user does. */
async function saveWorkflows(): Promise<void> {
	const { n8n, service } = stage;
	stage.credential = await saveCredential(n8n, service);
	const credentials = { aquacultureApi: stage.credential };
	for (const [name, parameters] of Object.entries(SAVED)) {
		const read = node(name, `${PACKAGE}.aquacultureSite`, 1, parameters, { credentials });
		workflowIds[name] = await n8n.createWorkflow(chain(name, manualTrigger(), read));
	}
	const report = reportChanges(stage.credential, [FIRST.siteId]);
	watching = await n8n.createWorkflow(report);
	await n8n.activate(watching);
	await waitForPoll(service, [FIRST.siteId]);
}

const workflowIds: Record<string, string> = {};
let watching: string;
let itemsBefore: Record<string, unknown>;

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

// Each test continues where the one before it has left the instance, as the life of a release does.

test(`${FIRST_VERSION} is published and installed, and its workflows run`, async () => {
	await publish(await copyCheckout('release'), FIRST_VERSION);
	const { rest } = stage.n8n;
	const { installedVersion, installedNodes } = await rest.post<InstalledPackage>(PACKAGES, {
		name: PACKAGE,
	});
	expect(installedVersion).toBe(FIRST_VERSION);
	expect(installedNodes.map(({ type }) => type).sort()).toEqual([
		`${PACKAGE}.aquacultureSite`,
		`${PACKAGE}.aquacultureSiteTrigger`,
	]);
	await saveWorkflows();
	itemsBefore = await runAll();
	const sites = [FIRST, at(SITES, 1)].map(({ siteId }) => ({ siteId }));
	expect(itemsBefore).toMatchObject({ Get: sites.slice(0, 1), 'Get Many': sites });
});

test('a tag that is not the version in package.json publishes nothing', async () => {
	await expect(publish(await copyCheckout('release'), UPDATE)).rejects.toThrow();
	expect(await installed()).toEqual([
		expect.not.objectContaining({ updateAvailable: expect.anything() as unknown }),
	]);
});

test(`${UPDATE} is published and offered as an update, which n8n installs`, async () => {
	const folder = await copyCheckout('release');
	const env = process.env;
	await outputOf('npm', ['version', UPDATE, '--no-git-tag-version'], { cwd: folder, env });
	await publish(folder, UPDATE);
	expect(await installed()).toMatchObject([
		{ installedVersion: FIRST_VERSION, updateAvailable: UPDATE },
	]);
	const updated = await stage.n8n.rest.patch<InstalledPackage>(PACKAGES, { name: PACKAGE });
	expect(updated.installedVersion).toBe(UPDATE);
	const [listed, ...others] = await installed();
	expect(listed).toMatchObject({ installedVersion: UPDATE, failedLoading: false });
	expect(listed?.updateAvailable).toBeUndefined();
	expect(others).toEqual([]);
});

test('the saved workflows run as before', async () => {
	expect(await runAll()).toEqual(itemsBefore);
});

test('the trigger keeps what it has stored: a change during the update is reported', async () => {
	const { n8n, service } = stage;
	await n8n.stop();
	at(service.sites, 0).info.license = 'SAMPLE-UPDATED';
	await n8n.start();
	const isReported = async () => (await n8n.executions(watching)).length > 0;
	await until('the change is reported', isReported, { intervalMs: 200 });
	await waitForPoll(service, [FIRST.siteId]);
	const executions = await n8n.executions(watching);
	expect(executions).toHaveLength(1);
	const { id } = at(executions, 0);
	expect((await n8n.waitForExecution(id)).json('Reported')).toMatchObject([
		{ event: 'siteChanged', changes: [{ field: 'info.license', after: 'SAMPLE-UPDATED' }] },
	]);
	await n8n.deactivate(watching);
	service.reset();
});

const uninstall = async () => await stage.n8n.rest.delete(`${PACKAGES}?name=${PACKAGE}`);

/** Uninstalled, it leaves nothing behind, and n8n names the node that is missing. */
async function expectUninstalled(): Promise<void> {
	const { n8n } = stage;
	expect(await installed()).toEqual([]);
	const modules = join(n8n.userFolder, '.n8n', 'nodes', 'node_modules');
	expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual([]);
	await expect(n8n.runWorkflow(defined(workflowIds['Get']))).rejects.toThrow(
		`Unrecognized node type: ${PACKAGE}.aquacultureSite`,
	);
}

test(`goes back to ${FIRST_VERSION} in n8n: the saved workflows run as before`, async () => {
	await uninstall();
	await expectUninstalled();
	await stage.n8n.rest.post(PACKAGES, { name: `${PACKAGE}@${FIRST_VERSION}` });
	expect(await installed()).toMatchObject([{ installedVersion: FIRST_VERSION }]);
	expect(await runAll()).toEqual(itemsBefore);
	await uninstall();
});

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

test('is installed, updated, set back and uninstalled with npm, and the saved workflows run as before', async () => {
	const modules = join(stage.n8n.userFolder, '.n8n', 'nodes', 'node_modules');
	const version = () =>
		(
			JSON.parse(readFileSync(join(modules, PACKAGE, 'package.json'), 'utf8')) as {
				version: string;
			}
		).version;
	for (const update of [true, false]) {
		await administrate('install', update);
		expect(version()).toBe(update ? UPDATE : FIRST_VERSION);
		expect(await runAll()).toEqual(itemsBefore);
	}
	await administrate('uninstall');
	await expectUninstalled();
});

test('nothing but the package, and what npm knows against it, was requested from the registry', () => {
	const advisories = 'POST /-/npm/v1/security/advisories/bulk';
	const others = registry.requests.filter(
		(request) => !request.includes(PACKAGE) && request !== advisories,
	);
	expect(others).toEqual([]);
});
