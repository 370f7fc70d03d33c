import { arrange, inputOf, parametersOf, startStage } from '../../tools/cases/fault-cell';
import {
	CREDENTIAL,
	expectedOutcome,
	type Row,
	SETTINGS,
	SITES,
	type Stage,
	TABLE,
	type Variation,
} from '../../tools/cases/fault-table';
import type { Faults } from '../../tools/fake-service/faults';
import { manySites } from '../../tools/fake-service/sites';
import { at, defined } from '../../tools/helpers/at';
import { inLanes } from '../../tools/helpers/lanes';
import { type Finding, findSecrets, secretsOf } from '../../tools/n8n/secrets';
import { saveCredential, startFake, useN8n } from '../../tools/n8n/use-n8n';
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
	credential: false,
});
/** Runs at once. */
const LANES = [1, 2, 3, 4, 5, 6];

/** Of all runs, by names that say which one it was. */
const secrets: Record<string, string> = { password: login.password };
/** The requests that reached another origin. */
const strayed: string[] = [];

beforeAll(async () => {
	const { n8n } = n8nStage;
	await n8n.rest.openEditor(`${n8n.userFolder}/pushed.log`);
});

/** A fault that outlasts every retry is reported after the first try here, with the same message. */
const withoutRetries = (row: Row): Row =>
	row.message === undefined ? row : { ...row, maxRetries: 0 };

/** In n8n 2.x, an HTTP Request node may never end when its response is cut off, with a credential or without. */
function hangsHttpRequest({ place, message }: Row, variation: Variation, stage: Stage): boolean {
	const faults = [variation.fault?.(stage) ?? []].flat();
	const isCut = faults.some(({ connection }) => connection === 'cut');
	return place === 'site' && message !== undefined && isCut;
}

