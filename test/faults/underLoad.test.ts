import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';
import { createEngine } from '../engine/engine';
import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { CREDENTIAL, itemsWith, siteNode } from '../helpers/sea-farm';

// Cells wait side by side; a busy machine takes its time
jest.setTimeout(300_000);

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

/** Passwords whose encoded forms all differ. */
const PASSWORD = 'pä"ss/wo+rd 1042%';

const TIMEOUT_MS = 3000;
const MAX_LOGINS = 8;
const MAX_RETRIES = 3;

/** Which requests the fault meets. */
const PATTERNS: Record<string, (fault: Fault) => Fault> = {
	'all sites': (fault) => fault,
	'every fourth site': (fault) => ({ ...fault, siteId: IDS.filter((_, item) => item % 4 === 0) }),
	'from the middle on': (fault) => ({ ...fault, skip: 100 }),
};

const FAULTS: Record<string, Fault> = {
	...Object.fromEntries(
		[400, 401, 403, 404, 407, 410, 422, 423, 500, 501, 502, 503, 504, 520].map((status) => [
			`${String(status)}, echoing secrets`,
			{ status, echo: true },
		]),
	),
	'429, Retry-After 0': { status: 429, retryAfter: 0 },
	'429': { status: 429 },
	'503, Retry-After 0': { status: 503, retryAfter: 0 },
	'a web page': { body: 'html' },
	'an empty body': { body: 'empty' },
	'{}': { body: { json: {} } },
	'a maintenance notice': { body: { json: { error: 'maintenance' } } },
	'a wrapped response': { body: { json: { data: { siteId: 1 } } } },
	'another site': { body: { json: { siteId: 1, siteName: 'Another' } } },
	'a redirect': { redirect: { status: 302, to: 'http://127.0.0.1:9' } },
	reset: { connection: 'reset' },
	cut: { connection: 'cut' },
	'a hang': { connection: 'hang' },
};

interface Cell {
	endpoint: 'site' | 'token';
	fault: string;
	pattern: string;
}

const CELLS: Cell[] = Object.keys(FAULTS).flatMap((fault): Cell[] => [
	...Object.keys(PATTERNS).map((pattern) => ({ endpoint: 'site' as const, fault, pattern })),
	// A login that hangs takes its own half minute
	...(fault === 'a hang'
		? []
		: ['all sites', 'from the middle on'].map((pattern) => ({
				endpoint: 'token' as const,
				fault,
				pattern,
			}))),
]);

const SELECTED = CELLS.filter(({ endpoint, fault, pattern }) =>
	`${endpoint}: ${fault}, ${pattern}`.includes(process.env.LOAD_CELLS ?? ''),
);

let user = 0;

async function runCell({ endpoint, fault, pattern }: Cell, service: Service) {
	const login = { username: `user-${String(++user)}@example.com`, password: PASSWORD };
	service.logins.splice(0, Infinity, login);
	const given = FAULTS[fault] ?? {};
	const shape = PATTERNS[pattern] ?? ((same: Fault) => same);
	service.faults.site.push({ latencyMs: 3 });
	if (endpoint === 'site') service.faults.site.push(shape(given));
	else service.faults.token.push({ ...given, skip: pattern === 'all sites' ? 0 : 1 });
	if (endpoint === 'token' && pattern !== 'all sites') {
		service.faults.site.push({
			when: () => service.counts.siteRequests >= 100,
			times: 1,
			latencyMs: () => {
				service.expireTokens();
				return 0;
			},
		});
	}
	const engine = await createEngine({
		fresh: false,
		credentials: { [CREDENTIAL]: { baseUrl: service.baseUrl, ...login } },
	});
	const started = Date.now();
	const result = await engine.run({
		node: siteNode(
			{
				operation: 'get',
				siteId: '={{ $json.id }}',
				options: fault === 'a hang' ? { timeout: TIMEOUT_MS } : {},
			},
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(IDS),
	});
	return { result, seconds: (Date.now() - started) / 1000 };
}

const failed = ({ json }: INodeExecutionData) => 'error' in json;

function problemsOf(
	{ endpoint, fault, pattern }: Cell,
	service: Service,
	{ result, seconds }: Awaited<ReturnType<typeof runCell>>,
) {
	const problems: string[] = [];
	const check = (isRight: boolean, problem: string) => {
		if (!isRight) problems.push(problem);
	};
	const items = result.items;
	const order = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	check(order.join() === IDS.map((_, item) => item).join(), `items ${order.join()}`);
	const strangers = items.filter((item, index) => !failed(item) && item.json.siteId !== IDS[index]);
	check(strangers.length === 0, `${String(strangers.length)} false sites`);
	check(
		items.every(
			(item, index) => failed(item) || JSON.stringify(item.json) === JSON.stringify(FARMS[index]),
		),
		'a site that is not as the service has it',
	);
	const { tokenRequests, siteRequests } = service.counts;
	check(tokenRequests <= MAX_LOGINS, `${String(tokenRequests)} logins`);
	const hit = pattern === 'all sites' ? 200 : pattern === 'every fourth site' ? 50 : 100;
	// A rate limit that lets others through is no try, up to twenty times
	const retries = fault.startsWith('429') ? 23 : MAX_RETRIES;
	const allowed = 200 + (endpoint === 'site' ? retries * hit : 64);
	check(siteRequests <= allowed, `${String(siteRequests)} site requests`);
	check(seconds <= 60, `${String(seconds)} s`);
	const text = JSON.stringify(result.run) + JSON.stringify(result.hints);
	const secrets = [PASSWORD, ...service.issuedTokens].flatMap((secret) => [
		secret,
		encodeURIComponent(secret),
		Buffer.from(secret).toString('base64'),
		JSON.stringify(secret).slice(1, -1),
		JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
	]);
	check(!secrets.some((secret) => text.includes(secret)), 'a secret');
	return problems;
}

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

test(`whatever fails with 200 items at the default concurrency, seed ${String(SEED)}`, async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.02);
	const [order = []] = fc.sample(fc.shuffledSubarray(SELECTED, { minLength: SELECTED.length }), {
		numRuns: 1,
		seed: SEED,
	});
	const table: string[] = [];
	const wrong: string[] = [];
	const worker = async () => {
		const service = await startService({ sites: FARMS });
		for (let cell = order.shift(); cell; cell = order.shift()) {
			service.reset();
			const outcome = await runCell(cell, service);
			const problems = problemsOf(cell, service, outcome);
			const good = outcome.result.items.filter((item) => !failed(item)).length;
			const name = `${cell.endpoint}: ${cell.fault}, ${cell.pattern}`;
			const kinds = [...new Set(outcome.result.items.filter(failed).map(({ json }) => String(json.error).replace(/\d+/g, 'N')))].join(' | ');
			table.push(
				kinds + ' <- ' +
				`${name}: ${String(good)} read, ${String(service.counts.siteRequests)} requests, ${String(service.counts.tokenRequests)} logins, ${String(outcome.seconds)} s`,
			);
			if (problems.length > 0) wrong.push(`${name}: ${problems.join('; ')}`);
		}
		await service.close();
	};
	await Promise.all(Array.from({ length: 6 }, worker));
	require('node:fs').writeFileSync('/tmp/load.txt', table.sort().join('\n'));
	expect(wrong.sort()).toEqual([]);
});
