// Reads the base URL as people type it.
import { toUrl } from '../../utils/url';
import { inCredential } from '../messages/advice';
import { ServiceFailure } from '../messages/failures';
import { pastedText } from './pastedText';

/** What is wrong with an address that fits, and what to do. The first that fits counts. */
const MISTAKES: Array<[pattern: RegExp, message: string, advice: string]> = [
	[/^$/, 'is empty', 'enter the address of the service, e.g. https://api.example.com'],
	[
		// The URL parser would silently drop line breaks and turn backslashes into slashes
		/[\s\p{Cc}\\]/u,
		'contains a space, a line break, or a backslash',
		"remove the space, line break, or backslash from 'Base URL'.",
	],
	[
		/^(?!https?:\/\/)/i,
		'must start with https:// or http://',
		"add https:// in front of the address in 'Base URL', e.g. https://api.example.com",
	],
	[/^https?:\/*https?:/i, 'starts with https:// or http:// twice', 'remove one of them.'],
	[
		/^https?:\/*[^/?#]*@/i,
		'contains a username or password',
		"remove them from 'Base URL'. Use the fields 'Username' and 'Password' instead.",
	],
	[
		/[?#]/,
		"contains a '?' or '#'",
		"remove the '?' or '#' and everything after it from 'Base URL'.",
	],
];

/**
 * The address of the service, without a trailing slash. Surrounding spaces, trailing slashes and a pasted
 * `/auth/token` are ignored.
 *
 * @throws ServiceFailure with a plain sentence for anything that is not an http or https address, and for one
 * with a login, a query or a fragment in it, which could send data elsewhere than it looks
 */
export function parseBaseUrl(text: unknown): string {
	const address = pastedText(text);
	for (const [pattern, message, advice] of MISTAKES) {
		if (pattern.test(address)) refuse(message, advice);
	}
	const url = toUrl(address);
	if (!url) return refuse('is not a web address', "check 'Base URL', e.g. https://api.example.com");
	// Last, because the URL parser resolves dots: `/auth/./token` is the token path too
	const path = url.pathname.replace(/(\/(auth\/token)?)+$/i, '');
	const [sitePath] = /\/meta(\/sites(\/.*)?)?$/i.exec(path) ?? [];
	if (sitePath) refuse('is the address of site data', `remove '${sitePath}' from its end.`);
	return `${url.origin}${path}`;
}

function refuse(message: string, advice: string): never {
	throw new ServiceFailure(`'Base URL' ${message}`, [inCredential(advice)], {
		subject: 'credential',
	});
}
