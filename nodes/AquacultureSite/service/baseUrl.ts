import { ServiceFailure } from './failures';
import { pastedText } from './pastedText';

/** The address of the service; `url` has no trailing slash. */
export interface BaseUrl {
	url: string;
	origin: string;
}

/** An address as the WHATWG URL parser reads it, or undefined if it is none. */
export function toUrl(address: string, base?: string): URL | undefined {
	// Not URL.canParse: in Node 20 it refuses names with letters such as ô once it has been called often
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}

function refuse(message: string, advice: string): never {
	throw new ServiceFailure(`'Base URL' ${message}`, [{ inCredential: advice }], {
		subject: 'credential',
	});
}

/**
 * Reads the base URL as people type it: surrounding spaces, trailing slashes and a pasted `/auth/token`
 * are ignored.
 *
 * @throws ServiceFailure with a plain sentence for anything that is not an http or https address, and for one
 * with a login, a query or a fragment in it, which could send data elsewhere than it looks
 */
export function parseBaseUrl(text: unknown): BaseUrl {
	const address = typeof text === 'string' ? pastedText(text) : '';
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
	if (/^https?:\/*https?:/i.test(address)) {
		refuse('starts with https:// or http:// twice', 'remove one of them.');
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
	const [sitePath] = /\/meta(\/sites(\/.*)?)?$/i.exec(path) ?? [];
	if (sitePath !== undefined) {
		refuse('is the address of site data', `remove '${sitePath}' from its end.`);
	}
	return { url: `${url.origin}${path}`, origin: url.origin };
}
