import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { siteFields } from '../../../nodes/AquacultureSite/operations';

/** What saved workflows depend on: name, type, default, and all else but the texts that people read. */
export type Field = [name: string, type: string, preset: unknown, rest?: object];

/** The fields of a panel without their texts; of their choices the values. */
export function fieldsOf(properties: INodeProperties[]): Field[] {
	return properties.map(
		({ name, type, default: preset, displayName, description, placeholder, hint, ...rest }) => {
			const options = rest.options?.flatMap((option): unknown[] =>
				'type' in option ? fieldsOf([option]) : 'value' in option ? [option.value] : [option],
			);
			const others = options ? { ...rest, options } : rest;
			return Object.keys(others).length > 0 ? [name, type, preset, others] : [name, type, preset];
		},
	);
}

/** The operations of the node, as its panel lists them. */
export const OPERATIONS = siteFields
	.filter(({ name }) => name === 'operation')
	.flatMap(({ options = [] }) => options as Array<INodePropertyOptions & { value: string }>);

/** Their values. */
export const ALL_OPERATIONS = OPERATIONS.map(({ value }) => value);

/** Those that read several sites for one input item. */
export const LIST_OPERATIONS = ALL_OPERATIONS.filter((operation) =>
	siteFields.some(
		({ name, displayOptions }) =>
			name === 'siteIds' && displayOptions?.show?.operation?.includes(operation),
	),
);
