import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';
import { createEngine, type NodeResult } from '../engine/engine';
import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { CREDENTIAL, itemsWith, siteNode } from '../helpers/sea-farm';

// The cells wait side by side
jest.setTimeout(600_000);

const FARMS = manySites(200);
const IDS = FARMS.map(({ siteId }) => siteId);

/** The forms in which it may come back all differ. */
const PASSWORD = 'pä"ss/wo+rd 1042%';

const MAX_LOGINS = 8;
/** Of the requests for one site. */
const MAX_RETRIES = 3;
/** A refusal by a rate limit that lets others through does not count, a few times. */
const MAX_REFUSALS = 8;
/** Requests that may be in flight when a token expires. */
const MAX_IN_FLIGHT = 128;
/** The longest wait that a run may make for one reason, and the most that all of them may take. */
const LONGEST_WAIT_S = 60;

/** Which requests for sites the fault meets. */
const PATTERNS = {
	'all sites': { hit: 200, shape: (fault: Fault): Fault => fault },
	'every fourth site': {
		hit: 50,
		shape: (fault: Fault): Fault => ({ ...fault, siteId: IDS.filter((_, i) => i % 4 === 0) }),
	},
	'from the middle on': { hit: 100, shape: (fault: Fault): Fault => ({ ...fault, skip: 100 }) },
};
type Pattern = keyof typeof PATTERNS;

const STATUSES = [400, 401, 403, 404, 407, 410, 422, 423, 429, 500, 501, 502, 503, 504, 520];

const FAULTS: Record<string, Fault> = {
	...Object.fromEntries(STATUSES.map((status) => [`${status}`, { status, echo: true }])),
	'429 with Retry-After 0': { status: 429, retryAfter: 0 },
	'503 with Retry-After 0': { status: 503, retryAfter: 0 },
	'a web page': { body: 'html' },
	'an empty body': { body: 'empty' },
	'{}': { body: { json: {} } },
	'a maintenance notice': { body: { json: { error: 'maintenance' } } },
	'a wrapped response': { body: { json: { data: { siteId: 1 } } } },
	'another site': { body: { json: { siteId: 1, siteName: 'Another' } } },
	'a redirect': { redirect: { status: 302, to: 'http://127.0.0.1:9' } },
	'a reset': { connection: 'reset' },
	'a cut': { connection: 'cut' },
	'a hang': { connection: 'hang' },
};

interface Cell {
	endpoint: 'site' | 'token';
	fault: string;
	pattern: Pattern;
}

const CELLS = Object.keys(FAULTS).flatMap((fault): Cell[] => [
	...(Object.keys(PATTERNS) as Pattern[]).map((pattern): Cell => ({
		endpoint: 'site',
		fault,
		pattern,
	})),
	{ endpoint: 'token', fault, pattern: 'all sites' },
	{ endpoint: 'token', fault, pattern: 'from the middle on' },
]);
// A login that hangs takes its own half minute, twice
const isSlow = ({ endpoint, fault }: Cell) => endpoint === 'token' && fault === 'a hang';

const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const DRAWN =
	fc.sample(fc.shuffledSubarray(CELLS, { minLength: CELLS.length }), {
		numRuns: 1,
		seed: SEED,
	})[0] ?? [];
/** All of them, or as many as the everyday tests have time for. */
const CHOSEN =
	process.env['LOAD'] === 'all' ? DRAWN : DRAWN.filter((cell) => !isSlow(cell)).slice(0, 20);

let users = 0;

/** Brings the fault about, for a user of its own: who finds no other cell's login remembered. */
async function arrange({ endpoint, fault, pattern }: Cell, service: Service) {
	service.reset();
	const login = { username: `user-${++users}@example.com`, password: PASSWORD };
	service.logins.splice(0, Infinity, login);
	const isFromMiddle = pattern === 'from the middle on';
	const given = FAULTS[fault] ?? {};
	service.faults.site.push({ latencyMs: 3 });
	if (endpoint === 'site') service.faults.site.push(PATTERNS[pattern].shape(given));
	else service.faults.token.push({ ...given, skip: isFromMiddle ? 1 : 0 });
	if (endpoint === 'token' && isFromMiddle) {
		const expire = () => {
			service.expireTokens();
			return 0;
		};
		const when = () => service.counts.siteRequests >= 100;
		service.faults.site.push({ when, times: 1, latencyMs: expire });
	}
	return await createEngine({
		fresh: false,
		credentials: { [CREDENTIAL]: { baseUrl: service.baseUrl, ...login } },
	});
}

const isFailed = ({ json }: INodeExecutionData) => 'error' in json;

/** What must not be, whatever fails. */
function findingsOf(
	{ endpoint, fault, pattern }: Cell,
	{ counts, issuedTokens }: Service,
	{ items, run, hints }: NodeResult,
	seconds: number,
): string[] {
	const places = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	const falseSites = items.filter(
		(item, index) => !isFailed(item) && JSON.stringify(item.json) !== JSON.stringify(FARMS[index]),
	);
	const retries = fault.startsWith('429') ? MAX_REFUSALS + MAX_RETRIES : MAX_RETRIES;
	const maxRequests =
		IDS.length + (endpoint === 'site' ? retries * PATTERNS[pattern].hit : 2 * MAX_IN_FLIGHT);
	const text = JSON.stringify([run, hints]);
	const secrets = [PASSWORD, ...issuedTokens].flatMap((secret) => [
		secret,
		encodeURIComponent(secret),
		Buffer.from(secret).toString('base64'),
		JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
	]);
	return [
		places.join() === [...IDS.keys()].join() ? '' : `items ${places.join()}`,
		falseSites.length === 0 ? '' : `${falseSites.length} false sites`,
		counts.tokenRequests <= MAX_LOGINS ? '' : `${counts.tokenRequests} logins`,
		counts.siteRequests <= maxRequests ? '' : `${counts.siteRequests} requests for sites`,
		seconds <= 3 * LONGEST_WAIT_S ? '' : `${seconds} s`,
		secrets.some((secret) => text.includes(secret)) ? 'a secret' : '',
	].filter(Boolean);
}

async function findingsIn(cell: Cell, service: Service): Promise<string[]> {
	const engine = await arrange(cell, service);
	const started = Date.now();
	const options = cell.fault === 'a hang' && cell.endpoint === 'site' ? { timeout: 3000 } : {};
	const result = await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', options },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(IDS),
	});
	const findings = findingsOf(cell, service, result, (Date.now() - started) / 1000);
	return findings.map((found) => `${cell.endpoint}, ${cell.fault}, ${cell.pattern}: ${found}`);
}

afterEach(() => jest.restoreAllMocks());

test(`whatever fails with 200 items at the default concurrency: ${CHOSEN.length} cells, seed ${SEED}`, async () => {
	// Backoff is a random share of seconds: short here, so that the waits of the cells fit into a test
	jest.spyOn(Math, 'random').mockReturnValue(0.02);
	const left = [...CHOSEN];
	const findings: string[] = [];
	const work = async () => {
		const service = await startService({ sites: FARMS });
		for (let cell = left.shift(); cell; cell = left.shift()) {
			findings.push(...(await findingsIn(cell, service)));
		}
		await service.close();
	};
	await Promise.all(Array.from({ length: 6 }, work));
	expect(findings.sort()).toEqual([]);
});
