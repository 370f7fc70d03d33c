import type { INodeProperties } from 'n8n-workflow';

import { ParameterError } from '../site/parameters';

/** The current version of the service's interface, which the token request always uses (docs/service.md#versioning). */
export const API_VERSION = '2025-01-01';

/** The option of node and trigger that chooses another version. */
export const apiVersionField: INodeProperties = {
	displayName: 'API Version',
	name: 'apiVersion',
	type: 'string',
	default: API_VERSION,
	placeholder: 'e.g. 2023-01-01',
	description:
		'The version of the service to use, as a date (YYYY-MM-DD). 2025-01-01 is current; 2023-01-01 is also known.',
};

/**
 * The interface version that was chosen, a date in the form YYYY-MM-DD (docs/service.md#versioning).
 *
 * @throws ParameterError where it is not a date
 */
export function parseApiVersion(value: unknown = API_VERSION): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : new Date(NaN);
	if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)) return text;
	throw new ParameterError(
		"'API Version' is not a date",
		"Enter a date as YYYY-MM-DD, e.g. 2025-01-01, or remove 'API Version' from 'Options'.",
	);
}
