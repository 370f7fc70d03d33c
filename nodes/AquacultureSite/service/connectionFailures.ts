import { ServiceFailure } from './failures';
import type { FailureScope, Retry } from './failures';
import { inOptions, stepsFor, tryHttps, tryLater } from './steps';
import type { RuleStep } from './steps';

interface ConnectionRule {
	codes: RegExp;
	message: string;
	advice: readonly RuleStep[];
	retry: Retry;
}

const OR_FIREWALL = tryLater(
	'contact the service operator, or your network administrator if a proxy or firewall is between n8n and the service.',
);
const TURN_ON_IGNORE = {
	if: 'Only if you know that the service uses a self-signed certificate',
	inCredential: "turn on 'Ignore SSL Issues (Insecure)'.",
};

const CONNECTION_RULES: ConnectionRule[] = [
	{
		codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/,
		message: 'The address of the service was not found',
		advice: [
			{ inCredential: "check 'Base URL' for typos." },
			'If it is right, check the network of the machine that runs n8n.',
		],
		retry: 'retry',
	},
	{
		codes: /^ECONNREFUSED$/,
		message: 'The service refused the connection',
		advice: [
			tryHttps,
			{ inCredential: "check 'Base URL', including the port if it has one." },
			'If it is right, the service may be down.',
			tryLater('contact the service operator.'),
		],
		retry: 'retry',
	},
	{
		// ERR_CANCELED: by our own time limit; a run that was stopped does not ask what went wrong
		codes: /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/,
		message: 'The service did not respond in time',
		advice: [
			tryHttps,
			OR_FIREWALL,
			inOptions("If the service is known to be slow, increase 'Timeout' under 'Options'."),
		],
		retry: 'retry',
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'The service does not use HTTPS at this address',
		advice: [
			{
				inCredential: "check 'Base URL': it may need to start with http:// instead of https://.",
			},
		],
		retry: 'no',
	},
	{
		// An unknown authority: the service's own, or that of a proxy that looks into encrypted connections
		codes: /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF).*)$/,
		message: "The service's certificate is not trusted",
		advice: [
			'If the service or a proxy in your network uses its own certificate authority, ask your n8n administrator to add its certificate to NODE_EXTRA_CA_CERTS.',
			TURN_ON_IGNORE,
		],
		retry: 'no',
	},
	{
		codes: /CERT|^ERR_TLS_|SIGNATURE|ISSUER/,
		message: "The service's certificate is not trusted",
		advice: ['Ask the service operator for the right address.', TURN_ON_IGNORE],
		retry: 'no',
	},
];

const LOST_CONNECTION: Omit<ConnectionRule, 'codes'> = {
	message: 'The connection to the service was lost',
	advice: [tryHttps, OR_FIREWALL],
	retry: 'retry',
};

/**
 * Why a request got no complete response: unknown host, refused or lost connection, timeout, certificate.
 *
 * @param codes the error codes of the network, outermost first; any of them may tell the cause
 * @param baseUrl where the request went
 * @param scope 'run' for a login
 */
export function connectionFailure(
	codes: string[],
	baseUrl: string,
	scope: FailureScope = 'request',
): ServiceFailure {
	const { message, advice, retry } =
		CONNECTION_RULES.find((rule) => codes.some((code) => rule.codes.test(code))) ?? LOST_CONNECTION;
	const login = scope === 'run' ? { url: baseUrl } : undefined;
	return new ServiceFailure(
		message,
		[...stepsFor(advice, { login }), `The address is ${baseUrl}`],
		{
			subject: 'service',
			retry,
			// An address or a certificate that is wrong is wrong for every site
			scope: retry === 'no' ? 'run' : scope,
		},
	);
}

/**
 * Not the service but the proxy that n8n is set up to use could not be reached.
 *
 * @param proxy its host or address
 */
export function proxyUnreachable(proxy: string, scope: FailureScope = 'request'): ServiceFailure {
	return new ServiceFailure(
		'The network proxy cannot be reached',
		`n8n is set up to reach the service through a proxy, ${proxy}. Ask your n8n administrator to check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.`,
		{ subject: 'service', retry: 'retry', scope },
	);
}

/** A proxy ended the connection before there was one to the service (RFC 9110, section 9.3.6). */
export function proxyClosed(baseUrl: string, scope: FailureScope = 'request'): ServiceFailure {
	return new ServiceFailure(
		'The network proxy ended the connection',
		[
			{
				tryAgain: 'later',
				ifPersists: `ask your network administrator whether the proxy can reach ${baseUrl}`,
			},
		],
		{ subject: 'service', retry: 'retry', scope },
	);
}

/**
 * Not the network: n8n itself blocked the request, e.g. to protect internal addresses (SSRF protection).
 *
 * @param reason n8n's own words
 */
export function notSent(reason: string, baseUrl: string): ServiceFailure {
	const quote = reason === '' ? [] : [`n8n says: "${reason}".`];
	return new ServiceFailure(
		'n8n did not send the request',
		[...quote, `Check whether n8n is allowed to call ${baseUrl}`],
		{ subject: 'service', scope: 'run' },
	);
}
