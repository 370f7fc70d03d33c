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

function wrongField(message: string, action: string): ServiceFailure {
	const details = { subject: 'credential', scope: 'run' } as const;
	return new ServiceFailure(message, [inCredential(action)], details);
}

/** @throws ServiceFailure if it is empty: the service would count it as a failed login */
export function requireText(value: unknown, displayName: string): string {
	if (pastedText(value) !== '') return String(value);
	throw wrongField(`'${displayName}' is empty`, `enter '${displayName}'`);
}

function wrongAddress(mistake: string): ServiceFailure {
	const action = 'enter the address of the service alone, e.g. https://api.example.com';
	return wrongField(`'Base URL' ${mistake}`, action);
}

/** What is wrong with an address that fits. The first that fits counts. */
const MISTAKES: Array<[pattern: RegExp, message: string]> = [
	[/^$/, 'is empty'],
	// The URL parser would silently drop line breaks and turn backslashes into slashes
	[/[\s\p{Cc}\\]/u, 'contains a space, a line break, or a backslash'],
	[/^(?!https?:\/\/)/i, 'must start with https:// or http://'],
	[/^https?:\/*https?:/i, 'starts with https:// or http:// twice'],
	[/^https?:\/*[^/?#]*@/i, 'contains a username or password'],
	[/[?#]/, "contains a '?' or '#'"],
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
	for (const [pattern, mistake] of MISTAKES) if (pattern.test(address)) throw wrongAddress(mistake);
	const url = toUrl(address);
	if (!url) throw wrongAddress('is not a web address');
	// Last, because the URL parser resolves dots: `/auth/./token` is the token path too
	const path = url.pathname.replace(/(\/(auth\/token)?)+$/i, '');
	if (/\/meta(\/sites(\/.*)?)?$/i.test(path)) throw wrongAddress('is the address of site data');
	return `${url.origin}${path}`;
}
