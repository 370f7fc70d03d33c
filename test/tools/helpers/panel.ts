import type { INodeProperties } from 'n8n-workflow';

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
