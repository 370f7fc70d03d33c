// The version of the interface: the current one, and the option that chooses another.
import type { INodeProperties } from 'n8n-workflow';

import { invalidValue } from '../../utils/parameters';
import type { Parameters } from '../../utils/parameters';

/** The current version of the service's interface, which the token request always uses (docs/service.md#versioning). */
export const API_VERSION = '2025-01-01';

/** The option of node and trigger that chooses another version. */
export const apiVersionField: INodeProperties = {
	displayName: 'API Version',
	name: 'apiVersion',
	type: 'options',
	default: API_VERSION,
	options: [
		{ name: '2025-01-01 (Current)', value: API_VERSION },
		{ name: '2023-01-01', value: '2023-01-01' },
	],
	description:
		'The version of the service to use. For another one, enter its date as an expression.',
};

/**
 * The interface version that was chosen, any date in the form YYYY-MM-DD (docs/service.md#versioning).
 *
 * @throws ParameterError if it is not a date
 */
export function parseApiVersion(options: Parameters): string {
	const value = options.raw(apiVersionField);
	const text = typeof value === 'string' ? value.trim() : '';
	// A day that no month has is null, or another one
	const isDate = JSON.stringify(new Date(text)).startsWith(`"${text}T`);
	if (isDate && /^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
	throw invalidValue(apiVersionField, value, 'a date as YYYY-MM-DD, e.g. 2025-01-01');
}
