import type { ICredentialDataDecryptedObject, INodeParameters, OnError } from 'n8n-workflow';
import {
	CONNECTION_RULES,
	REJECTED_TOKEN_RULES,
	type Rule,
	SITE_RULES,
	TOKEN_RULES,
} from '../../../nodes/AquacultureSite/service/messages/rules';
import type { Fault } from '../fake-service/faults';
import type { TokenLifetime } from '../fake-service/rules';
import type { Service } from '../fake-service/service';
import { sampleSites } from '../fake-service/sites';
import { at, defined } from '../helpers/at';
import {
	ADDRESSES,
	type Example,
	mapValues,
	SITE_EXAMPLES,
	status,
	statuses,
	TOKEN_EXAMPLES,
} from './examples';
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

export interface Row {
	place: Place;
	fault: string;
	variations: Record<string, Variation>;
	/** Of each item that fails; `{site}` is its site. Without a message all items are kept. */
	message?: string;
	hit: readonly number[];
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
const LONG = 5_000_000;
const TOO_LONG = 'The service asked to retry after 60 minutes';

/** Of a rule. */
type Words = Pick<Rule, 'message' | 'subject'>;

/** The message, with the name of the credential if it is about that. */
const messageOf = ({ message, subject }: Words) =>
	subject === 'credential' ? `${message}: credential "${CREDENTIAL}"` : message;

type Variations = Record<string, Variation>;

const forms = (faults: Record<string, Fault>): Variations =>
	mapValues(faults, (fault) => ({ status: fault.status, fault: () => fault }));

/** A row, or several, for each example of each rule. */
function rowsOf<T>(
	examples: Record<string, Example[]>,
	rules: Record<string, Rule>,
	toRows: (fault: string, variations: Variations, rule: Rule) => T,
): T[] {
	return Object.entries(examples).flatMap(([name, ofRule]) =>
		ofRule.map(({ what, forms: faults }) => toRows(what, forms(faults), defined(rules[name]))),
	);
}

/** Rows for redirects to all kinds of targets. */
function redirects<T>(toRows: (fault: string, variations: Variations, rule: Rule) => T): T[] {
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
		return toRows(`Redirect to ${name}`, Object.fromEntries(entries), SITE_RULES.moved);
	});
}

const atItems = (items: number[], variations: Variations): Variations =>
	mapValues(variations, ({ fault, ...rest }) => ({
		...rest,
		fault: (stage) => ({ ...fault?.(stage), siteId: items.map((item) => at(SITES, item)) }),
	}));

const anHour = (code: number) =>
	forms({
		seconds: { status: code, retryAfter: 3600 },
		date: { status: code, retryAfter: { dateInSeconds: 3600 } },
	});

/** A fault that does no harm. */
const harmless = (place: Place, fault: string, variations: Variations): Row => {
	return { place, fault, variations, hit: [] };
};

/** A login that goes wrong and does not end the run: the first one, and those that renew a token, which lasts for two sites. */
const harmlessLogin = (fault: string, variations: Variations): Row[] => [
	harmless('first login', fault, variations),
	harmless('renewed login', fault, variations),
];

/** A login that fails: the first one, and one that renews a token after two sites have been read. */
function login(fault: string, variations: Variations, words: Words): Row[] {
	const message = messageOf({ subject: 'credential', ...words });
	const common = { fault, variations, message };
	return [
		{ ...common, place: 'first login', hit: ALL },
		{ ...common, place: 'renewed login', hit: ALL.slice(READ_BEFORE) },
	];
}

/** A response of the site endpoint that fails two of the five sites. */
function site(fault: string, variations: Variations, words: Words, rest: Partial<Row> = {}): Row {
	const message = messageOf(words);
	return { place: 'site', fault, variations, message, hit: HIT, ...rest };
}

/** A fault of the whole address: `first login` without a token, `site` with one that n8n has kept. */
function address(fault: string, baseUrl: (stage: Stage) => string, { message }: Words): Row[] {
	const common = { fault, message, hit: ALL };
	const credential = (stage: Stage) => ({ baseUrl: baseUrl(stage) });
	const withToken = (stage: Stage) => ({ ...credential(stage), accessToken: 'kept-by-n8n' });
	return [
		{ ...common, place: 'first login', variations: { 'no token kept': { credential } } },
		{ ...common, place: 'site', variations: { 'a token kept': { credential: withToken } } },
	];
}

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

