import {
	CONNECTION_RULES,
	type PROXY_RULES,
	type Rule,
	type SITE_RULES,
	type TEST_RULES,
	type TOKEN_RULES,
} from '../../../nodes/AquacultureSite/service/messages/rules';
import type { ServiceResponse } from '../../../nodes/AquacultureSite/service/messages/response';
import { type BodyKind, compose, DESERTED, type Fault } from '../fake-service/faults';
import { refusal } from '../fake-service/rules';
import type { Service } from '../fake-service/service';
import { at } from '../helpers/at';
import { sampleSites } from '../fake-service/sites';
import { wrongTypes } from './wrong-types';

/** What a service sends, in forms that mean the same. */
export interface Example {
	/** In the words of the documents. */
	what: string;
	forms: Record<string, Fault>;
}

/** What each rule of a table is for. */
type ExamplesOf<Rules> = Record<keyof Rules, Example[]>;

export function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U) {
	return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

const bodies = (named: Record<string, Fault['body']>) => mapValues(named, (body) => ({ body }));

const merged = (field: string, values: Record<string, unknown>) =>
	mapValues(values, (value) => ({ merge: { [field]: value } }));

/** Each status with each of these bodies. */
export function statuses(
	codes: number[],
	kinds: BodyKind[],
	suffix = '',
	fault: Fault = {},
): Example {
	const forms = codes.flatMap((status) =>
		kinds.map((body) => {
			// Or it would be waited for
			const retryAfter = [429, 503].includes(status) ? { retryAfter: 0 } : {};
			return [`${status} ${body}`, { status, body, ...retryAfter, ...fault }] as const;
		}),
	);
	return { what: `Status ${codes.join(', ')}${suffix}`, forms: Object.fromEntries(forms) };
}
export const status = (...codes: number[]) => statuses(codes, ['json', 'html', 'empty', 'broken']);
/** Without a page, which is often that of a firewall. */
const withoutPage = (...codes: number[]) => statuses(codes, ['json', 'empty', 'broken']);
const withPage = (...codes: number[]) => statuses(codes, ['html'], ' with a web page');
/** Responses that never have a body. */
const bodiless = (...codes: number[]) => statuses(codes, ['empty']);
const fromProxy = (...codes: number[]) =>
	statuses(codes, ['html'], ' from a proxy', {
		headers: { 'x-squid-error': 'ERR_ACCESS_DENIED 0' },
	});

const LONG = 5_000_000;
const WEB_PAGE: Example = {
	what: 'Status 200 with a web page',
	forms: { html: { body: 'html' }, '5 MB': { body: 'html', bytes: LONG } },
};
const NO_OBJECTS = bodies({
	broken: 'broken',
	text: { text: 'OK' },
	number: { json: 7 },
	boolean: { json: true },
	'text as JSON': { json: 'text' },
	list: { json: [{ siteId: 1, access_token: 'a' }] },
	'no UTF-8': new Uint8Array([0xff, 0xfe, 0x00, 0x7b]),
});
const OTHER_REFUSALS = [402, 409, 410, 418, 422, 451, 499];

const COMMON_EXAMPLES = {
	moved: [status(300, 305, 399)],
	rateLimited: [status(429)],
	unavailable: [
		status(408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 529, 599),
		// Retrying does not help
		status(501, 505),
	],
};

/** The token endpoint. */
export const TOKEN_EXAMPLES: ExamplesOf<typeof TOKEN_RULES> = {
	needsHttps: [
		{
			what: 'Plain HTTP at a port for HTTPS',
			forms: mapValues(
				{
					nginx:
						'<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>\r\n</html>\r\n',
					Apache:
						"<!DOCTYPE HTML>\n<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.</p>",
					Go: 'Client sent an HTTP request to an HTTPS server.\n',
					Tomcat: 'Bad Request\nThis combination of host and port requires TLS.\n',
				},
				(text) => ({ status: 400, body: { text } }),
			),
		},
	],
	noEndpoint: [status(404, 405)],
	...COMMON_EXAMPLES,
	refusedByPage: [withPage(400, 401, 402, 403, ...OTHER_REFUSALS.slice(1))],
	rejected: [withoutPage(400, 401, 403)],
	refused: [withoutPage(...OTHER_REFUSALS)],
	webPage: [WEB_PAGE],
	noToken: [
		bodiless(101, 204, 304),
		{
			what: 'Status 200 with an empty, broken or other body',
			forms: {
				...NO_OBJECTS,
				...bodies({ empty: 'empty', null: { json: null }, object: { json: {} } }),
			},
		},
		{
			what: '`access_token` of another type',
			forms: merged('access_token', wrongTypes('text')),
		},
		{
			what: '`access_token` that is empty or fits in no header',
			forms: merged('access_token', {
				empty: '',
				blank: ' ',
				'line break inside': 'abc\r\nX-Injected: 1',
				'line break at the end': 'abc\n',
				NUL: 'abc\u0000',
				DEL: 'abc\u007f',
				'not ASCII': 'tøken',
				space: 'abc def',
			}),
		},
		{
			what: '`token_type` that is not Bearer',
			forms: merged('token_type', { ...wrongTypes(undefined), text: 'text', MAC: 'MAC' }),
		},
	],
};

/** The site endpoint. A 401 has its meaning from what comes of other sites. */
export const SITE_EXAMPLES: ExamplesOf<typeof SITE_RULES> = {
	refusedByPage: [withPage(400, 402, 403, 405, ...OTHER_REFUSALS.slice(1))],
	noAccess: [withoutPage(403)],
	notFound: [status(404)],
	...COMMON_EXAMPLES,
	refused: [withoutPage(400, 405, ...OTHER_REFUSALS)],
	webPage: [WEB_PAGE],
	otherData: [
		bodiless(101, 204, 304),
		{
			what: 'Status 200 with an empty body or null',
			forms: bodies({ empty: 'empty', null: { json: null } }),
		},
		{ what: 'Status 200 with a body that is not an object', forms: NO_OBJECTS },
		{
			what: '`siteId` of another type',
			forms: merged('siteId', wrongTypes(at(sampleSites(), 0).siteId)),
		},
	],
};

/** The site endpoint, when the credential is tested. */
export const TEST_EXAMPLES: ExamplesOf<typeof TEST_RULES> = {
	...COMMON_EXAMPLES,
	webPage: [withPage(401, 403, 404), WEB_PAGE],
	rejectedToken: [
		withoutPage(401),
		statuses([403], ['json'], ' that names the token (`insufficient_scope`)', {
			headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
		}),
	],
	noSite: [
		withoutPage(402, 405, 423, 451),
		bodiless(204, 304),
		{ what: 'Status 200 with an empty body', forms: bodies({ empty: 'empty' }) },
		{ what: 'Status 200 with `{}`', forms: bodies({ object: { json: {} } }) },
		{ what: 'Status 200 with broken JSON', forms: bodies({ broken: 'broken' }) },
	],
};

/** A proxy that responds instead of either endpoint. */
export const PROXY_EXAMPLES: ExamplesOf<typeof PROXY_RULES> = {
	login: [status(407)],
	unreached: [fromProxy(502, 503, 504)],
	other: [fromProxy(400, 401, 403, 500), status(511)],
};

/** Addresses at which n8n does not get to the service: what stands in the credential for it. */
export const ADDRESSES: Array<
	[what: string, baseUrl: (at: Record<'service' | 'tls', Service>) => string, Rule]
> = [
	['Unknown host', () => 'https://no-such-host.invalid', CONNECTION_RULES.unknownHost],
	['Connection refused', () => DESERTED, CONNECTION_RULES.refused],
	['Self-signed certificate', ({ tls }) => tls.baseUrl, CONNECTION_RULES.badCertificate],
	[
		'`https://` for a service that uses HTTP',
		({ service }) => service.baseUrl.replace('http:', 'https:'),
		CONNECTION_RULES.noHttps,
	],
];

/** Codes of the network. */
export const CODES: Record<keyof typeof CONNECTION_RULES, string> = {
	unknownHost: 'ENOTFOUND EAI_AGAIN EAI_NODATA EAI_NONAME',
	refused: 'ECONNREFUSED',
	late: 'ETIMEDOUT ECONNABORTED ESOCKETTIMEDOUT ERR_CANCELED',
	noHttps: 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER',
	badCertificate:
		'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED ERR_TLS_HANDSHAKE',
	// The second line only contains one of the others
	lost:
		'ECONNRESET E_WHATEVER HPE_INVALID_CONSTANT ' +
		'ENOTFOUND_X X_ENOTFOUND ECONNREFUSED_X X_ECONNREFUSED ETIMEDOUT_X X_ETIMEDOUT EPROTO_X X_EPROTO X_ERR_SSL_Y X_ERR_TLS_Y',
};

/** What a request for a token and for the first sample site would be answered without a fault. */
const GOOD = { siteId: at(sampleSites(), 0).siteId, access_token: 'sample', token_type: 'Bearer' };

/** What the rule says of this status, and of this site. */
export const messageOf = ({ message }: Pick<Rule, 'message'>, status = 0, siteId = 1042) =>
	message.replace('{status}', String(status)).replace('{site}', String(siteId));

/** The response of a service with this fault, as n8n hands it on. */
export function responseOf(fault: Fault): ServiceResponse {
	const { status: code } = fault;
	const reply = code === undefined ? { status: 200, json: GOOD } : refusal(code, 'Out of order.');
	const { status, headers, body } = compose(reply, [fault]);
	return { statusCode: status, headers, body: parsed(body.toString()) };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
