import { plainText } from '../site/plainText';

const MESSAGE_KEYS = ['message', 'error', 'title', 'detail', 'error_description', 'errors'];
const LONGEST_MESSAGE = 300;

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

/** The forms in which a service may repeat a secret. */
function encodingsOf(secret: unknown): string[] {
	if (typeof secret === 'number') return encodingsOf(String(secret));
	if (typeof secret !== 'string' || secret === '') return [];
	const bytes = Buffer.from(secret);
	// By way of the bytes: encodeURIComponent throws at half a character
	const urlEncoded = encodeURIComponent(bytes.toString());
	const formEncoded = new URLSearchParams([['', secret]]).toString().slice(1);
	const inUrls = [urlEncoded, urlEncoded.replace(/%20/g, '+'), formEncoded];
	return [
		secret,
		...inUrls,
		...inUrls.map((text) => text.replace(/%../g, (code) => code.toLowerCase())),
		bytes.toString('base64').replace(/=+$/, ''),
		bytes.toString('base64url'),
		JSON.stringify(secret).slice(1, -1),
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
	// Not shortened yet, so that no part of a secret is left
	let text = plainText(findMessage(body) ?? '', Infinity);
	const encodings = secrets.flatMap(encodingsOf).map((encoding) => plainText(encoding, Infinity));
	// The longest first, so that none hides a part of another
	for (const encoding of encodings.sort((a, b) => b.length - a.length)) {
		if (encoding !== '') text = text.split(encoding).join('•••');
	}
	return plainText(text, LONGEST_MESSAGE);
}
