import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { type BodyKind, DESERTED, type Fault } from '../fake-service/faults';
import type { TokenLifetime } from '../fake-service/rules';
import type { Service } from '../fake-service/service';
import { sampleSites } from '../fake-service/sites';
import { at } from '../helpers/at';
import { wrongTypes } from './wrong-types';

/** When the service fails: at the first login of a run, when a token has expired, or when a site is requested. */
export type Place = 'first login' | 'renewed login' | 'site';

export interface Stage {
	service: Service;
	/** The same service over HTTPS, with a self-signed certificate. */
	tls: Service;
	/** Another origin, which must never get a request. */
	elsewhere: Service;
}

export interface Variation {
	fault?: (stage: Stage) => Fault;
	/** What is in the credential instead of the sample login. */
	credential?: (stage: Stage) => ICredentialDataDecryptedObject;
	tokenLifetime?: TokenLifetime;
	parameters?: INodeParameters;
	/** Stands for `{status}` in the message. */
	status?: number;
}

export interface Counts {
	/** Site requests; where the run stops, those for the site that stopped it. */
	requests: number;
	logins: number;
}

export interface Row {
	place: Place;
	fault: string;
	variations: Record<string, Variation>;
	/** Of each item that fails; `{site}` is its site. Without a message all items are kept. */
	message?: string;
	hit: readonly number[];
	/** The item that a run with "Stop Workflow" names; the first that is hit unless given. */
	stopsAt?: number;
	stopped: Counts;
	continued: Counts;
	/** `Max Retries`; 3 unless given. */
	maxRetries?: number;
	/** Milliseconds, for the items that are hit. */
	timeout?: number;
}

/** The run: one item for each of these sites. */
export const SITES = sampleSites()
	.slice(0, 5)
	.map(({ siteId }) => siteId);
export const CREDENTIAL = 'Sea farm';

const ALL = SITES.map((_, item) => item);
/** The items whose sites a fault of the site endpoint hits. */
export const HIT = [0, 3];
/** Two of the items that are not the first. */
const LATER = [1, 3];
/** The items that are read before the first token has expired. */
const READ_BEFORE = 2;
/** With three retries. */
const TRIES = 4;
/** A site that waits for a rate limit: that is no retry, and ends at last. */
const TRIES_AT_LIMIT = 11;
const LONG = 5_000_000;

const inCredential = (message: string) => `${message}: credential "${CREDENTIAL}"`;
const WRONG_LOGIN = inCredential('The service rejected the username or password');
const REFUSED_LOGIN = inCredential('The service refused the login (status {status})');
const NO_LOGIN = inCredential('No login endpoint was found at this address');
const NO_TOKEN = inCredential('The login response contains no access token');
const REFUSED_BY_PAGE = inCredential('The login was refused with a web page (status {status})');
const LOGIN_PAGE = inCredential('The login returned a web page');
const MOVED = inCredential('The service redirects to another address');
const REJECTED_TOKEN = inCredential('The service rejected a newly issued access token');
const BUSY = 'The service is receiving too many requests';
const TOO_LONG = 'The service asked to retry after 60 minutes';
const UNAVAILABLE = 'The service is unavailable (status {status})';
const NOT_FOUND = 'Site {site} was not found';
const NO_ACCESS = 'This user has no access to site {site}';
const PAGE_REFUSES = 'Access to site {site} was refused with a web page (status {status})';
const REFUSED = 'The service rejected the request for site {site} (status {status})';
const NOT_VALID = 'The response for site {site} is not valid';
const EMPTY = 'The response for site {site} is empty';
const PAGE_INSTEAD = 'The service returned a web page instead of site {site}';
const LOST = 'The connection to the service was lost';
const TOO_LATE = 'The service did not respond in time';
const REFUSED_CONNECTION = 'The service refused the connection';
const UNKNOWN_HOST = 'The address of the service was not found';
const NOT_TRUSTED = "The service's certificate is not trusted";
const NO_HTTPS = 'The service does not use HTTPS at this address';

