import type { FailureSubject, Retry } from './failures';
import { inOptions, redirectTarget, spaceInPassword, tryHttps, tryLater } from './steps';
import type { RuleStep } from './steps';

/** What a response without a token or a site means. The first rule that fits applies. */
export interface ResponseRule {
	/** Of the status code; any without it. */
	status?: RegExp;
	/** Of the body; any without it. */
	body?: 'empty' | 'web page' | 'asks for HTTPS';
	subject: FailureSubject;
	/** `{site}` and `{status}` stand for the site and the status code. */
	message: string;
	advice: readonly RuleStep[];
	/** Whether a retry can help; no without it. */
	retry?: Retry;
}

const CHECK_BASE_URL = {
	inCredential: "check 'Base URL': it must be the address of the data service, not of its website.",
};
const OR_LOGIN_PAGE = "A proxy or your network's login page may be responding instead.";
const OR_FIREWALL =
	'A proxy or firewall may have sent the page instead of the service: ask your network administrator whether n8n may reach the service.';
const PAGE_REFUSES: RuleStep[] = [
	tryHttps,
	OR_FIREWALL,
	{ if: 'If it may', inCredential: "check 'Base URL', 'Username' and 'Password'." },
];
const NOT_RETRIED =
	'The same login is not retried for one minute, so that the account is not locked.';
const TRY_LATER = tryLater('contact the service operator.');

const UNAVAILABLE = {
	subject: 'service' as const,
	message: 'The service is unavailable (status {status})',
	advice: ['The problem is with the service, not your workflow.', TRY_LATER],
} satisfies Partial<ResponseRule>;

const COMMON_RULES: ResponseRule[] = [
	{
		// 304 is no redirect (RFC 9110, section 15.4.5): like any response without a body, it is no data
		status: /^3(?!04)/,
		subject: 'credential',
		message: 'The service redirects to another address',
		advice: [
			'The redirect was not followed.',
			{ if: 'If the service has moved', inCredential: "enter its new address in 'Base URL'." },
			"If it leads to your network's login page, ask your network administrator to let n8n through.",
			redirectTarget,
		],
	},
	{
		status: /^429/,
		subject: 'service',
		message: 'The service is receiving too many requests',
		advice: [
			tryLater('ask the service operator for a higher limit.'),
			inOptions(
				"Or run the workflow less often, request fewer sites at a time, or lower 'Max Concurrency' under 'Options'.",
			),
		],
		retry: 'rateLimited',
	},
	{
		// The service did not get the whole request in time (RFC 9110, section 15.5.9)
		status: /^408/,
		...UNAVAILABLE,
		retry: 'retry',
	},
	{
		// Only gateways and proxies send these (RFC 9110, sections 15.6.3 and 15.6.5)
		status: /^50[24]/,
		...UNAVAILABLE,
		advice: [
			'The problem is with the service or a proxy on the way to it, not your workflow.',
			TRY_LATER,
		],
		retry: 'retry',
	},
	{
		// Busy, or out of order (RFC 9110, section 15.6.4)
		status: /^503/,
		...UNAVAILABLE,
		retry: 'overloaded',
	},
	{
		// 520 to 524 are a content delivery network's: the service behind it gave no proper response
		status: /^(500|52[0-4])/,
		...UNAVAILABLE,
		retry: 'retry',
	},
	{
		status: /^[5-9]/,
		...UNAVAILABLE,
	},
];

