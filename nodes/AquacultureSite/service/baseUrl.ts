import { ServiceFailure } from './failures';

/** The address of the service, `url` without a slash at its end. */
export interface BaseUrl {
	url: string;
	origin: string;
}

// Pasted from mails and documents: spaces that cannot be seen and that trim() leaves alone
const INVISIBLE = /[\u200B-\u200D\u2060\uFEFF]/g;

/** An address as the WHATWG URL parser reads it, or undefined where it is none. */
export function toUrl(address: string, base?: string): URL | undefined {
	// Not by URL.canParse: in Node 20 it refuses names with letters such as ô, once it has been called often
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}

function refuse(message: string, advice: string): never {
	throw new ServiceFailure(`'Base URL' ${message}`, `Open the credential and ${advice}`, {
		about: 'credential',
	});
}

/**
 * Reads the base URL as people type it: spaces around it, slashes at its end and a pasted `/auth/token`
 * are taken away.
 *
 * @throws ServiceFailure with a plain sentence for anything that is no http or https address, and for one
 * with a login, a query or a fragment in it, which could send data elsewhere than it looks
 */
export function parseBaseUrl(text: unknown): BaseUrl {
	const address = typeof text === 'string' ? text.replace(INVISIBLE, '').trim() : '';
	if (address === '') {
		refuse('is empty', 'fill in the address of the service, e.g. https://api.example.com');
	}
	// The URL parser would silently drop line breaks and turn backslashes round
	if (/[\s\p{Cc}\\]/u.test(address)) {
		refuse('holds a space, a line break or a backslash', "take it out of 'Base URL'.");
	}
	if (!/^https?:\/\//i.test(address)) {
		refuse(
			'has to begin with https:// or http://',
			"put it in front of the address in 'Base URL', e.g. https://api.example.com",
		);
	}
	const url = toUrl(address);
	if (!url) refuse('is not a web address', "check 'Base URL', e.g. https://api.example.com");
	if (url.username !== '' || url.password !== '') {
		refuse('holds a login', "take it out: 'Username' and 'Password' have fields of their own.");
	}
	if (/[?#]/.test(address)) {
		refuse("holds a '?' or '#'", 'take it and everything behind it out.');
	}
	// Last, because the URL parser resolves dots: `/auth/./token` is the token path, too
	const path = url.pathname.replace(/(\/(auth\/token)?)+$/i, '');
	return { url: `${url.origin}${path}`, origin: url.origin };
}