type Variations = Record<string, Variation>;

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

const forms = (faults: Record<string, Fault>): Variations =>
	mapValues(faults, (fault) => ({ fault: () => fault }));

const bodies = (named: Record<string, Fault['body']>) =>
	forms(mapValues(named, (body) => ({ body })));

const merged = (field: string, values: Record<string, unknown>) =>
	forms(mapValues(values, (value) => ({ merge: { [field]: value } })));

/** Each status with these kinds of body. */
function statuses(codes: number[], kinds: BodyKind[]): Variations {
	const entries = codes.flatMap((status) =>
		kinds.map((body): [string, Variation] => [
			`${status} ${body}`,
			{ status, fault: () => ({ status, body, retryAfter: 0 }) },
		]),
	);
	return Object.fromEntries(entries);
}

/** The name of the row, and each status with each kind of body. */
const status = (...codes: number[]): [string, Variations] => [
	`Status ${codes.join(', ')}`,
	statuses(codes, ['json', 'html', 'empty', 'broken']),
];

/** Without a page, which is often that of a firewall. */
const withoutPage = (...codes: number[]): [string, Variations] => [
	`Status ${codes.join(', ')}`,
	statuses(codes, ['json', 'empty', 'broken']),
];

const withPage = (...codes: number[]): [string, Variations] => [
	`Status ${codes.sort((a, b) => a - b).join(', ')} with a web page`,
	statuses(codes, ['html']),
];

/** Responses that never have a body. */
const bodiless = (...codes: number[]): [string, Variations] => [
	`Status ${codes.join(', ')}`,
	forms(Object.fromEntries(codes.map((code) => [code, { status: code }]))),
];

/** Rows for redirects to all kinds of targets. */
function redirects<T>(toRows: (fault: string, variations: Variations, message: string) => T): T[] {
	const targets: Record<string, (stage: Stage) => string> = {
		'the same origin': ({ service }) => `${service.origin}/meta/sites/${at(SITES, 1)}`,
		'another origin': ({ elsewhere }) => elsewhere.origin,
		itself: ({ service }) => service.origin,
	};
	return Object.entries(targets).map(([name, to]) => {
		const entries = [301, 302, 303, 307, 308].map((status): [string, Variation] => [
			String(status),
			{ fault: (stage) => ({ redirect: { status, to: to(stage) } }) },
		]);
		return toRows(`Redirect to ${name}`, Object.fromEntries(entries), MOVED);
	});
}

const atItems = (items: number[], variations: Variations): Variations =>
	mapValues(variations, ({ fault, ...rest }) => ({
		...rest,
		fault: (stage) => ({ ...fault?.(stage), siteId: items.map((item) => at(SITES, item)) }),
	}));

const atEverySite = ([name, variations]: [string, Variations]): [string, Variations] => [
	`${name} at every site`,
	atItems(ALL, variations),
];

const VIEWS: Record<string, INodeParameters> = {
	raw: { operation: 'get', simplify: false },
	simplified: { operation: 'get' },
	map: { operation: 'getMap', format: 'json' },
};

/** Values of all types in the place of fields, in each view of a site. */
function wrongFields(merge: (value: unknown) => Record<string, unknown>): Variations {
	const entries = Object.entries({ absent: undefined, ...wrongTypes(undefined) }).flatMap(
		([type, value]) =>
			Object.entries(VIEWS).map(([view, parameters]): [string, Variation] => [
				`${type}: ${view}`,
				{ parameters, fault: () => ({ merge: merge(value) }) },
			]),
	);
	return Object.fromEntries(entries);
}

