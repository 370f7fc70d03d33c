import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { BodyKind, Fault } from '../fake-service/faults';
import type { TokenLifetime } from '../fake-service/rules';
import type { Service } from '../fake-service/service';
import { sampleSites } from '../fake-service/sites';

/** When the service fails: at the first login of a run, when a token has run out, or when a site is asked for. */
export type Place = 'first login' | 'renewed login' | 'site';

/** What stands around a cell. */
export interface Stage {
	service: Service;
	/** The same service over HTTPS, with a certificate that nobody vouches for. */
	tls: Service;
	/** Another origin, which must never be asked for anything. */
	elsewhere: Service;
	/** An address at which nothing listens. */
	deserted: string;
}

/** One form of a row's fault. */
export interface Variation {
	fault?: (stage: Stage) => Fault | Fault[];
	/** What is in the credential instead of the sample login. */
	credential?: (stage: Stage) => ICredentialDataDecryptedObject;
	tokenLifetime?: TokenLifetime;
	parameters?: INodeParameters;
	/** Stands for `{status}` in the message. */
	status?: number;
}

/** How often the service is asked. */
export interface Asked {
	/** Site requests; where the run stops, those for the site that stopped it. */
	requests: number;
	/** Token requests. */
	logins: number;
}

export interface Row {
	place: Place;
	fault: string;
	variations: Record<string, Variation>;
	/** Of each item that fails; `{site}` is its site. Without a message all items are kept. */
	message?: string;
	/** The items that fail. */
	hit: readonly number[];
	stopped: Asked;
	continued: Asked;
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
/** The items that are read before the first token has run out. */
const READ_BEFORE = 2;
const TRIES = 4;

const BODIES: BodyKind[] = ['json', 'html', 'empty', 'broken'];
const REDIRECTS = [301, 302, 303, 307, 308];
const LONG = 5_000_000;

const inCredential = (message: string) => `${message}: credential "${CREDENTIAL}"`;
const BROKE_OFF = 'The connection to the service was lost';
const UNABLE = 'The service is unavailable (status {status})';
const MOVED = inCredential('The service redirects to another address');
const BUSY = 'The service is receiving too many requests';
const NOT_A_TOKEN = inCredential('The login response contains no access token');
const WEB_PAGE_FOR_LOGIN = inCredential('The login returned a web page');
const UNREADABLE = 'The response for site {site} is not valid';

type Variations = Record<string, Variation>;

const just = (name: string, fault: Fault): Variations => ({ [name]: { fault: () => fault } });

/** Each status with each kind of body. */
function statuses(...codes: number[]): Variations {
	return Object.fromEntries(
		codes.flatMap((status) =>
			BODIES.map((body): [string, Variation] => [
				`${status} ${body}`,
				{ status, fault: () => ({ status, body, retryAfter: 0 }) },
			]),
		),
	);
}

/** Answers that never have a body. */
function bodiless(...codes: number[]): Variations {
	return Object.fromEntries(codes.map((status) => [status, { fault: () => ({ status }) }]));
}

function bodies(named: Record<string, Fault['body']>): Variations {
	return Object.fromEntries(
		Object.entries(named).map(([name, body]) => [name, { fault: () => ({ body }) }]),
	);
}

function redirects(to: (stage: Stage) => string): Variations {
	return Object.fromEntries(
		REDIRECTS.map((status) => [
			String(status),
			{ fault: (stage: Stage) => ({ redirect: { status, to: to(stage) } }) },
		]),
	);
}

/** JSON values of all types but the one that the field should have; undefined stands for an absent field. */
function wrongTypes(right: unknown): Array<[string, unknown]> {
	const values: Array<[string, unknown]> = [
		['absent', undefined],
		['null', null],
		['boolean', true],
		['number', -7.5],
		['text', 'text'],
		['empty text', ''],
		['list', [1, 'a', null, { b: [] }]],
		['object', { toString: 'a', valueOf: null, length: 1 }],
	];
	return values.filter(
		([, value]) => typeof value !== typeof right || Array.isArray(value) !== Array.isArray(right),
	);
}

const VIEWS: Record<string, INodeParameters> = {
	raw: { operation: 'get', output: 'raw' },
	simplified: { operation: 'get', output: 'simplified' },
	map: { operation: 'getGeoJson' },
};

/** Wrong types in one field of the answers, another one at each site but the last, in each view of a site. */
function wrongField(right: unknown, merge: (value: unknown) => Record<string, unknown>) {
	const types = wrongTypes(right);
	const atOnce = SITES.length - 1;
	const groups = [types.slice(0, atOnce), types.slice(-atOnce)];
	return Object.fromEntries(
		groups.flatMap((group) =>
			Object.entries(VIEWS).map(([view, parameters]): [string, Variation] => [
				`${group.map(([type]) => type).join()}: ${view}`,
				{
					parameters,
					fault: () =>
						group.map(([, value], index) => ({ siteId: SITES[index], merge: merge(value) })),
				},
			]),
		),
	);
}

interface LoginOutcome {
	message?: string;
	/** The answer will not change, or it may; then each item asks. */
	retried?: boolean;
}

/** A login that fails: the first one, and one that renews a token after two sites have been read. */
function login(fault: string, variations: Variations, { message, retried }: LoginOutcome): Row[] {
	const left = ALL.slice(READ_BEFORE);
	// Without retries, or their number would depend on which waiting item comes first
	const maxRetries = retried ? 0 : undefined;
	const rows: Row[] = [
		{
			place: 'first login',
			fault,
			variations,
			message,
			hit: message === undefined ? [] : ALL,
			// The next item has just begun when the first one stops the run
			stopped: { requests: 0, logins: retried ? 2 : 1 },
			continued: { requests: 0, logins: retried ? ALL.length : 1 },
			maxRetries,
		},
		{
			place: 'renewed login',
			fault,
			variations,
			message,
			hit: message === undefined ? [] : left,
			stopped: { requests: 1, logins: 2 },
			continued: {
				requests: READ_BEFORE + (retried ? left.length : 1),
				logins: 1 + (retried ? left.length : 1),
			},
			maxRetries,
		},
	];
	if (message !== undefined) return rows;
	// Nothing goes wrong: a token for all; or three tokens that last for two sites each, with two 401
	const asked = [
		{ requests: ALL.length, logins: 1 },
		{ requests: ALL.length + 2, logins: 3 },
	];
	return rows.map((row, index) => ({
		...row,
		stopped: asked[index]!,
		continued: asked[index]!,
	}));
}

/** An answer of the site endpoint that hits two of the five sites. */
function site(
	fault: string,
	variations: Variations,
	message: string | undefined,
	{ tries = 1, ...rest }: { tries?: number } & Partial<Row> = {},
): Row {
	const all = { requests: ALL.length, logins: 1 };
	return {
		place: 'site',
		fault,
		variations,
		message,
		hit: message === undefined ? [] : HIT,
		stopped: message === undefined ? all : { requests: tries, logins: 1 },
		continued: {
			requests: ALL.length - HIT.length + HIT.length * tries,
			logins: 1,
		},
		...rest,
	};
}

/** Faults of the whole address: `first login` without a token, `site` with one that n8n has kept. */
function address(
	fault: string,
	credential: NonNullable<Variation['credential']>,
	message: string,
	retried: boolean,
): Row[] {
	const nothing: Asked = { requests: 0, logins: 0 };
	const kept = (stage: Stage) => ({ ...credential(stage), accessToken: 'kept-by-n8n' });
	const common = {
		fault,
		message,
		hit: ALL,
		stopped: nothing,
		continued: nothing,
		maxRetries: retried ? 0 : undefined,
	};
	return [
		{ ...common, place: 'first login', variations: { 'no token kept': { credential } } },
		{ ...common, place: 'site', variations: { 'a token kept': { credential: kept } } },
	];
}

const [sampleSite] = sampleSites();
const [sampleUnit, ...otherUnits] = sampleSite!.units;

const LOGIN_ROWS: Row[] = [
	...login('Status 400, 401, 403: wrong username or password', statuses(400, 401, 403), {
		message: inCredential('The service rejected the username or password'),
	}),
	...login('Status 404, 405', statuses(404, 405), {
		message: inCredential('No login endpoint was found at this address'),
	}),
	...login('Other status 4xx', statuses(402, 408, 409, 410, 418, 422, 451, 499), {
		message: inCredential('The service refused the login (status {status})'),
	}),
	...login('Status 429', statuses(429), { message: BUSY, retried: true }),
	...login('Status 500, 501, 505, 520, 599', statuses(500, 501, 505, 520, 599), {
		message: UNABLE,
	}),
	...login('Status 502, 503, 504', statuses(502, 503, 504), { message: UNABLE, retried: true }),
	...login('Status 300, 305, 399 without an address', statuses(300, 305, 399), { message: MOVED }),
	...login(
		'Redirect to the same origin',
		redirects(({ service }) => `${service.origin}/auth/other`),
		{
			message: MOVED,
		},
	),
	...login(
		'Redirect to another origin',
		redirects(({ elsewhere }) => elsewhere.origin),
		{
			message: MOVED,
		},
	),
	...login(
		'Redirect to itself',
		redirects(({ service }) => service.origin),
		{ message: MOVED },
	),
	...login('Status 200 with a web page', bodies({ html: 'html' }), { message: WEB_PAGE_FOR_LOGIN }),
	...login(
		'Status 200 with an empty, broken or other body',
		bodies({
			empty: 'empty',
			broken: 'broken',
			text: 'text',
			null: { json: null },
			number: { json: 7 },
			'text as JSON': { json: 'token' },
			list: { json: [{ access_token: 'a' }] },
			object: { json: {} },
			'no UTF-8': new Uint8Array([0xff, 0xfe, 0x00, 0x7b]),
		}),
		{ message: NOT_A_TOKEN },
	),
	...login('Status 101, 204, 304', bodiless(101, 204, 304), { message: NOT_A_TOKEN }),
	...login('Status 103 and then nothing', just('103', { status: 103 }), {
		message: BROKE_OFF,
		retried: true,
	}),
	...login(
		'`access_token` of another type',
		Object.fromEntries(
			wrongTypes('text').map(([type, value]) => [
				type,
				{ fault: () => ({ merge: { access_token: value } }) },
			]),
		),
		{ message: NOT_A_TOKEN },
	),
	...login(
		'`access_token` that is empty or fits in no header',
		Object.fromEntries(
			Object.entries({
				empty: '',
				blank: ' ',
				'line break inside': 'abc\r\nX-Injected: 1',
				'line break at the end': 'abc\n',
				NUL: 'abc\u0000',
				'not ASCII': 'tøken',
				space: 'abc def',
			}).map(([name, value]) => [name, { fault: () => ({ merge: { access_token: value } }) }]),
		),
		{ message: NOT_A_TOKEN },
	),
	...login(
		'`token_type` that is not Bearer',
		Object.fromEntries(
			[...wrongTypes('text').slice(1), ['MAC', 'MAC'] as [string, unknown]].map(([type, value]) => [
				type,
				{ fault: () => ({ merge: { token_type: value } }) },
			]),
		),
		{ message: NOT_A_TOKEN },
	),
	...login(
		'`expires_in` of another type, or any text',
		Object.fromEntries(
			[
				...wrongTypes('text'),
				...['', '0', '-1', 'soon'].map((text): [string, unknown] => [`«${text}»`, text]),
			].map(([type, value]) => [type, { fault: () => ({ merge: { expires_in: value } }) }]),
		),
		{},
	),
	...login('Body of 5 MB with a token', just('5 MB', { bytes: LONG }), {}),
	...login('Body of 5 MB that is a web page', just('5 MB', { body: 'html', bytes: LONG }), {
		message: WEB_PAGE_FOR_LOGIN,
	}),
	...login(
		'Slow',
		{
			...just('late', { latencyMs: 30 }),
			...just('in pieces', { drip: { bytes: 40, everyMs: 1 } }),
		},
		{},
	),
	...login('Cut in mid-body', just('cut', { connection: 'cut' }), {
		message: BROKE_OFF,
		retried: true,
	}),
	...login('Connection reset', just('reset', { connection: 'reset' }), {
		message: BROKE_OFF,
		retried: true,
	}),
];

/** A fault that passes while the run asks again. */
const TWICE = {
	fault: 'Twice status 429, 502, 503, 504, cut or reset, then well',
	variations: {
		...Object.fromEntries(
			[429, 502, 503, 504].map((status) => [
				String(status),
				{ fault: () => ({ status, times: 2, retryAfter: 0 }) },
			]),
		),
		...just('cut', { connection: 'cut', times: 2 }),
		...just('reset', { connection: 'reset', times: 2 }),
	},
};

const PASSING_ROWS: Row[] = [
	{
		place: 'first login',
		...TWICE,
		hit: [],
		stopped: { requests: ALL.length, logins: 3 },
		continued: { requests: ALL.length, logins: 3 },
	},
	{
		place: 'site',
		...TWICE,
		hit: [],
		stopped: { requests: ALL.length + 2, logins: 1 },
		continued: { requests: ALL.length + 2, logins: 1 },
	},
];

const SITE_ROWS: Row[] = [
	site('Status 404', statuses(404), 'Site {site} was not found'),
	site('Status 403', statuses(403), 'This user has no access to site {site}'),
	{
		...site(
			'Status 401 for ever, at some sites',
			statuses(401),
			inCredential('The service rejected a newly issued access token'),
		),
		stopped: { requests: 2, logins: 2 },
		continued: { requests: ALL.length + HIT.length, logins: 1 + HIT.length },
	},
	{
		...site(
			'Status 401 for ever, at every site',
			{ 401: { fault: () => ({ status: 401, siteId: [...SITES] }) } },
			inCredential('The service rejected a newly issued access token'),
		),
		hit: ALL,
		stopped: { requests: 2, logins: 2 },
		// Three sites say it, the others are not asked any more
		continued: { requests: 6, logins: 4 },
	},
	site(
		'Other status 4xx',
		statuses(400, 402, 405, 408, 409, 410, 418, 422, 451, 499),
		'The service rejected the request for site {site} (status {status})',
	),
	{
		...site('Status 429 with `Retry-After: 0`, for ever', statuses(429), BUSY, { tries: TRIES }),
		// As long as others get through, the service limits the rate: that is no try
		stopped: { requests: TRIES + 2, logins: 1 },
		continued: { requests: ALL.length - HIT.length + HIT.length * TRIES + 2, logins: 1 },
	},
	{
		...site(
			'Status 429, 503 with `Retry-After` of an hour',
			{
				429: { fault: () => ({ status: 429, retryAfter: 3600 }) },
				503: { fault: () => ({ status: 503, retryAfter: 3600 }) },
				date: { fault: () => ({ status: 429, retryAfter: { dateInSeconds: 3600 } }) },
			},
			'The service asked for a wait of 60 minutes',
		),
		hit: ALL,
		stopped: { requests: 1, logins: 1 },
		// The service is left alone
		continued: { requests: 1, logins: 1 },
	},
	site('Status 500, 501, 505, 520, 599', statuses(500, 501, 505, 520, 599), UNABLE),
	site('Status 502, 503, 504', statuses(502, 503, 504), UNABLE, { tries: TRIES }),
	site('Status 300, 305, 399 without an address', statuses(300, 305, 399), MOVED),
	site(
		'Redirect to the same origin',
		redirects(({ service }) => `${service.origin}/meta/sites/${SITES[1]}`),
		MOVED,
	),
	site(
		'Redirect to another origin',
		redirects(({ elsewhere }) => elsewhere.origin),
		MOVED,
	),
	site(
		'Redirect to itself',
		redirects(({ service }) => service.origin),
		MOVED,
	),
	site('Status 103 and then nothing', just('103', { status: 103 }), BROKE_OFF, { tries: TRIES }),
	site(
		'Status 200 with a web page',
		bodies({ html: 'html' }),
		'The service returned a web page instead of site {site}',
	),
	site(
		'Status 200 with an empty body or null',
		bodies({ empty: 'empty', null: { json: null } }),
		'The response for site {site} is empty',
	),
	site('Status 101, 204, 304', bodiless(101, 204, 304), 'The response for site {site} is empty'),
	site(
		'Status 200 with a body that is no object',
		bodies({
			broken: 'broken',
			text: 'text',
			number: { json: 7 },
			boolean: { json: true },
			'text as JSON': { json: 'site' },
			list: { json: [{ siteId: 1 }] },
			'no UTF-8': new Uint8Array([0xff, 0xfe, 0x00, 0x7b]),
		}),
		UNREADABLE,
	),
	...['siteId', 'siteName', 'info', 'units'].map((field) =>
		site(
			`\`${field}\` of another type`,
			wrongField(sampleSite![field], (value) => ({ [field]: value })),
			undefined,
		),
	),
	...Object.entries(sampleSite!.info).map(([field, right]) =>
		site(
			`\`info.${field}\` of another type`,
			wrongField(right, (value) => ({ info: { ...sampleSite!.info, [field]: value } })),
			undefined,
		),
	),
	...Object.entries(sampleUnit!).map(([field, right]) =>
		site(
			`\`${field}\` of a unit of another type`,
			wrongField(right, (value) => ({
				units: [{ ...sampleUnit, [field]: value }, ...otherUnits],
			})),
			undefined,
		),
	),
	site(
		'Units that are no objects',
		wrongField([], (value) => ({ units: [value, ...otherUnits, [], [[]]] })),
		undefined,
	),
	site('Body of 5 MB that is a site', just('5 MB', { bytes: LONG }), undefined),
	site('Body of 5 MB that is no JSON', just('5 MB', { body: 'text', bytes: LONG }), UNREADABLE),
	site(
		'Slow',
		{
			...just('late', { latencyMs: 30 }),
			...just('in pieces', { drip: { bytes: 400, everyMs: 1 } }),
		},
		undefined,
	),
	site(
		'No answer within the timeout',
		just('hang', { connection: 'hang' }),
		'The service did not respond in time',
		{ tries: TRIES, timeout: 50 },
	),
	site('Cut in mid-body', just('cut', { connection: 'cut' }), BROKE_OFF, { tries: TRIES }),
	site('Connection reset', just('reset', { connection: 'reset' }), BROKE_OFF, { tries: TRIES }),
	{
		...site(
			'Token runs out in mid-run',
			{ 'after two': { tokenLifetime: { uses: 2 } } },
			undefined,
		),
		stopped: { requests: ALL.length + 2, logins: 3 },
		continued: { requests: ALL.length + 2, logins: 3 },
	},
	{
		...site(
			'Token is good for one site',
			{ 'after one': { tokenLifetime: { uses: 1 } } },
			undefined,
		),
		stopped: { requests: ALL.length + 4, logins: 5 },
		continued: { requests: ALL.length + 4, logins: 5 },
	},
];

const ADDRESS_ROWS: Row[] = [
	...address(
		'Connection refused',
		({ deserted }) => ({ baseUrl: deserted }),
		'Nothing is listening at the service address',
		true,
	),
	...address(
		'Host unknown',
		() => ({ baseUrl: 'https://no-such-host.invalid' }),
		'The address of the service was not found',
		true,
	),
	...address(
		'Certificate signed by itself',
		({ tls }) => ({ baseUrl: tls.baseUrl }),
		"The service's certificate is not trusted",
		false,
	),
	...address(
		'HTTP where HTTPS was expected',
		({ service }) => ({ baseUrl: service.baseUrl.replace('http:', 'https:') }),
		'The service does not use HTTPS at this address',
		false,
	),
	site(
		'Certificate signed by itself, «Ignore SSL Issues» on',
		{
			on: { credential: ({ tls }) => ({ baseUrl: tls.baseUrl, allowUnauthorizedCerts: true }) },
		},
		undefined,
	),
];

/** The fault matrix: each row is run with each form of its fault and each «On Error» setting. */
export const TABLE: Row[] = [...LOGIN_ROWS, ...PASSING_ROWS, ...SITE_ROWS, ...ADDRESS_ROWS];