const LOGIN_ROWS: Row[] = [
	...rowsOf(TOKEN_EXAMPLES, TOKEN_RULES, login).flat(),
	...redirects(login).flat(),
	...harmlessLogin(
		'`expires_in` of another type, or any text',
		forms(
			mapValues(
				{ ...wrongTypes('text'), empty: '', zero: '0', '-1': '-1', soon: 'soon' },
				(value) => ({ merge: { expires_in: value } }),
			),
		),
	),
	...harmlessLogin('Slow, or a body of 5 MB', SLOW_OR_LONG),
	...login('Connection cut in mid-body or reset, or closed after status 103', BROKEN_OFF, {
		subject: 'service',
		...CONNECTION_RULES.lost,
	}),
];

/** A fault that is over after two requests. */
const TWICE = {
	fault: 'Twice status 408, 429, 500, 502, 503, 504, 520, cut or reset, then success',
	variations: forms(
		mapValues(
			{
				...statuses([408, 429, 500, 502, 503, 504, 520], ['json']).forms,
				cut: { connection: 'cut' },
				reset: { connection: 'reset' },
			},
			(fault: Fault) => ({ ...fault, times: 2 }),
		),
	),
};

const PASSING_ROWS: Row[] = [
	harmless('first login', TWICE.fault, TWICE.variations),
	harmless('site', TWICE.fault, TWICE.variations),
];

const SITE_ROWS: Row[] = [
	...rowsOf(SITE_EXAMPLES, SITE_RULES, site),
	site(
		'Status 401 after another site was read',
		atItems(LATER, forms(status(401).forms)),
		SITE_RULES.noAccess,
		{ hit: LATER },
	),
	site(
		'Status 401 at every site',
		atItems(ALL, forms(status(401).forms)),
		REJECTED_TOKEN_RULES.rejectedToken,
		{ hit: ALL },
	),
	site('Status 429 with `Retry-After` of an hour', anHour(429), { message: TOO_LONG }),
	site('Status 503 with `Retry-After` of an hour', anHour(503), { message: TOO_LONG }),
	site(
		'Status 502, 503, 504 at every site',
		atItems(ALL, forms(status(502, 503, 504).forms)),
		SITE_RULES.unavailable,
		{ hit: ALL },
	),
	...redirects(site),
];

const CONNECTION_ROWS: Row[] = [
	harmless('site', 'Slow, or a body of 5 MB', SLOW_OR_LONG),
	site(
		'No response within the timeout',
		forms({ hang: { connection: 'hang' } }),
		CONNECTION_RULES.late,
		{ timeout: 500 },
	),
	site(
		'Connection cut in mid-body or reset, or closed after status 103',
		BROKEN_OFF,
		CONNECTION_RULES.lost,
	),
	harmless('site', 'Token runs out in mid-run', { 'after 2': { tokenLifetime: { uses: 2 } } }),
	harmless('site', 'Token is good for one site', { 'after 1': { tokenLifetime: { uses: 1 } } }),
	...ADDRESSES.flatMap((entry) => address(...entry)),
	harmless('site', 'Self-signed certificate, with **Ignore SSL Issues (Insecure)** turned on', {
		on: { credential: ({ tls }) => ({ baseUrl: tls.baseUrl, allowUnauthorizedCerts: true }) },
	}),
];

/** The fault matrix: each row is run with each form of its fault and each setting of **On Error**. */
export const TABLE: Row[] = [...LOGIN_ROWS, ...PASSING_ROWS, ...SITE_ROWS, ...CONNECTION_ROWS];

/** The node's setting **On Error**. */
export const SETTINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** An item that failed: its place among the input items, and the message. */
interface Failed {
	item: number;
	message: string;
}

/** What came of a run, and what the service saw of it. */
export interface Outcome {
	stopped?: Failed;
	kept: number[];
	failed: Failed[];
	/** Items of either kind that came out at the wrong output. */
	misplaced: number;
	elsewhere: number;
}

/** Of a run. How many of them each failure takes is judged in test/unit/run. */
export const MOST = { requests: 60, logins: 9 };

/** What the table says of a cell. Which of the sites fails first is up to the pauses: `stoppedAt`. */
export function expectedOutcome(
	row: Row,
	{ status }: Variation,
	onError: OnError,
	stoppedAt = row.hit[0],
): Outcome {
	const failed = row.hit.map((item) => ({
		item,
		message: `${row.message ?? ''} [item ${item}]`
			.replace('{site}', String(SITES[item]))
			.replace('{status}', String(status)),
	}));
	const stops = onError === 'stopWorkflow' && failed.length > 0;
	return {
		...(stops && { stopped: failed.find(({ item }) => item === stoppedAt) }),
		kept: stops ? [] : ALL.filter((item) => !row.hit.includes(item)),
		failed: stops ? [] : failed,
		misplaced: 0,
		elsewhere: 0,
	};
}