/** The token endpoint; its status codes are not specified. */
export const TOKEN_RULES: ResponseRule[] = [
	{
		status: /^400/,
		body: 'asks for HTTPS',
		subject: 'credential',
		message: 'The service expects HTTPS at this address',
		advice: [{ inCredential: "enter https:// instead of http:// in 'Base URL'." }],
	},
	{
		status: /^40[013]/,
		body: 'web page',
		subject: 'credential',
		message: 'The login was refused with a web page (status {status})',
		advice: [...PAGE_REFUSES, NOT_RETRIED],
	},
	{
		status: /^40[013]/,
		subject: 'credential',
		message: 'The service rejected the username or password',
		advice: [
			spaceInPassword,
			{ inCredential: "re-enter 'Username' and 'Password', then save." },
			NOT_RETRIED,
		],
	},
	{
		status: /^40[45]/,
		subject: 'credential',
		message: 'No login endpoint was found at this address',
		advice: [{ inCredential: "check 'Base URL': this is not the address of the data service." }],
	},
	...COMMON_RULES,
	{
		status: /^4/,
		body: 'web page',
		subject: 'credential',
		message: 'The login was refused with a web page (status {status})',
		advice: PAGE_REFUSES,
	},
	{
		status: /^4/,
		subject: 'credential',
		message: 'The service refused the login (status {status})',
		advice: [
			{ inCredential: "check 'Base URL', 'Username' and 'Password'." },
			'If they are right, contact the service operator.',
		],
	},
	{
		body: 'web page',
		subject: 'credential',
		message: 'The login returned a web page',
		advice: [tryHttps, CHECK_BASE_URL, OR_LOGIN_PAGE],
	},
	{
		subject: 'credential',
		message: 'The login response contains no access token',
		advice: [CHECK_BASE_URL, 'If it is right, contact the service operator.'],
	},
];

/** A 401 with a token that was issued for this request. */
export const REJECTED_TOKEN: ResponseRule = {
	subject: 'credential',
	message: 'The service rejected a newly issued access token',
	advice: [
		'The login succeeded, but the renewed access token was rejected as well. Ask the service operator whether this user may read site data, and whether access tokens expire within seconds.',
	],
};

/** The site endpoint. */
export const SITE_RULES: ResponseRule[] = [
	{
		// Not of the others, whose pages often are the service's own
		status: /^4(?!01|04|08|29)/,
		body: 'web page',
		subject: 'site',
		message: 'Access to site {site} was refused with a web page (status {status})',
		advice: [OR_FIREWALL, 'If it may, ask the service operator for access to this site.'],
	},
	{
		status: /^40[13]/,
		subject: 'site',
		message: 'This user has no access to site {site}',
		advice: ['Ask the service operator for access, or remove the site ID.'],
	},
	{
		status: /^404/,
		subject: 'site',
		message: 'Site {site} was not found',
		advice: ['Check the site ID. The site does not exist, or this user may not see it.'],
	},
	...COMMON_RULES,
	{
		status: /^4/,
		subject: 'site',
		message: 'The service rejected the request for site {site} (status {status})',
		advice: ["Check the site ID, and 'API Version' under 'Options'."],
	},
	{
		body: 'empty',
		subject: 'site',
		message: 'The response for site {site} is empty',
		advice: [TRY_LATER],
	},
	{
		body: 'web page',
		subject: 'site',
		message: 'The service returned a web page instead of site {site}',
		advice: [CHECK_BASE_URL, OR_LOGIN_PAGE],
	},
	{
		subject: 'site',
		message: 'The response for site {site} is not valid',
		advice: ['It does not contain this site.', TRY_LATER],
	},
];

/** A forward proxy, or whatever else in the network is between n8n and the service. */
export const PROXY_RULES: ResponseRule[] = [
	{
		status: /^407/,
		subject: 'service',
		message: 'The network proxy requires a login (status {status})',
		advice: [
			'n8n reaches the service through a proxy. Ask your n8n administrator to check the username and password of the proxy in HTTP_PROXY and HTTPS_PROXY.',
		],
	},
	{
		status: /^511/,
		subject: 'service',
		message: 'The network requires a login (status {status})',
		advice: [
			'Ask your network administrator to let the machine that runs n8n through without a login page.',
		],
	},
	{
		status: /^50[234]/,
		retry: 'retry',
		subject: 'service',
		message: 'The network proxy could not reach the service (status {status})',
		advice: [
			{ inCredential: "check 'Base URL' for typos." },
			'If it is right, the cause may pass.',
			tryLater('ask your network administrator whether the proxy can reach this address.'),
		],
	},
	{
		status: /^403/,
		subject: 'service',
		message: 'A proxy or firewall blocked the request (status {status})',
		advice: [
			"Ask your network administrator to let n8n reach the address in 'Base URL'. Your login was not the reason.",
		],
	},
	{
		subject: 'service',
		message: 'A network proxy responded instead of the service (status {status})',
		advice: [
			"Ask your n8n administrator to check HTTP_PROXY and HTTPS_PROXY, and your network administrator to let n8n reach the address in 'Base URL'.",
		],
	},
];
