// Reads the fields of the credential as people type and paste them.
import { toUrl } from '../../utils/url';
import { inCredential } from '../messages/advice';
import { ServiceFailure } from '../messages/failures';

// Spaces and direction marks of mails and documents, which cannot be seen and which trim() leaves alone
const INVISIBLE = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A field of the credential without the spaces around it and the invisible characters that copying adds; '' if it is no text. */
export function pastedText(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' ? text.replace(INVISIBLE, '').trim() : '';
}

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
