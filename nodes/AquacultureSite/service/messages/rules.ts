// What each response and each failed connection means for the user: the messages, as tables.
import { toUrl } from '../../utils/url';
import { inCredential, inOptions, tryLater } from './advice';
import type { Advice, Step } from './advice';
import { REJECTED_LOGIN } from './failures';
import type { FailureSubject } from './failures';

/** What has happened, and what to do then. */
export interface Rule {
	/** Fits the status code of a response, or an error code of the network; any without it. */
	code?: RegExp;
	/** Fits the body of a response; any without it. */
	body?: (body: unknown) => boolean;
	/** Who must do something. Without it, a failed login is about the credential, and a failed request about its site. */
	subject?: FailureSubject;
	/** Whether a failed connection fails for every site, and stays so. */
	isFinal?: boolean;
	/** `{site}` and `{status}` are replaced by the site and the status code. */
	message: string;
	advice: Advice;
}

/** By names for those who look one up. The first rule that fits applies; the last fits everything. */
export type Rules = Record<string, Rule>;

/** The rule for a response or for a failed connection, of which any of the codes may tell the cause. */
export function findRule(rules: Rules, codes: string[], body?: unknown): Rule {
	return Object.values(rules).find(
		({ code, body: fits }) =>
			(!code || codes.some((each) => code.test(each))) && (!fits || fits(body)),
	) as Rule;
}

const rule = (when: Partial<Rule>, message: string, advice: Advice): Rule => ({
	...when,
	message,
	advice,
});

const isTextWith = (pattern: RegExp) => (body: unknown) =>
	typeof body === 'string' && pattern.test(body);

export const isWebPage = isTextWith(/^\s*(<!doctype|<html|<\?xml|<head|<body)/i);

/** What nginx, Apache, Go and Tomcat say of plain HTTP on a port for HTTPS; all of them with status 400. */
const needsHttps = isTextWith(
	/plain HTTP request was sent to HTTPS port|plain HTTP to an SSL-enabled|HTTP request to an HTTPS server|host and port requires TLS/i,
);

const CHECK_BASE_URL = inCredential(
	"check 'Base URL': it must be the address of the data service, not of its website.",
);
const CHECK_OR_CALL = inCredential(
	"check 'Base URL'; if it is right, contact the service operator.",
);
const OR_FIREWALL =
	'A proxy or firewall may have sent the page instead of the service: ask your network administrator whether n8n may reach the service.';
const ASK_ABOUT_PROXY = tryLater(
	'ask your network administrator whether the proxy can reach this address.',
);
const TRY_LATER = tryLater('contact the service operator.');
const CALL_OR_FIREWALL = tryLater(
	'contact the service operator, or your network administrator if a proxy or firewall is between n8n and the service.',
);

/** A login that was sent to http:// may be one for https://. A site is requested after a login, so that is right then. */
const tryHttps: Step = ({ login }) =>
	login?.url.startsWith('http:') ? "Try https:// instead of http:// in 'Base URL'." : '';

/** A space is easily pasted along, and cannot be seen in the masked field. */
const spaceInPassword: Step = ({ login }) =>
	/^\s|\s$/.test(login?.password ?? '')
		? "'Password' begins or ends with a space: remove it, unless it belongs to the password."
		: '';

/** So that the account is not locked, see tokens.ts. */
const notRetried: Step = ({ statusCode = 0, again }) => {
	if (!REJECTED_LOGIN.includes(statusCode)) return '';
	// A published trigger does it again by itself
	const when = again === null ? 'retried less and less often' : 'not retried for one minute';
	return `The same login is ${when}, so that the account is not locked.`;
};

/** Where a redirect leads: the origin alone, because path and query may hold anything. */
const redirectTarget: Step = ({ location }) => {
	const target = typeof location === 'string' ? toUrl(location) : undefined;
	return target ? `It redirects to ${target.origin}` : '';
};

