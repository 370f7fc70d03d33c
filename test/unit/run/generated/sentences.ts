import type { Kind, Plan } from './plan';
import type { Outcome } from './play';

const SITE: [kinds: Kind[], sentence: RegExp][] = [
	[[401, 403], /^This user has no access to site \d/],
	[[404], /^Site \d+ was not found/],
	[[302], /^The service redirects to another address/],
	[[410], /^The service rejected the request for site \d+ \(status 410\)/],
	[[429], /^The service is receiving too many requests/],
	[['refused'], /^The service refused the connection/],
	[['reset'], /^The connection to the service was lost/],
	[['hang'], /^The service did not respond in time/],
	[
		['garbage'],
		/^(The response for site \d+ is (empty|not valid)|The service returned a web page)/,
	],
];

const LOGIN: [kinds: Kind[], sentence: RegExp][] = [
	[[401], /^The service rejected the username or password/],
	[['garbage'], /^The login response contains no access token/],
];

const WAIT = /^The service asked to retry after/;
const TOKEN = /^The service rejected a newly issued access token/;
const NOT_REQUESTED = /^Not requested because the service is/;

const UNAVAILABLE =
	/^The (?:service is unavailable|network proxy could not reach the service) \(status (\d+)\)/;

/** Whether this is the sentence of a site, or of a login, that failed so. */
export function tells(kind: Kind, message: string, sentences = SITE): boolean {
	const own =
		sentences.find(([kinds]) => kinds.includes(kind)) ??
		SITE.find(([kinds]) => kinds.includes(kind));
	return own ? own[1].test(message) : UNAVAILABLE.exec(message)?.[1] === String(kind);
}

export const isOfToken = (message: string): boolean => TOKEN.test(message);
export const isOfWait = (message: string): boolean => WAIT.test(message);

/** What tells whether a message of a site says what has come to pass in its run. */
export function truthOf(
	{ longestWait }: Plan,
	{ exchanges }: Outcome,
): (read: { message: string; siteId: number; run: number }) => boolean {
	const requested = new Set(exchanges.map(({ run, siteId }) => `${run} ${siteId}`));
	const kinds = { site: new Set<Kind>(), login: new Set<Kind>() };
	let isLongWait = false;
	for (const { siteId, came } of exchanges) {
		const [, kind = '', wait = '0'] = /^(\w+)(?: \(Retry-After (.*)\))?/.exec(came) ?? [];
		// A date says no more than that there was one
		isLongWait ||= wait.includes(':') || 1000 * Number(wait) > longestWait;
		kinds[siteId === 0 ? 'login' : 'site'].add(
			kind === 'timeout' ? 'hang' : Number(kind) || (kind as Kind),
		);
	}
	return ({ message, siteId, run }) =>
		(NOT_REQUESTED.test(message) && !requested.has(`${run} ${siteId}`)) ||
		(isLongWait && WAIT.test(message)) ||
		(kinds.site.has(401) && TOKEN.test(message)) ||
		[...kinds.site].some((kind) => tells(kind, message)) ||
		[...kinds.login].some((kind) => tells(kind, message, LOGIN));
}
