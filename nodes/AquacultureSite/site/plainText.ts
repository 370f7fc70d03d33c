/**
 * A text of the service for a sentence: one line, and not too long, without control characters, marks that turn the
 * direction of what follows, or markup. n8n renders hints and descriptions as HTML, and Slack reads `<!channel>`.
 *
 * @param longest characters
 */
export function plainText(text: string, longest: number): string {
	const line = text
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.replace(/[\p{Cf}\p{Cs}]/gu, '')
		.trim();
	return shorten(withoutTags(line), longest);
}

/** A text of the same meaning in which nothing looks like a tag, however it is rendered. */
export function withoutTags(text: string): string {
	return text.replaceAll('<', '‹').replaceAll('>', '›');
}

/** A text that n8n's editor shows as it is: it renders hints and descriptions as HTML, with code in backticks. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function shorten(text: string, longest: number): string {
	if (text.length <= longest) return text;
	// By code points, so that no character is cut in half
	const characters = Array.from(text);
	return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

/** "A", "A and B", "A, B, and C". */
export function joinList(parts: string[]): string {
	const [first = '', second] = parts;
	if (parts.length < 3) return second === undefined ? first : `${first} and ${second}`;
	return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