const WEB_PAGE = rule({ body: isWebPage }, 'The service returned a web page instead of data', [
	tryHttps,
	CHECK_BASE_URL,
	"A proxy or your network's login page may be responding instead.",
]);

const COMMON_RULES = {
	// 304 is no redirect (RFC 9110, section 15.4.5): like any response without a body, it is no data
	moved: rule(
		{ code: /^3(?!04)/, subject: 'credential' },
		'The service redirects to another address',
		[
			'The redirect was not followed.',
			inCredential("enter its new address in 'Base URL'.", 'If the service has moved'),
			"If it leads to your network's login page, ask your network administrator to let n8n through.",
			redirectTarget,
		],
	),
	rateLimited: rule(
		{ code: /^429/, subject: 'service' },
		'The service is receiving too many requests',
		[
			tryLater('ask the service operator for a higher limit.'),
			// Fewer requests side by side are no fewer requests, which is why 'Max Concurrency' is not named
			inOptions('Or run the workflow less often, or request fewer sites at a time.'),
		],
	),
	unavailable: rule(
		{ code: /^(408|425|[5-9])/, subject: 'service' },
		'The service is unavailable (status {status})',
		[
			'The problem is with the service, or with a proxy on the way to it, not with your workflow.',
			TRY_LATER,
		],
	),
} satisfies Rules;

/** The token endpoint; its status codes are not specified. */
export const TOKEN_RULES = {
	needsHttps: rule(
		{ code: /^400/, body: needsHttps },
		'The service expects HTTPS at this address',
		[inCredential("enter https:// instead of http:// in 'Base URL'.")],
	),
	noEndpoint: rule({ code: /^40[45]/ }, 'No login endpoint was found at this address', [
		CHECK_BASE_URL,
	]),
	...COMMON_RULES,
	refusedByPage: rule(
		{ code: /^4/, body: isWebPage },
		'The login was refused with a web page (status {status})',
		[
			tryHttps,
			OR_FIREWALL,
			inCredential("check 'Base URL', 'Username', and 'Password'.", 'If it may'),
			notRetried,
		],
	),
	rejected: rule({ code: /^40[013]/ }, 'The service rejected the username or password', [
		spaceInPassword,
		inCredential("re-enter 'Username' and 'Password', then save."),
		notRetried,
	]),
	refused: rule({ code: /^4/ }, 'The service refused the login (status {status})', [
		inCredential("check 'Base URL', 'Username', and 'Password'."),
		'If they are right, contact the service operator.',
	]),
	webPage: WEB_PAGE,
	noToken: rule({}, 'The login response contains no access token', [CHECK_OR_CALL]),
} satisfies Rules;

/** The site endpoint. */
export const SITE_RULES = {
	// Except 401, 404, 408, 425, and 429, whose pages are usually the service's own: add any other status of that kind here
	refusedByPage: rule(
		{ code: /^4(?!01|04|08|25|29)/, body: isWebPage },
		'Access to site {site} was refused with a web page (status {status})',
		[OR_FIREWALL, 'If it may, ask the service operator for access to this site.'],
	),
	noAccess: rule({ code: /^40[13]/ }, 'This user has no access to site {site}', [
		'Ask the service operator for access, or remove the site ID.',
	]),
	notFound: rule({ code: /^404/ }, 'Site {site} was not found', [
		'Check the site ID. The site does not exist, or this user may not see it.',
	]),
	...COMMON_RULES,
	refused: rule(
		{ code: /^4/ },
		'The service rejected the request for site {site} (status {status})',
		["Check the site ID, and 'API Version' under 'Options'."],
	),
	webPage: WEB_PAGE,
	otherData: rule({}, 'The response for site {site} is not valid', [
		'It does not contain this site.',
		TRY_LATER,
	]),
} satisfies Rules;

/** A 401 of the site endpoint with a token that was issued for this request. */
export const REJECTED_TOKEN_RULES = {
	rejectedToken: rule(
		{ code: /^40[13]/, subject: 'credential' },
		'The service rejected a newly issued access token',
		[
			'Ask the service operator whether this user may read site data, and whether access tokens expire within seconds.',
		],
	),
} satisfies Rules;

