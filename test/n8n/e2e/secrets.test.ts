import { arrange, inputOf, parametersOf, startStage } from '../../tools/cases/fault-cell';
import {
	CREDENTIAL,
	type Row,
	SETTINGS,
	type Stage,
	TABLE,
	type Variation,
} from '../../tools/cases/fault-table';
import { manySites } from '../../tools/fake-service/sites';
import { at, defined } from '../../tools/helpers/at';
import type { Execution } from '../../tools/n8n/executions';
import { type Finding, findSecrets, secretsOf } from '../../tools/n8n/secrets';
import { ownService, useN8n } from '../../tools/n8n/use-n8n';
import { httpRequest, readSites, siteNode, withItems } from '../../tools/n8n/workflows';

/** Stands for a secret, and is found in every place that is searched. */
const CANARY = 'kanarifugl æøå +/1042';
const ENCODED_CANARY = {
	plain: CANARY,
	base64: Buffer.from(`user:${CANARY}`).toString('base64'),
	url: encodeURIComponent(CANARY),
};

/** Made of characters that look different in base64, in a URL, in a form and in JSON. */
const login = { username: 'sample-user@example.com', password: 'p+ss "wörd/&=% 1042' };

const n8nStage = useN8n('secrets', {
	service: { login },
	n8n: () => ({ env: { N8N_LOG_LEVEL: 'debug', N8N_PUSH_BACKEND: 'sse' } }),
});

/** Of all runs. */
const secrets: Record<string, string> = {};
/** The requests that reached another origin. */
const strayed: string[] = [];

interface Run {
	row: Row;
	variation: Variation;
	onError: (typeof SETTINGS)[number];
}

/** One form of each fault, with each setting in turn: all are tested in n8n's engine. */
const RUNS = TABLE.flatMap((row, index): Run[] => {
	const variations = Object.values(row.variations);
	const variation = at(variations, index % variations.length);
	// Where the node stops the run, HTTP Request follows no redirect
	const isRedirect = row.fault === 'Redirect to another origin';
	const settings = isRedirect ? SETTINGS : [at(SETTINGS, index % SETTINGS.length)];
	return settings.map((onError) => ({ row, variation, onError }));
});
const expired = defined(RUNS.find(({ row }) => row.fault === 'Token runs out in mid-run'));
// A file is stored separately
const parameters = { operation: 'getMap', format: 'file' };
RUNS.push({ ...expired, variation: { ...expired.variation, parameters } });

/** In n8n 2.x, an HTTP Request node may never end when its response is cut off, with a credential or without. */
const hangsHttpRequest = ({ row, variation }: Run, stage: Stage) =>
	row.place === 'site' && variation.fault?.(stage).connection === 'cut';

/** The node, and beside it n8n's HTTP Request node with the same credential, on the same items. */
async function runBoth(run: Run): Promise<Execution> {
	const { variation, onError } = run;
	// With the same message, what outlasts every retry is reported after the first try here
	const row = run.row.message === undefined ? run.row : { ...run.row, maxRetries: 0 };
	const stage = await startStage(n8nStage.cleanup, login);
	const data = arrange(row, variation, stage);
	const credential = await n8nStage.n8n.createCredential(CREDENTIAL, data);
	const callers = [siteNode('Read', credential, parametersOf(row, variation), { onError })];
	if (!hangsHttpRequest(run, stage)) {
		const url = `=${data['baseUrl'] as string}/meta/sites/{{ $json.id }}`;
		const options = { timeout: row.timeout ?? 10_000 };
		callers.push(
			httpRequest('Request', credential, url, { onError: 'continueRegularOutput' }, { options }),
		);
	}
	const items = inputOf(row).map((item) => ({ ...item, ...ENCODED_CANARY }));
	const workflow = withItems(items, ...callers);
	// n8n logs it
	workflow.name = CANARY;
	workflow.connections['Items'] = {
		main: [callers.map((caller) => ({ node: caller.name, type: 'main', index: 0 }))],
	};
	delete workflow.connections['Read'];
	const execution = await n8nStage.n8n.createAndRun(workflow);
	Object.assign(secrets, secretsOf(stage.service, stage.tls));
	strayed.push(...stage.elsewhere.requests.map((request) => JSON.stringify(request)));
	return execution;
}

