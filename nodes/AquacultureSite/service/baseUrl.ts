import { ServiceFailure } from './failures';

/** The address of the service; `url` has no trailing slash. */
export interface BaseUrl {
	url: string;
	origin: string;
}

// Pasted from mails and documents: spaces that cannot be seen and that trim() leaves alone
const INVISIBLE = /[\u200B-\u200D\u2060\uFEFF]/g;

/** An address as the WHATWG URL parser reads it, or undefined where it is none. */
export function toUrl(address: string, base?: string): URL | undefined {
	// Not URL.canParse: in Node 20 it refuses names with letters such as ô once it has been called often
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}

function refuse(message: string, advice: string): never {
	throw new ServiceFailure(`'Base URL' ${message}`, `Open the credential and ${advice}`, {
		subject: 'credential',
	});
}

/**
 * Reads the base URL as people type it: surrounding spaces, trailing slashes and a pasted `/auth/token`
 * are removed.
 *
 * @throws ServiceFailure with a plain sentence for anything that is not an http or https address, and for one
 * with a login, a query or a fragment in it, which could send data elsewhere than it looks
 */
export function parseBaseUrl(text: unknown): BaseUrl {
	const address = typeof text === 'string' ? text.replace(INVISIBLE, '').trim() : '';
	if (address === '') {
		refuse('is empty', 'enter the address of the service, e.g. https://api.example.com');
	}
	// The URL parser would silently drop line breaks and turn backslashes into slashes
	if (/[\s\p{Cc}\\]/u.test(address)) {
		refuse(
			'contains a space, a line break or a backslash',
			"remove the space, line break or backslash from 'Base URL'.",
		);
	}
	if (!/^https?:\/\//i.test(address)) {
		refuse(
			'must start with https:// or http://',
			"add https:// in front of the address in 'Base URL', e.g. https://api.example.com",
		);
	}
	const url = toUrl(address);
	if (!url) return refuse('is not a web address', "check 'Base URL', e.g. https://api.example.com");
	if (url.username !== '' || url.password !== '') {
		refuse(
			'contains a username or password',
			"remove them from 'Base URL'. Use the fields 'Username' and 'Password' instead.",
		);
	}
	if (/[?#]/.test(address)) {
		refuse(
			"contains a '?' or '#'",
			"remove the '?' or '#' and everything after it from 'Base URL'.",
		);
	}
	// Last, because the URL parser resolves dots: `/auth/./token` is the token path too
	const path = url.pathname.replace(/(\/(auth\/token)?)+$/i, '');
	return { url: `${url.origin}${path}`, origin: url.origin };
}
