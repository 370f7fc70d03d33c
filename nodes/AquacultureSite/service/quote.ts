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

/** The forms in which a service may repeat a secret. */
function spellingsOf(secret: unknown): string[] {
	if (typeof secret === 'number') return spellingsOf(String(secret));
	if (typeof secret !== 'string' || secret === '') return [];
	const bytes = Buffer.from(secret);
	// By way of the bytes: encodeURIComponent throws where half a character is left over
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
 * The service's own words in the body of a refusal, or '' where it says nothing. The shape of such a body is
 * not specified (docs/service.md#errors), so the usual fields are searched, nested ones too.
 *
 * @param secrets texts that must not be repeated if the service echoes them
 */
export function quoteOf(body: unknown, secrets: unknown[] = []): string {
	let text = findMessage(body) ?? '';
	// The longest first, so that none hides a part of another
	const spellings = secrets.flatMap(spellingsOf).sort((a, b) => b.length - a.length);
	for (const spelling of spellings) text = text.split(spelling).join('•••');
	// Control characters have no place in a sentence
	text = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