/** A login that goes wrong and does not end the run: the first one, and one that renews a token. */
function harmlessLogin(fault: string, variations: Variations): Row[] {
	const common = { fault, variations, hit: [] };
	const first = { requests: ALL.length, logins: 1 };
	// Three tokens that last for two sites each, and two responses of 401
	const renewed = { requests: ALL.length + 2, logins: 3 };
	return [
		{ ...common, place: 'first login', stopped: first, continued: first },
		{ ...common, place: 'renewed login', stopped: renewed, continued: renewed },
	];
}

/** A login that fails: the first one, and one that renews a token after two sites have been read. */
function login(fault: string, variations: Variations, message: string, tries = 1): Row[] {
	const common = { fault, variations, message };
	return [
		{
			...common,
			place: 'first login',
			hit: ALL,
			// The items try in turn, and the last one finds out that the login fails
			stopsAt: tries - 1,
			stopped: { requests: 0, logins: tries },
			continued: { requests: 0, logins: tries },
		},
		{
			...common,
			place: 'renewed login',
			hit: ALL.slice(READ_BEFORE),
			stopped: { requests: 1, logins: 1 + tries },
			continued: { requests: READ_BEFORE + 1, logins: 1 + tries },
		},
	];
}

/** A response of the site endpoint that does no harm. */
function harmlessSite(
	fault: string,
	variations: Variations,
	more = { requests: 0, logins: 0 },
): Row {
	const counts = { requests: ALL.length + more.requests, logins: 1 + more.logins };
	return { place: 'site', fault, variations, hit: [], stopped: counts, continued: counts };
}

/** A response of the site endpoint that fails two of the five sites. */
function site(
	fault: string,
	variations: Variations,
	message: string,
	{ tries = 1, ...rest }: { tries?: number } & Partial<Row> = {},
): Row {
	return {
		place: 'site',
		fault,
		variations,
		message,
		hit: HIT,
		stopped: { requests: tries, logins: 1 },
		continued: { requests: ALL.length - HIT.length + HIT.length * tries, logins: 1 },
		...rest,
	};
}

/** A fault of the whole address: `first login` without a token, `site` with one that n8n has kept. */
function address(
	fault: string,
	credential: NonNullable<Variation['credential']>,
	message: string,
	mayPass = false,
): Row[] {
	const nothing = { requests: 0, logins: 0 };
	const common = { fault, message, hit: ALL, stopped: nothing, continued: nothing };
	// Where another login may help, the items try in turn
	const stopsAt = mayPass ? TRIES - 1 : undefined;
	const withToken = (stage: Stage) => ({ ...credential(stage), accessToken: 'kept-by-n8n' });
	return [
		{ ...common, place: 'first login', stopsAt, variations: { 'no token kept': { credential } } },
		{ ...common, place: 'site', variations: { 'a token kept': { credential: withToken } } },
	];
}

const NO_OBJECTS: Record<string, Fault['body']> = {
	broken: 'broken',
	text: { text: 'OK' },
	number: { json: 7 },
	boolean: { json: true },
	'text as JSON': { json: 'text' },
	list: { json: [{ siteId: 1, access_token: 'a' }] },
	'no UTF-8': new Uint8Array([0xff, 0xfe, 0x00, 0x7b]),
};
const WEB_PAGE = forms({ html: { body: 'html' }, '5 MB': { body: 'html', bytes: LONG } });
const SLOW_OR_LONG = forms({
	late: { latencyMs: 30 },
	'in pieces': { drip: { bytes: 100, everyMs: 1 } },
	'5 MB': { bytes: LONG },
});
const BROKEN_OFF = forms({
	cut: { connection: 'cut' },
	reset: { connection: 'reset' },
	'only status 103': { status: 103 },
});

const OTHER_REFUSALS = [402, 409, 410, 418, 422, 451, 499];

