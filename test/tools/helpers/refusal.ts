import { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import { ParameterError } from '../../../nodes/AquacultureSite/utils/parameters';

type Refusal = ParameterError | ServiceFailure;

/** What a value comes to: the result, or the sentence that it is refused with. Anything else is thrown on. */
export function attempt<T>(parse: () => T): T | Refusal {
	try {
		return parse();
	} catch (error) {
		if (error instanceof ParameterError || error instanceof ServiceFailure) return error;
		throw error;
	}
}

/**
 * Why a parameter is refused.
 * @throws where it is accepted
 */
export function refusalOf(parse: () => unknown): Refusal {
	const result = attempt(parse);
	if (result instanceof Error) return result as Refusal;
	throw new Error(`Accepted as ${JSON.stringify(result)}`);
}
