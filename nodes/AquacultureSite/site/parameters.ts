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

/** A number that an expression may have given as text; anything else as it is. */
export function toNumber(value: unknown): unknown {
	return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}
