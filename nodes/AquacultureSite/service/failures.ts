/** A parameter that cannot be used. `message` names it by its display name, `description` says how to mend it. */
export class ParameterError extends Error {
	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
		this.name = 'ParameterError';
	}
}

/** What a failure is about: the credential someone has to open, one site, or the service as a whole. */
export type FailureSubject = 'credential' | 'site' | 'service';

/**
 * Whether asking again can help.
 * `no`: the answer will not change. `again`: the connection or a gateway failed.
 * `slower`: the service is overloaded or limits the rate, so the whole run has to slow down.
 */
export type Retry = 'no' | 'again' | 'slower';

interface FailureDetails {
	about: FailureSubject;
	retry?: Retry;
	/** The status code of the answer, where there was one. */
	httpStatus?: number;
	/** Milliseconds the service asked to wait (Retry-After), where it did. */
	retryAfter?: number;
}

/**
 * Something that kept us from the data, told for the person who has to mend it: `message` says what
 * happened, `description` what to do now. Holds neither a secret nor the failed request itself.
 *
 * Its status is called `httpStatus` because n8n replaces the message of any error that carries `status`,
 * `statusCode` or `httpCode` with a text of its own.
 */
export class ServiceFailure extends Error {
	readonly about: FailureSubject;

	readonly retry: Retry;

	readonly httpStatus?: number;

	readonly retryAfter?: number;

	constructor(
		message: string,
		readonly description: string,
		{ about, retry = 'no', httpStatus, retryAfter }: FailureDetails,
	) {
		super(message);
		this.name = 'ServiceFailure';
		this.about = about;
		this.retry = retry;
		this.httpStatus = httpStatus;
		this.retryAfter = retryAfter;
	}
}

/** Why a login failed, by the credential that n8n handed on: n8n 1.x loses the error that was thrown. */
export const loginFailures = new WeakMap<object, ServiceFailure>();

/** An answer of the service. Header names are in lower case. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

const MESSAGE_KEYS = ['message', 'error', 'title', 'detail', 'error_description', 'errors'];
const LONGEST_QUOTE = 300;

function findMessage(body: unknown, depth = 0): string | undefined {
	if (depth > 4 || body === null || typeof body !== 'object') return undefined;
	if (Array.isArray(body)) {
		const texts = body.map((entry) =>
			typeof entry === 'string' ? entry : findMessage(entry, depth + 1),
		);
		return texts.filter((text) => text?.trim()).join('; ') || undefined;
	}
	const fields = body as Record<string, unknown>;
	for (const key of MESSAGE_KEYS) {
		const value = fields[key];
		const text = typeof value === 'string' ? value : findMessage(value, depth + 1);
		if (text?.trim()) return text;
	}
	return undefined;
}

/**
 * The service's own words from the body of a refusal, as a sentence to append to a description; empty
 * where it says nothing. service.md, «Errors», gives no shape, so the usual fields are looked through,
 * nested ones too.
 *
 * @param secrets texts that must not be repeated, should the service echo them
 */
export function serviceSays(body: unknown, secrets: unknown[] = []): string {
	let text = findMessage(body);
	if (text === undefined) return '';
	for (const secret of secrets) {
		if (typeof secret === 'string' && secret !== '') text = text.split(secret).join('•••');
	}
	// Control characters have no place in a sentence
	text = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	if (text === '') return '';
	if (text.length > LONGEST_QUOTE) text = `${text.slice(0, LONGEST_QUOTE)}…`;
	return ` The service says: "${text}"`;
}

/**
 * Retry-After in milliseconds: a number of seconds or an HTTP-date (RFC 9110, section 10.2.3);
 * undefined where it is absent or neither.
 */
export function parseRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	const text = typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	// Every HTTP-date has the name of a day and a time; Date.parse alone would take «Later 5» for a date
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
	// The asctime form names no zone and is in GMT all the same
	const date = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A time span as a person says it: «45 seconds», «10 minutes», «2 hours». */
