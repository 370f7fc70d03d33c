import fc from 'fast-check';
import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import { DESERTED, type Fault } from '../fake-service/faults';
import type { Service } from '../fake-service/service';
import { manySites } from '../fake-service/sites';

export const FARMS = manySites(200);
export const IDS = FARMS.map(({ siteId }) => siteId);

/** The forms in which it may come back all differ. */
const PASSWORD = 'pä"ss/wo+rd 1042%';

/** At most, in any run; docs/reliability.md states them. */
export const BOUNDS = {
	logins: 8,
	/** Of the requests for one site. */
	retries: 3,
	/** Waiting for a rate limit is no retry, this many times. */
	waits: 10,
	/** Those that are in flight when a token expires, twice. */
	requestsForTokens: 2 * 128,
	/** Two timeouts and half a minute. */
	seconds: 2 * 30 + 30,
	/** A run that is refused for its rate may be paused for a minute, twice. */
	secondsAtLimit: 2 * 60 + 30,
	/** Of 50 sites that a rate limit never lets through while the others are read, each costs a few pauses and slows the run. */
	secondsWithoutEnd: 50 * 15,
};

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
	'a redirect': { redirect: { status: 302, to: DESERTED } },
	'a reset': { connection: 'reset' },
	'a cut': { connection: 'cut' },
	'a hang': { connection: 'hang' },
};

export interface Cell {
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
/** A rate limit that is none for the others takes minutes to be told from one. */
export const isEndless = ({ fault, pattern }: Cell) =>
	fault.startsWith('429') && pattern === 'every fourth site';

// A login that hangs takes its own half minute, twice
export const isSlow = (cell: Cell) =>
	isEndless(cell) || (cell.endpoint === 'token' && cell.fault === 'a hang');

export const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
/** All cells, in random order. */
export const DRAWN =
	fc.sample(fc.shuffledSubarray(CELLS, { minLength: CELLS.length }), {
		numRuns: 1,
		seed: SEED,
	})[0] ?? [];

/**
 * Brings the fault about.
 *
 * @returns what is in the credential
 */
export function arrangeLoad(
	{ endpoint, fault, pattern }: Cell,
	service: Service,
): ICredentialDataDecryptedObject {
	const login = { username: 'user@example.com', password: PASSWORD };
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
	return { baseUrl: service.baseUrl, ...login };
}

/** The node's options: the defaults, but for a service that hangs. */
export const optionsOf = ({ endpoint, fault }: Cell): INodeParameters =>
	fault === 'a hang' && endpoint === 'site' ? { timeout: 5000 } : {};

const isFailed = ({ json }: INodeExecutionData) => 'error' in json;

/** What n8n has made of a run, with On Error set to Continue. */
interface LoadResult {
	items: INodeExecutionData[];
	/** All that n8n keeps of it, as JSON. */
	record: string;
	/** How long it took; 0 where it shares a machine with much else. */
	seconds: number;
}

/** What must not be, whatever fails. */
export function findingsOf(
	cell: Cell,
	{ counts, issuedTokens }: Service,
	{ items, record, seconds }: LoadResult,
): string[] {
	const { endpoint, fault, pattern } = cell;
	const places = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	const falseSites = items.filter(
		(item, index) => !isFailed(item) && JSON.stringify(item.json) !== JSON.stringify(FARMS[index]),
	);
	const isLimit = fault.startsWith('429');
	const longest = isLimit ? BOUNDS.secondsAtLimit : BOUNDS.seconds;
	const mostSeconds = isEndless(cell) ? BOUNDS.secondsWithoutEnd : longest;
	const retries = isLimit ? BOUNDS.waits : BOUNDS.retries;
	const more = endpoint === 'site' ? retries * PATTERNS[pattern].hit : BOUNDS.requestsForTokens;
	const mostRequests = IDS.length + more;
	const secrets = [PASSWORD, ...issuedTokens].flatMap((secret) => [
		secret,
		encodeURIComponent(secret),
		Buffer.from(secret).toString('base64'),
		JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
	]);
	const findings = [
		isEndless(cell) && counts.sitesServed !== 150 ? `${counts.sitesServed} sites` : '',
		places.join() === [...IDS.keys()].join() ? '' : `items ${places.join()}`,
		falseSites.length === 0 ? '' : `${falseSites.length} false sites`,
		counts.tokenRequests <= BOUNDS.logins ? '' : `${counts.tokenRequests} logins`,
		counts.siteRequests <= mostRequests ? '' : `${counts.siteRequests} requests for sites`,
		seconds <= mostSeconds ? '' : `${seconds} s`,
		secrets.some((secret) => record.includes(secret)) ? 'a secret' : '',
	].filter(Boolean);
	return findings.map((found) => `${endpoint}, ${fault}, ${pattern}: ${found}`);
}
