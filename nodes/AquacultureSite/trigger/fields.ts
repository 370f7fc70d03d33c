import type { INodeProperties } from 'n8n-workflow';

import { apiVersionField, parseApiVersion } from '../service/apiVersion';
import { ParameterError, toNumber } from '../site/parameters';
import { parseSiteIds, siteIdsField } from '../site/siteIds';
import { SITE_EVENTS } from './changes';
import type { CompareOptions, SiteEventName } from './changes';
import { parseIgnoredFields } from './ignoredFields';

/** The fields of the trigger's panel. */
export const triggerFields: INodeProperties[] = [
	siteIdsField,
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: [...SITE_EVENTS],
		options: [
			{
				name: 'Site Changed',
				value: 'siteChanged',
				description: 'A field of the site has a new value, e.g. its license or its position',
			},
			{ name: 'Unit Added', value: 'unitAdded', description: 'The site has a new unit' },
			{
				name: 'Unit Changed',
				value: 'unitChanged',
				description: 'A unit was renamed or moved, or another of its fields changed',
			},
			{
				name: 'Unit Removed',
				value: 'unitRemoved',
				description: 'A unit is no longer part of the site',
			},
		],
		description: 'The events that start the workflow',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			apiVersionField,
			{
				displayName: 'Ignore Fields',
				name: 'ignoreFields',
				type: 'string',
				default: '',
				placeholder: 'e.g. maxTotalBiomass, unitName',
				description:
					'Names of fields whose changes do not start the workflow, separated by commas, spaces or line breaks',
			},
			{
				displayName: 'Minimum Distance',
				name: 'minimumDistance',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description: 'Minimum distance in meters before a move counts. Smaller moves accumulate.',
			},
		],
	},
];

/** What the trigger is set to do. */
export interface Settings extends Required<CompareOptions> {
	siteIds: string[];
	events: SiteEventName[];
	apiVersion: string;
}

/**
 * Reads the trigger's parameters.
 *
 * @throws ParameterError, or n8n's own error if an expression fails
 */
export function parseSettings(parameter: (name: string, fallback?: unknown) => unknown): Settings {
	const { ignoreFields, minimumDistance, apiVersion } = parameter('options', {}) as Record<
		string,
		unknown
	>;
	return {
		siteIds: parseSiteIds(parameter('siteIds')),
		events: parameter('events', [...SITE_EVENTS]) as SiteEventName[],
		ignoreFields: parseIgnoredFields(ignoreFields),
		minimumDistance: parseMinimumDistance(minimumDistance),
		apiVersion: parseApiVersion(apiVersion),
	};
}

/**
 * The distance below which a move is not reported.
 *
 * @returns meters
 * @throws ParameterError if it is not a number, or negative
 */
export function parseMinimumDistance(value: unknown = 0): number {
	const number = toNumber(value);
	if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
	throw new ParameterError(
		"'Minimum Distance' is not a number of meters",
		"Correct it, e.g. 25, or remove 'Minimum Distance' from 'Options'.",
	);
}