export function duration(milliseconds: number): string {
	const seconds = Math.max(1, Math.round(milliseconds / 1000));
	const [count, unit] =
		seconds < 120
			? [seconds, 'second']
			: seconds < 7200
				? [Math.round(seconds / 60), 'minute']
				: [Math.round(seconds / 3600), 'hour'];
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function looksLikeWebPage(body: unknown): boolean {
	return typeof body === 'string' && /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(body);
}

/** The status codes at which the service is worth asking again, and how. */
function retryFor(statusCode: number): Retry {
	if (statusCode === 429 || statusCode === 503) return 'slower';
	return statusCode === 502 || statusCode === 504 ? 'again' : 'no';
}

/** The failures that token endpoint and site endpoint have in common; undefined where the status is none of them. */
function commonFailure(
	{ statusCode, headers, body }: Answer,
	secrets: unknown[],
): ServiceFailure | undefined {
	const said = serviceSays(body, secrets);
	const details = {
		about: 'service' as const,
		httpStatus: statusCode,
		retry: retryFor(statusCode),
		retryAfter: parseRetryAfter(headers['retry-after']),
	};
	// 304 is no redirect (RFC 9110, section 15.4.5): like any answer without a body, it is no data
	if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
		return new ServiceFailure(
			'The service points to another address',
			`Nothing was sent there. If the service has moved, open the credential and put its new address into 'Base URL'.${redirectTarget(headers.location)}`,
			{ ...details, about: 'credential' },
		);
	}
	if (statusCode === 429) {
		const wait = details.retryAfter;
		return new ServiceFailure(
			'The service is receiving too many requests',
			`${wait === undefined ? '' : `It asked to wait ${duration(wait)}. `}Run the workflow less often, ask for fewer sites at once or lower 'Max Concurrency'.${said}`,
			details,
		);
	}
	if (statusCode >= 500) {
		const wait =
			details.retryAfter === undefined ? '' : ` It asked to wait ${duration(details.retryAfter)}.`;
		return new ServiceFailure(
			`The service is not able to answer at the moment (status ${statusCode})`,
			`This lies with the service, not with your workflow.${wait} Run the workflow again later, and tell the service operator if it stays like this.${said}`,
			details,
		);
	}
	return undefined;
}

function redirectTarget(location: unknown): string {
	try {
		// The origin alone: paths and queries of a redirect may hold anything
		return ` It points to ${new URL(String(location)).origin}`;
	} catch {
		return '';
	}
}

/**
 * Why an answer of the token endpoint gives no token (service.md, «Obtain an access token»).
 * The endpoint's error codes are not specified; 400, 401 and 403 are taken for a refusal.
 */
export function tokenFailure(answer: Answer, secrets: unknown[]): ServiceFailure {
	const { statusCode, body } = answer;
	const said = serviceSays(body, secrets);
	if ([400, 401, 403].includes(statusCode)) {
		return new ServiceFailure(
			'The service did not accept the username and password',
			`Open the credential, type 'Username' and 'Password' again and save. The same login is not tried again within a minute, so that the account does not get locked.${said}`,
			{ about: 'credential', httpStatus: statusCode },
		);
	}
	if (statusCode === 404 || statusCode === 405) {
		return new ServiceFailure(
			'There is no login at the address of the service',
			`Open the credential and check 'Base URL': it is the address in front of '/auth/token'.${said}`,
			{ about: 'credential', httpStatus: statusCode },
		);
	}
	const common = commonFailure(answer, secrets);
	if (common) return common;
	if (statusCode >= 400) {
		return new ServiceFailure(
			`The service did not give access (status ${statusCode})`,
			`Open the credential and check 'Base URL', 'Username' and 'Password'. If they are right, ask the service operator.${said}`,
			{ about: 'credential', httpStatus: statusCode },
		);
	}
	return new ServiceFailure(
		looksLikeWebPage(body)
			? 'The address answered the login with a web page'
			: 'The answer to the login holds no access token',
		"Open the credential and check 'Base URL': it is the address of the data service, not of its website. If it is right, ask the service operator.",
		{ about: 'credential' },
	);
}