/** The node with its setting, and after it n8n's HTTP Request node with the same credential, on the same items. */
async function runBoth(
	row: Row,
	variation: Variation,
	onError: (typeof SETTINGS)[number],
	name: string,
) {
	const stage = await startStage(n8nStage.cleanup, login);
	const data = arrange(row, variation, stage);
	const credential = await n8nStage.n8n.createCredential(CREDENTIAL, data);
	const callers = [
		siteNode('Read', credential, parametersOf(withoutRetries(row), variation), { onError }),
	];
	if (!hangsHttpRequest(row, variation, stage)) {
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
	// Side by side, the node first
	workflow.connections['Items'] = {
		main: [callers.map((caller) => ({ node: caller.name, type: 'main', index: 0 }))],
	};
	delete workflow.connections['Read'];
	const execution = await n8nStage.n8n.createAndRun(workflow);

	const { service, tls, elsewhere } = stage;
	for (const each of [service, tls]) {
		each.issuedTokens.forEach((token, index) => {
			secrets[`${name}, token ${index + 1}`] = token;
		});
	}
	strayed.push(...elsewhere.requests.map((request) => JSON.stringify(request)));
	return execution;
}

/** Of each row, one form of its fault with each setting, spread evenly: all forms are tested in n8n's engine. */
const RUNS = TABLE.flatMap((row) =>
	SETTINGS.map((onError, index) => {
		const variations = Object.entries(row.variations);
		const [form, variation] = at(
			variations,
			Math.floor((index * variations.length) / SETTINGS.length),
		);
		return { row, variation, onError, name: `${row.place}: ${row.fault}: ${form}, ${onError}` };
	}),
);

/** Whichever of the sites that fail stops the run: the one whose verdict comes first. */
const anyOf = (message?: string) => message?.replace(/(site|item) \d+/g, '$1 …');

// Side by side: for most of their time, they wait for a token to grow old or for a timeout
test(`${RUNS.length} runs in which the service fails`, async () => {
	const seen: Record<string, unknown> = {};
	const expected: Record<string, unknown> = {};
	await inLanes(LANES, RUNS, async ({ row, variation, onError, name }) => {
		const execution = await runBoth(row, variation, onError, name);
		const json = [...execution.json('Read', 0), ...execution.json('Read', 1)];
		const messages = json.flatMap(({ error }) => error ?? []);
		const isStopped = anyOf(execution.failure?.message);
		seen[name] = { stopped: isStopped, messages, items: json.length };
		// The search below is about runs in which exactly this failed
		const { stopped, failed, kept } = expectedOutcome(withoutRetries(row), variation, onError);
		expected[name] = {
			stopped: anyOf(stopped?.message),
			messages: failed.map(({ message }) => message),
			items: failed.length + kept.length,
		};
	});
	expect(seen).toEqual(expected);
}, 1_800_000);

test('a map as a file, which n8n stores separately', async () => {
	const row = defined(TABLE.find(({ fault }) => fault === 'Token runs out in mid-run'));
	const [form, variation] = at(Object.entries(row.variations), 0);
	const parameters = { operation: 'getMap', format: 'file' };
	const execution = await runBoth(row, { ...variation, parameters }, 'stopWorkflow', form);
	const ids = execution.items('Read').map(({ binary }) => typeof binary?.['data']?.id);
	expect(ids).toEqual(SITES.map(() => 'string'));
});

describe('a service that repeats what it is sent, plain and encoded, to 600 items at once', () => {
	const sites = manySites(600);
	const everyFourth = sites.map(({ siteId }) => siteId).filter((_, index) => index % 4 === 0);

	test.each<[string, Partial<Faults>, string, number]>([
		[
			'the tokens of every fourth site, with a token renewed in mid-run',
			{ site: [{ siteId: everyFourth, status: 422, echo: true }] },
			'The service rejected the request for site',
			everyFourth.length,
		],
		[
			'the password, at a login in mid-run',
			{ token: [{ skip: 1, status: 403, echo: true }], tokenLifetime: { uses: 100 } },
			'The service rejected the username or password',
			500,
		],
	])('%s', async (name, faults, message, count) => {
		const { cleanup, n8n } = n8nStage;
		const service = await startFake(cleanup, { login, sites });
		Object.assign(service.faults, faults);
		let requests = 0;
		const expireNowAndThen = () => {
			if (name.includes('token') && ++requests === 300) service.expireTokens();
			return false;
		};
		service.faults.site.push({ when: expireNowAndThen }, { latencyMs: 3 });
		// No token expires within seconds
		let first = 0;
		const untilOld = () => Math.max(0, (first ||= performance.now()) + 6000 - performance.now());
		service.faults.site.push({ skip: 100, latencyMs: untilOld });
		const credential = await saveCredential(n8n, service);
		const onError = 'continueRegularOutput';
		const ids = sites.map(({ siteId }) => siteId);
		const execution = await n8n.createAndRun(
			readSites(ids, siteNode('Read', credential, {}, { onError })),
		);
		for (const [key, secret] of Object.entries(secretsOf(service))) {
			secrets[`${name}, ${key}`] = secret;
		}

		const failed = execution.json('Read').filter(({ error }) => error !== undefined);
		expect(execution.json('Read')).toHaveLength(sites.length);
		expect(failed).toHaveLength(count);
		for (const { error, details: advice } of failed) {
			expect(error).toContain(message);
			expect(advice).toContain('Rejected: ••• ••• •••');
		}
		expect(service.issuedTokens.length).toBeGreaterThan(name.includes('token') ? 1 : 0);
	});
});

test('the fields of a credential that hold secrets are not sent to the browser', async () => {
	const { cleanup, n8n } = n8nStage;
	const service = await startFake(cleanup, { login });
	const credential = await saveCredential(n8n, service);
	await n8n.createAndRun(readSites([1042], siteNode('Read', credential, {})));
	const path = `/credentials/${credential.id}?includeData=true`;
	const { data } = await n8n.rest.get<{ data: Record<string, string> }>(path);
	const { baseUrl, username, allowUnauthorizedCerts, ...hidden } = data;
	expect({ baseUrl, username }).toEqual({ baseUrl: service.baseUrl, username: login.username });
	const blank = expect.stringMatching(/^__n8n_BLANK_VALUE_/) as string;
	expect(hidden).toEqual({ password: blank, accessToken: blank, tokenFingerprint: blank });
});

describe('after all of the above', () => {
	let findings: Finding[];

	beforeAll(async () => {
		findings = await findSecrets(n8nStage.n8n, { ...secrets, canary: CANARY });
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
		expect(Object.keys(secrets).length).toBeGreaterThan(250);
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
});
