import { ParameterError } from '../../../nodes/AquacultureSite/utils/parameters';

/** What a value comes to: the result, or the sentence that it is refused with. Anything else is thrown on. */
export function attempt<T>(parse: () => T): T | ParameterError {
	try {
		return parse();
	} catch (error) {
		if (error instanceof ParameterError) return error;
		throw error;
	}
}

/**
 * Why a parameter is refused.
 * @throws where it is accepted
 */
export function refusalOf(parse: () => unknown): ParameterError {
	const result = attempt(parse);
	if (result instanceof ParameterError) return result;
	throw new Error(`Accepted as ${JSON.stringify(result)}`);
}
