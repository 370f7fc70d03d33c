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