/** What has come of each run: whether it stopped, and how many items failed. */
const seen: unknown[] = [];
const expected: unknown[] = [];
/** What each item says to do, at a service that repeats the token, and then the password. */
const advice: unknown[][] = [];
let findings: Finding[];

beforeAll(async () => {
	const { n8n } = n8nStage;
	await n8n.rest.openEditor(`${n8n.userFolder}/pushed.log`);
	// Six side by side: for most of their time, they wait for a token to grow old or for a timeout
	const left = RUNS.values();
	const runOneByOne = async () => {
		for (const run of left) {
			const { row, onError } = run;
			const execution = await runBoth(run);
			const json = [...execution.json('Read', 0), ...execution.json('Read', 1)];
			const failed = json.filter(({ error }) => error !== undefined).length;
			seen.push([row.fault, execution.status, failed]);
			const stops = onError === 'stopWorkflow' && row.message !== undefined;
			const hit = row.message === undefined || stops ? 0 : row.hit.length;
			expected.push([row.fault, stops ? 'error' : 'success', hit]);
		}
	};
	await Promise.all(Array.from({ length: 6 }, runOneByOne));

	const { service, credential } = await ownService(n8nStage, { login, sites: manySites(40) });
	const ids = service.sites.map(({ siteId }) => siteId);
	const read = siteNode('Read', credential, {}, { onError: 'continueRegularOutput' });
	const workflowId = await n8n.createWorkflow(readSites(ids, read));
	const readAll = async () => {
		const execution = await n8n.runWorkflow(workflowId);
		advice.push(execution.json('Read').map(({ details }) => details));
	};
	service.faults.site.push({ status: 422, echo: true });
	await readAll();
	service.faults.token.push({ status: 403, echo: true });
	service.faults.site = [];
	service.expireTokens();
	await readAll();
	Object.assign(secrets, secretsOf(service));
	findings = await findSecrets(n8n, { ...secrets, canary: CANARY });
}, 1_800_000);

test('each run has failed as it should', () => {
	expect(seen).toEqual(expected);
});

test('what a service repeats of a token or a password is hidden', () => {
	const hidden = expect.stringContaining('Rejected: ••• ••• •••') as string;
	expect(advice).toEqual([Array<string>(40).fill(hidden), Array<string>(40).fill(hidden)]);
});

test('the search finds what there is to find', () => {
	const found = findings
		.filter(({ secret }) => secret === 'canary')
		.map(({ place, form }) => `${place}: ${form}`);
	const anyForm = '(plain|base64|URL-encoded)';
	for (const place of [
		...['plain', 'base64', 'URL-encoded'].flatMap((form) => [
			`^GET /executions/\\d+: ${form}$`,
			`^table execution_data, data: ${form}$`,
		]),
		`^file .*database\\.sqlite(-wal)?: ${anyForm}$`,
		`^file n8n\\.log: ${anyForm}$`,
		`^file pushed\\.log: ${anyForm}$`,
		`^GET /workflows/.*: ${anyForm}$`,
	]) {
		expect(found).toContainEqual(expect.stringMatching(place));
	}
});

test('no password and no token is anywhere', () => {
	expect(Object.keys(secrets).length).toBeGreaterThan(2 * RUNS.length);
	expect(findings.filter(({ secret }) => secret !== 'canary')).toEqual([]);
});

test('no password and no token has reached another origin', () => {
	// The HTTP Request node follows redirects; the package's node does not
	expect(strayed).not.toEqual([]);
	expect(strayed.filter((request) => /authorization|bearer/i.test(request))).toEqual([]);
	for (const secret of Object.values(secrets)) {
		expect(strayed.filter((request) => request.includes(secret))).toEqual([]);
	}
});
