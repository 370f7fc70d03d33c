// Texts of the service, as plain text in a sentence.

/**
 * A text of the service for a sentence: one line, and not too long, without control characters, marks that turn the
 * direction of what follows, or markup. n8n renders hints and descriptions as HTML, and Slack reads `<!channel>`.
 *
 * @param longest characters
 */
export function plainText(text: string, longest = Infinity): string {
	const line = text
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.replace(/[\p{Cf}\p{Cs}]/gu, '')
		.trim();
	// By code points, so that no character is cut in half
	const characters = Array.from(withoutTags(line));
	if (characters.length > longest) characters.splice(longest - 1, Infinity, '…');
	return characters.join('');
}

/** A text of the same meaning in which nothing looks like a tag, however it is rendered. */
export function withoutTags(text: string): string {
	return text.replaceAll('<', '‹').replaceAll('>', '›');
}

/** A text that n8n's editor shows as it is: it renders hints and descriptions as HTML, with code in backticks. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * "A", "A and B", "A, B, and C". Not by `Intl`, which takes longer to load than the rest of this package.
 *
 * @param most how many to name: "A, B, and 7 more"
 */
export function joinList(parts: string[], most = Infinity): string {
	const more = parts.length - most;
	if (more > 0) return joinList([...parts.slice(0, most), `${more} more`]);
	const [first = '', second] = parts;
	if (parts.length < 3) return second === undefined ? first : `${first} and ${second}`;
	return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

/** A name or ID as text, also one of another type than the contract says; undefined for null and undefined. */
export function asText(value: unknown): string | undefined {
	if (value === null) return undefined;
	return typeof value === 'string' ? value : JSON.stringify(value);
}