const LOGIN_ROWS: Row[] = [
	...login(...withoutPage(400, 401, 403), WRONG_LOGIN),
	...login(...withPage(400, 401, 403, ...OTHER_REFUSALS), REFUSED_BY_PAGE),
	...login(...status(404, 405), NO_LOGIN),
	...login(...withoutPage(...OTHER_REFUSALS), REFUSED_LOGIN),
	...login(...status(429), BUSY, TRIES),
	...login(...status(408, 500, 502, 503, 504, 520, 521, 522, 523, 524), UNAVAILABLE, TRIES),
	...login(...status(501, 505, 525, 599), UNAVAILABLE),
	...login(...status(300, 305, 399), MOVED),
	...login(...bodiless(101, 204, 304), NO_TOKEN),
	...redirects(login).flat(),
	...login('Status 200 with a web page', WEB_PAGE, LOGIN_PAGE),
	...login(
		'Status 200 with an empty, broken or other body',
		bodies({ ...NO_OBJECTS, empty: 'empty', null: { json: null }, object: { json: {} } }),
		NO_TOKEN,
	),
	...login('`access_token` of another type', merged('access_token', wrongTypes('text')), NO_TOKEN),
	...login(
		'`access_token` that is empty or fits in no header',
		merged('access_token', {
			empty: '',
			blank: ' ',
			'line break inside': 'abc\r\nX-Injected: 1',
			'line break at the end': 'abc\n',
			NUL: 'abc\u0000',
			'not ASCII': 'tøken',
			space: 'abc def',
		}),
		NO_TOKEN,
	),
	...login(
		'`token_type` that is not Bearer',
		merged('token_type', { ...wrongTypes(undefined), text: 'text', MAC: 'MAC' }),
		NO_TOKEN,
	),
	...harmlessLogin(
		'`expires_in` of another type, or any text',
		merged('expires_in', { ...wrongTypes('text'), empty: '', zero: '0', '-1': '-1', soon: 'soon' }),
	),
	...harmlessLogin('Slow, or a body of 5 MB', SLOW_OR_LONG),
	...login(
		'Connection cut in mid-body or reset, or closed after status 103',
		BROKEN_OFF,
		LOST,
		TRIES,
	),
];

/** A fault that is over after two requests. */
const TWICE = {
	fault: 'Twice status 408, 429, 500, 502, 503, 504, 520, cut or reset, then success',
	variations: forms({
		408: { status: 408, times: 2 },
		429: { status: 429, times: 2, retryAfter: 0 },
		500: { status: 500, times: 2 },
		502: { status: 502, times: 2 },
		503: { status: 503, times: 2, retryAfter: 0 },
		504: { status: 504, times: 2 },
		520: { status: 520, times: 2 },
		cut: { connection: 'cut', times: 2 },
		reset: { connection: 'reset', times: 2 },
	}),
};

const PASSING_ROWS: Row[] = [
	{
		...harmlessSite(TWICE.fault, TWICE.variations, { requests: 0, logins: 2 }),
		place: 'first login',
	},
	harmlessSite(TWICE.fault, TWICE.variations, { requests: 2, logins: 0 }),
];

