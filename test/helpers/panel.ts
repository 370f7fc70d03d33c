import type { INodeProperties } from 'n8n-workflow';

/** What saved workflows depend on in a field: all but the texts that people read; of its choices the values. */
export function withoutTexts(property: INodeProperties): object {
	const { displayName: _name, description: _text, placeholder: _example, ...rest } = property;
	const { hint: _hint, options, ...field } = rest;
	if (!options) return field;
	const inside = options.map((option) =>
		'type' in option ? withoutTexts(option) : 'value' in option ? option.value : option,
	);
	return { ...field, options: inside };
}