/** The site endpoint, for a site that nobody has asked for: why the credential is no good. */
export const TEST_RULES = {
	...COMMON_RULES,
	webPage: WEB_PAGE,
	...REJECTED_TOKEN_RULES,
	noSite: rule({}, 'The service sent no site data (status {status})', [CHECK_OR_CALL]),
} satisfies Rules;

/** A forward proxy, or whatever else in the network is between n8n and the service. */
export const PROXY_RULES = {
	login: rule({ code: /^407/ }, 'The network proxy requires a login (status {status})', [
		'Ask your n8n administrator to check the username and password of the proxy in HTTP_PROXY and HTTPS_PROXY.',
	]),
	unreached: rule(
		{ code: /^50[234]/ },
		'The network proxy could not reach the service (status {status})',
		[inCredential("check 'Base URL' for typos."), ASK_ABOUT_PROXY],
	),
	other: rule({}, 'A proxy or firewall responded instead of the service (status {status})', [
		"Ask your network administrator to let n8n reach the address in 'Base URL', and your n8n administrator to check HTTP_PROXY and HTTPS_PROXY. Your login was not the reason.",
	]),
} satisfies Rules;

/** What the network said of a request that got no complete response. */
export const CONNECTION_RULES = {
	unknownHost: rule(
		{ code: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/ },
		'The address of the service was not found',
		[
			inCredential("check 'Base URL' for typos."),
			'If it is right, check the network of the machine that runs n8n.',
		],
	),
	refused: rule({ code: /^ECONNREFUSED$/ }, 'The service refused the connection', [
		tryHttps,
		inCredential("check 'Base URL', including the port if it has one."),
		'If it is right, the service may be down.',
		TRY_LATER,
	]),
	// ERR_CANCELED: by our own time limit; a run that was stopped does not ask what went wrong
	late: rule(
		{ code: /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/ },
		'The service did not respond in time',
		[
			tryHttps,
			CALL_OR_FIREWALL,
			inOptions("If the service is known to be slow, increase 'Timeout' under 'Options'."),
		],
	),
	noHttps: rule(
		{ code: /^(EPROTO|ERR_SSL_.*)$/, isFinal: true },
		'The service does not use HTTPS at this address',
		[inCredential("check 'Base URL': it may need to start with http:// instead of https://.")],
	),
	badCertificate: rule(
		{ code: /CERT|^ERR_TLS_|SIGNATURE|ISSUER/, isFinal: true },
		"The service's certificate is not trusted",
		[
			'If the service or a proxy in your network uses its own certificate authority, ask your n8n administrator to add its certificate to NODE_EXTRA_CA_CERTS. Otherwise, ask the service operator for the right address.',
			inCredential(
				"turn on 'Ignore SSL Issues (Insecure)'.",
				'Only if you know that the service uses a self-signed certificate',
			),
		],
	),
	lost: rule({}, 'The connection to the service was lost', [tryHttps, CALL_OR_FIREWALL]),
} satisfies Rules;

/** Why a request did not get as far as the service. */
export const NOT_SENT_RULES = {
	proxyEnded: rule({}, 'The network proxy ended the connection', [ASK_ABOUT_PROXY]),
	proxyUnreached: rule({}, 'The network proxy cannot be reached', [
		({ proxy = '…' }) => `n8n is set up to reach the service through a proxy, ${proxy}.`,
		'Ask your n8n administrator to check HTTP_PROXY, HTTPS_PROXY, and ALL_PROXY.',
	]),
	// n8n blocked it, e.g. to protect internal addresses (SSRF protection)
	blocked: rule({ isFinal: true }, 'n8n did not send the request', [
		({ reason }) => (reason ? `n8n says: "${reason}".` : ''),
		'If the service is in your own network, ask your n8n administrator to add it to N8N_SSRF_ALLOWED_HOSTNAMES.',
	]),
} satisfies Rules;
