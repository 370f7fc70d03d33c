// Finds the service's own message in a response.
import { asText, plainText } from '../../utils/text';

const MESSAGE_KEYS = ['message', 'error', 'title', 'detail', 'error_description', 'errors'];
const LONGEST_MESSAGE = 300;

/** All texts of a list, or the first one of an object's usual fields. */
function textIn(value: unknown, depth = 0): string {
	if (typeof value === 'string') return value;
	if (depth > 4 || value === null || typeof value !== 'object') return '';
	const fields = value as Record<string, unknown>;
	const texts = (Array.isArray(value) ? value : MESSAGE_KEYS.map((key) => fields[key]))
		.map((each) => textIn(each, depth + 1))
		.filter((text) => text.trim() !== '');
	return Array.isArray(value) ? texts.join('; ') : (texts[0] ?? '');
}

/** The forms in which a service may repeat a secret. */
function encodingsOf(secret: unknown): string[] {
	const text = asText(secret) ?? '';
	const bytes = Buffer.from(text);
	// By way of the bytes: encodeURIComponent throws at half a character
	const urlEncoded = encodeURIComponent(bytes.toString());
	const formEncoded = new URLSearchParams([['', text]]).toString().slice(1);
	const inUrls = [urlEncoded, urlEncoded.replace(/%20/g, '+'), formEncoded];
	return [
		text,
		...inUrls,
		...inUrls.map((url) => url.replace(/%../g, (code) => code.toLowerCase())),
		bytes.toString('base64').replaceAll('=', ''),
		bytes.toString('base64url'),
		JSON.stringify(text).slice(1, -1),
	];
}

/**
 * The service's own words in the body of a refusal, or '' if it says nothing. The shape of such a body is
 * not specified (docs/service.md#errors), so the usual fields are searched, nested ones too. It is plain text, because
 * n8n's HTTP Request node renders the description of a failed login as HTML.
 *
 * @param secrets texts that must not be repeated if the service echoes them
 */
export function serverMessage(body: unknown, secrets: unknown[] = []): string {
	if (typeof body === 'string') return '';
	// Not shortened yet, so that no part of a secret is left
	let text = plainText(textIn(body));
	const encodings = secrets.flatMap(encodingsOf).map((encoding) => plainText(encoding));
	// The longest first, so that none hides a part of another
	for (const encoding of encodings.sort((a, b) => b.length - a.length)) {
		if (encoding !== '') text = text.replaceAll(encoding, '•••');
	}
	return plainText(text, LONGEST_MESSAGE);
}