const SITE_ROWS: Row[] = [
	site(...status(404), NOT_FOUND),
	site(...withoutPage(403), NO_ACCESS),
	site(...withPage(400, 403, 405, ...OTHER_REFUSALS), PAGE_REFUSES),
	site(...withoutPage(400, 405, ...OTHER_REFUSALS), REFUSED),
	site('Status 401 after another site was read', atItems(LATER, status(401)[1]), NO_ACCESS, {
		hit: LATER,
	}),
	site(...atEverySite(status(401)), REJECTED_TOKEN, {
		hit: ALL,
		// Three show that it is the token, the others are not requested
		continued: { requests: 3, logins: 1 },
	}),
	// The others get through, so this is not waited for without end
	site(...status(429), BUSY, { tries: TRIES_AT_LIMIT }),
	site(
		'Status 429 with `Retry-After` of an hour',
		forms({
			seconds: { status: 429, retryAfter: 3600 },
			date: { status: 429, retryAfter: { dateInSeconds: 3600 } },
		}),
		TOO_LONG,
		// The service is left alone
		{ hit: ALL, continued: { requests: 1, logins: 1 } },
	),
	site(
		'Status 503 with `Retry-After` of an hour',
		forms({
			seconds: { status: 503, retryAfter: 3600 },
			date: { status: 503, retryAfter: { dateInSeconds: 3600 } },
		}),
		TOO_LONG,
	),
	site(...status(408, 500, 502, 503, 504, 520, 521, 522, 523, 524), UNAVAILABLE, {
		tries: TRIES,
	}),
	site(...atEverySite(status(502, 503, 504)), UNAVAILABLE, {
		hit: ALL,
		// Too few for the service to be given up
		continued: { requests: ALL.length * TRIES, logins: 1 },
		tries: TRIES,
	}),
	site(...status(501, 505, 525, 599), UNAVAILABLE),
	site(...status(300, 305, 399), MOVED),
	site(...bodiless(101, 204, 304), EMPTY),
	...redirects(site),
	site('Status 200 with a web page', WEB_PAGE, PAGE_INSTEAD),
	site(
		'Status 200 with an empty body or null',
		bodies({ empty: 'empty', null: { json: null } }),
		EMPTY,
	),
	site('Status 200 with a body that is not an object', bodies(NO_OBJECTS), NOT_VALID),
];

const { siteId, info, units } = at(sampleSites(), 0);

const FIELD_ROWS: Row[] = [
	site('`siteId` of another type', merged('siteId', wrongTypes(siteId)), NOT_VALID),
	harmlessSite(
		'`siteName`, `info` and `units` of another type',
		wrongFields((value) => ({ siteName: value, info: value, units: value })),
	),
	harmlessSite(
		'All fields of `info` and of the units of another type',
		wrongFields((value) => ({
			info: mapValues(info, () => value),
			units: units.map((unit) => mapValues(unit, () => value)),
		})),
	),
	harmlessSite(
		'Units that are not objects',
		wrongFields((value) => ({ units: [value, ...units.slice(1), [], [[]]] })),
	),
];

const CONNECTION_ROWS: Row[] = [
	harmlessSite('Slow, or a body of 5 MB', SLOW_OR_LONG),
	site('No response within the timeout', forms({ hang: { connection: 'hang' } }), TOO_LATE, {
		tries: TRIES,
		// On a busy machine, a request takes its time to arrive
		timeout: 500,
	}),
	site('Connection cut in mid-body or reset, or closed after status 103', BROKEN_OFF, LOST, {
		tries: TRIES,
	}),
	harmlessSite(
		'Token runs out in mid-run',
		{ 'after two': { tokenLifetime: { uses: 2 } } },
		{ requests: 2, logins: 2 },
	),
	harmlessSite(
		'Token is good for one site',
		{ 'after one': { tokenLifetime: { uses: 1 } } },
		{ requests: 4, logins: 4 },
	),
	...address('Connection refused', () => ({ baseUrl: DESERTED }), REFUSED_CONNECTION, true),
	...address(
		'Unknown host',
		() => ({ baseUrl: 'https://no-such-host.invalid' }),
		UNKNOWN_HOST,
		true,
	),
	...address('Self-signed certificate', ({ tls }) => ({ baseUrl: tls.baseUrl }), NOT_TRUSTED),
	...address(
		'HTTP where HTTPS was expected',
		({ service }) => ({ baseUrl: service.baseUrl.replace('http:', 'https:') }),
		NO_HTTPS,
	),
	harmlessSite('Self-signed certificate, with **Ignore SSL Issues (Insecure)** turned on', {
		on: { credential: ({ tls }) => ({ baseUrl: tls.baseUrl, allowUnauthorizedCerts: true }) },
	}),
];

/** The fault matrix: each row is run with each form of its fault and each setting of **On Error**. */
export const TABLE: Row[] = [
	...LOGIN_ROWS,
	...PASSING_ROWS,
	...SITE_ROWS,
	...FIELD_ROWS,
	...CONNECTION_ROWS,
];
