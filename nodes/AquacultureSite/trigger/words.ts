/**
 * A text of the service for a sentence: one line without control characters, nor marks that turn the direction of
 * what follows, and not too long.
 *
 * @param longest characters
 */
export function tidy(text: string, longest: number): string {
	const line = text
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.replace(/[\p{Cf}\p{Cs}]/gu, '')
		.trim();
	// By code points, so that no character is cut in half
	const characters = Array.from(line);
	return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

/** "A", "A and B", "A, B, and C". */
export function joinList(parts: string[]): string {
	const [first = '', second] = parts;
	if (parts.length < 3) return second === undefined ? first : `${first} and ${second}`;
	return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
