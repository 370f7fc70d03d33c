import { toAdvice } from './advice';
import { ServiceFailure } from './failures';
import type { FailureScope, Retry } from './failures';

interface ConnectionRule {
	codes: RegExp;
	message: string;
	/** `{later}` as in {@link toAdvice}. */
	advice: string;
	optionAdvice?: string;
	retry: Retry;
}

const OR_FIREWALL =
	'{later}, contact the service operator, or your network administrator if a proxy or firewall is between n8n and the service.';
const TURN_ON_IGNORE =
	"Only if you know that the service uses a self-signed certificate, open the credential and turn on 'Ignore SSL Issues (Insecure)'.";

const CONNECTION_RULES: ConnectionRule[] = [
	{
		codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/,
		message: 'The address of the service was not found',
		advice:
			"Open the credential and check 'Base URL' for typos. If it is right, check the network of the machine that runs n8n.",
		retry: 'retry',
	},
	{
		codes: /^ECONNREFUSED$/,
		message: 'Nothing is listening at the service address',
		advice:
			"Open the credential and check 'Base URL', including the port if it has one. If it is right, the service may be down. {later}, contact the service operator.",
		retry: 'retry',
	},
	{
		// ERR_CANCELED: by our own time limit; a run that was stopped does not ask what went wrong
		codes: /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/,
		message: 'The service did not respond in time',
		advice: OR_FIREWALL,
		optionAdvice: "If the service is known to be slow, increase 'Timeout' under 'Options'.",
		retry: 'retry',
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'The service does not use HTTPS at this address',
		advice:
			"Open the credential and check 'Base URL': it may need to start with http:// instead of https://.",
		retry: 'no',
	},
	{
		// An unknown authority: the service's own, or that of a proxy that looks into encrypted connections
		codes: /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF).*)$/,
		message: "The service's certificate is not trusted",
		advice: `If the service or a proxy in your network uses certificates of its own authority, ask your n8n administrator to add that to NODE_EXTRA_CA_CERTS. ${TURN_ON_IGNORE}`,
		retry: 'no',
	},
	{
		codes: /CERT|^ERR_TLS_|SIGNATURE|ISSUER/,
		message: "The service's certificate is not trusted",
		advice: `Ask the service operator for the right address. ${TURN_ON_IGNORE}`,
		retry: 'no',
	},
];

const LOST_CONNECTION: Omit<ConnectionRule, 'codes'> = {
	message: 'The connection to the service was lost',
	advice: OR_FIREWALL,
	retry: 'retry',
};

/**
 * Why a request got no complete response: unknown host, refused or lost connection, timeout, certificate.
 *
 * @param codes the error codes of the network, outermost first; any of them may tell the cause
 * @param baseUrl where the request went, for the description
 */
export function connectionFailure(
	codes: string[],
	baseUrl: string,
	scope: FailureScope = 'request',
): ServiceFailure {
	const { message, advice, optionAdvice, retry } =
		CONNECTION_RULES.find((rule) => codes.some((code) => rule.codes.test(code))) ?? LOST_CONNECTION;
	return new ServiceFailure(message, toAdvice(`${advice} The address is {baseUrl}`, { baseUrl }), {
		subject: 'service',
		retry,
		// An address or a certificate that is wrong is wrong for every site
		scope: retry === 'no' ? 'run' : scope,
		// The options are those of a request for a site; a login has a time limit of its own
		optionAdvice: scope === 'run' ? undefined : optionAdvice,
	});
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
		toAdvice('{later}, ask your network administrator whether the proxy can reach {baseUrl}', {
			baseUrl,
		}),
		{ subject: 'service', retry: 'retry', scope },
	);
}

/**
 * Not the network: n8n itself held the request back, e.g. to protect internal addresses.
 *
 * @param reason n8n's own words
 */
export function notSent(reason: string, baseUrl: string): ServiceFailure {
	const quote = reason === '' ? '' : `n8n says: "${reason}". `;
	return new ServiceFailure(
		'n8n did not send the request',
		`${quote}Check whether n8n is allowed to call ${baseUrl}`,
		{ subject: 'service', scope: 'run' },
	);
}
