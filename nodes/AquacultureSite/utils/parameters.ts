import { asText, plainText } from './text';

/** A parameter that cannot be used. `message` names it as the panel does, `description` says how to fix it. */
export class ParameterError extends Error {
	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
		this.name = 'ParameterError';
	}
}

/**
 * A number under 'Options'; an expression may give it as text.
 *
 * @param expected what it must be, for the message, e.g. "a number of meters"
 * @throws ParameterError
 */
export function parseNumber(
	value: unknown,
	displayName: string,
	expected: string,
	isValid: (number: number) => boolean,
): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && isValid(number)) return number;
	throw new ParameterError(
		`'${displayName}' is not ${expected}`,
		`Correct it, or remove '${displayName}' from 'Options'.`,
	);
}

/**
 * The entries of a list as people have it: separated by commas, semicolons, spaces or line breaks, also in brackets and
 * quotes, or an array from an expression.
 */
export function listEntries(value: unknown): string[] {
	return [value]
		.flat(Infinity)
		.flatMap((entry) =>
			typeof entry === 'string'
				? plainText(entry, Infinity).split(/[ ,;[\]"']+/)
				: (asText(entry) ?? ''),
		)
		.filter((entry) => entry !== '');
}