/** Why the site endpoint's answer gives no site (service.md, «Get a site»); undefined where it does. */
export function siteFailure(
	siteId: string,
	answer: Answer,
	secrets: unknown[],
): ServiceFailure | undefined {
	const { statusCode, body } = answer;
	const said = serviceSays(body, secrets);
	const about = { about: 'site' as const, httpStatus: statusCode };
	if (statusCode === 401) {
		return new ServiceFailure(
			'The service does not accept its own access token',
			`The login worked, a renewed access token was refused all the same. Ask the service operator whether this user may read site data.${said}`,
			{ about: 'credential', httpStatus: statusCode },
		);
	}
	if (statusCode === 403) {
		return new ServiceFailure(
			`Site ${siteId} is not open to this user`,
			`Ask the service operator for access to the site, or take its ID out of the list.${said}`,
			about,
		);
	}
	if (statusCode === 404) {
		return new ServiceFailure(
			`Site ${siteId} was not found`,
			`Check the site ID. The service knows no such site, or does not show it to this user.${said}`,
			about,
		);
	}
	const common = commonFailure(answer, secrets);
	if (common) return common;
	if (statusCode >= 400) {
		return new ServiceFailure(
			`The service did not accept the request for site ${siteId} (status ${statusCode})`,
			`Check the site ID, and 'API Version' under 'Options'.${said}`,
			about,
		);
	}
	if (body !== null && typeof body === 'object' && !Array.isArray(body)) {
		if (!(body instanceof Uint8Array)) return undefined;
	}
	if (body === undefined || body === null || body === '') {
		return new ServiceFailure(
			`The answer for site ${siteId} is empty`,
			'Run the workflow again later. If it stays like this, tell the service operator.',
			about,
		);
	}
	if (looksLikeWebPage(body)) {
		return new ServiceFailure(
			`Instead of site ${siteId} a web page was sent`,
			"Open the credential and check 'Base URL': it is the address of the data service, not of its website. A proxy or a login page of your network may be in between as well.",
			about,
		);
	}
	return new ServiceFailure(
		`The answer for site ${siteId} cannot be read`,
		'It is not the description of a site. Run the workflow again later. If it stays like this, tell the service operator.',
		about,
	);
}

interface ConnectionRule {
	codes: RegExp;
	message: string;
	advice: string;
	retry: Retry;
}

const CONNECTION_RULES: ConnectionRule[] = [
	{
		codes: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/,
		message: 'The address of the service is not known',
		advice:
			"Open the credential and check 'Base URL' for typing slips. If it is right, check the network of the machine that n8n runs on.",
		retry: 'again',
	},
	{
		codes: /^ECONNREFUSED$/,
		message: 'Nothing answers at the address of the service',
		advice:
			"Open the credential and check 'Base URL', also the port if it has one. If it is right, the service may be down: run the workflow again later.",
		retry: 'again',
	},
	{
		// ERR_CANCELED: by our own time limit; a run that was stopped does not ask what went wrong
		codes: /^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/,
		message: 'The service did not answer in time',
		advice:
			"Run the workflow again later. If the service is known to be slow, raise 'Timeout' under 'Options'.",
		retry: 'again',
	},
	{
		codes: /^(EPROTO|ERR_SSL_.*)$/,
		message: 'The service does not speak HTTPS at this address',
		advice: "Open the credential and check 'Base URL': it may have to begin with http://",
		retry: 'no',
	},
	{
		codes: /CERT|^ERR_TLS_|SIGNATURE|ISSUER/,
		message: "The service's certificate is not trusted",
		advice:
			"Ask the service operator for the right address. Only if you know that the service uses a certificate of its own, open the credential and switch on 'Ignore SSL Issues (Insecure)'.",
		retry: 'no',
	},
];

const BROKEN_CONNECTION: Omit<ConnectionRule, 'codes'> = {
	message: 'The connection to the service broke off',
	advice: 'Run the workflow again later. If it stays like this, tell the service operator.',
	retry: 'again',
};

function errorCodes(error: unknown, depth = 0): string[] {
	if (depth > 5 || error === null || typeof error !== 'object') return [];
	// n8n 1.x keeps the code of the network under this name, and nothing else of the error
	const { code, httpCode, cause, errors } = error as Record<string, unknown>;
	return [
		...[code, httpCode].filter(
			(value): value is string => typeof value === 'string' && /^[A-Z]/.test(value),
		),
		...errorCodes(cause, depth + 1),
		...(Array.isArray(errors) ? errors.flatMap((entry) => errorCodes(entry, depth + 1)) : []),
	];
}

/**
 * The sentence for a request that got no whole answer: unknown host, refused or broken connection, time-out,
 * certificate. Nothing of the original error but its code is looked at, because it carries the request.
 *
 * @param baseUrl where the request went, for the description
 */
export function connectionFailure(error: unknown, baseUrl: string): ServiceFailure {
	const codes = errorCodes(error);
	if (codes.length === 0) {
		// Not the network: n8n itself kept the request back, e.g. by its protection of internal addresses
		const reason = error instanceof Error ? ` n8n says: "${error.message}"` : '';
		return new ServiceFailure(
			'n8n did not send the request',
			`Check whether n8n may call the address ${baseUrl}${reason}`,
			{ about: 'service' },
		);
	}
	const { message, advice, retry } =
		CONNECTION_RULES.find((rule) => codes.some((code) => rule.codes.test(code))) ??
		BROKEN_CONNECTION;
	return new ServiceFailure(message, `${advice} The address is ${baseUrl}`, {
		about: 'service',
		retry,
	});
}
