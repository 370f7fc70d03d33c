// Spaces and direction marks of mails and documents, which cannot be seen and which trim() leaves alone
const INVISIBLE = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** A field of the credential without the spaces around it and the invisible characters that copying adds; '' if it is no text. */
export function pastedText(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' ? text.replace(INVISIBLE, '').trim() : '';
}
