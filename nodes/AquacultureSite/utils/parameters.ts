// Reads the fields of a panel as people fill them in.
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

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

/** What a field holds, by its type. */
interface Values {
	boolean: boolean;
	number: number;
	string: string;
	options: string;
	multiOptions: string[];
	collection: Parameters;
}

/** The description of a field, as n8n's panel has it. */
export type Field<Type extends keyof Values> = INodeProperties & { type: Type };

/** The field that holds those that few people need, as n8n's guidelines want it. */
export const optionsField = (options: INodeProperties[]): Field<'collection'> => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options,
});

/** Reads parameters by the descriptions of their fields; an expression may have put anything into them. */
export class Parameters {
	/** @param get returns the fallback if there is no such parameter: n8n drops those that are not shown */
	constructor(private readonly get: (name: string, fallback: unknown) => unknown) {}

	/** The value as it is, for a field that accepts more than its type says. */
	raw({ name, default: preset }: INodeProperties, fallback: unknown = preset): unknown {
		return this.get(name, fallback);
	}

	/** @throws ParameterError if the value is not of the field's type, or not among its choices */
	read<Type extends keyof Values>(field: Field<Type>, fallback?: Values[Type]): Values[Type] {
		const value = this.raw(field, fallback);
		const result = READERS[field.type](value, field);
		if (result === undefined) throw invalidValue(field, value);
		return result;
	}

	/** The words of a text, or of a list. @throws ParameterError if there is anything else in it */
	words(field: Field<'string'>): string[] {
		const value = this.raw(field);
		if (!areWords(value)) throw invalidValue(field, value);
		return listEntries(value);
	}
}

/** What is told of a value that its field does not accept. */
export function invalidValue(
	field: INodeProperties,
	value: unknown,
	expected = expectationOf(field),
): ParameterError {
	const shown = typeof value === 'string' && value !== '' ? `"${value}"` : asText(value);
	return new ParameterError(
		`'${field.displayName}' must be ${expected}, not ${plainText(shown || 'empty', 40)}`,
		'Correct it. If an expression supplies it, check what the expression returns.',
	);
}

function expectationOf({ type, options = [], typeOptions = {} }: INodeProperties): string {
	const { minValue, maxValue, numberPrecision } = typeOptions;
	const number = numberPrecision === 0 ? 'a whole number' : 'a number';
	const names = options.map(({ name }) => name).join(', ');
	const expectations: Partial<Record<typeof type, string>> = {
		boolean: 'true or false',
		number: `${number} ${maxValue ? `from ${minValue} to ${maxValue}` : `of at least ${minValue}`}`,
		options: `one of ${names}`,
		multiOptions: `one or more of ${names}`,
	};
	return expectations[type] ?? 'text';
}

const BOOLEANS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

/** Undefined for what a field does not accept. Text will do: it is what expressions, tables and models return. */
const READERS: {
	[Type in keyof Values]: (value: unknown, field: INodeProperties) => Values[Type] | undefined;
} = {
	boolean: (value) => BOOLEANS.get(asText(value)?.trim().toLowerCase() ?? ''),
	number: (value, { typeOptions = {} }) => {
		const { minValue = 0, maxValue = Number.MAX_VALUE, numberPrecision } = typeOptions;
		const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof number !== 'number' || !(number >= minValue && number <= maxValue)) return undefined;
		return numberPrecision === 0 && !Number.isInteger(number) ? undefined : number;
	},
	string: (value) => (isWord(value) && value !== '' ? String(value) : undefined),
	options: (value, field) => {
		const [choice, ...more] = choicesIn(value, field) ?? [];
		return more.length === 0 ? choice : undefined;
	},
	multiOptions: choicesIn,
	collection: (value) => {
		const entries = new Map<string, unknown>(Object.entries(value as object));
		return new Parameters((name, fallback) => (entries.has(name) ? entries.get(name) : fallback));
	},
};

/** The choices that are named in a list by what the panel calls them, or by their values, whatever the case. */
function choicesIn(value: unknown, { options, required }: INodeProperties) {
	const choices = new Map<string, string>();
	for (const { name, value } of options as INodePropertyOptions[]) {
		for (const known of [name, String(value)]) choices.set(keyOf(known), String(value));
	}
	const chosen = listEntries(value, /[,;[\]"']/)
		.flatMap((words) => (choices.has(keyOf(words)) ? words : words.trim().split(' ')))
		.map((word) => choices.get(keyOf(word)));
	if (!areWords(value) || chosen.includes(undefined)) return undefined;
	if (required && chosen.length === 0) return undefined;
	return [...new Set(choices.values())].filter((choice) => chosen.includes(choice));
}

const keyOf = (name: string) => name.replaceAll(' ', '').toLowerCase();

const isWord = (value: unknown) => typeof value === 'string' || Number.isFinite(value);
const areWords = (value: unknown) => [value].flat(Infinity).every(isWord);

/**
 * The entries of a list as people have it: separated by commas, semicolons, spaces or line breaks, also in brackets and
 * quotes, or an array from an expression.
 */
export function listEntries(value: unknown, separators = /[ ,;[\]"']/): string[] {
	return [value]
		.flat(Infinity)
		.flatMap((entry) =>
			typeof entry === 'string' ? plainText(entry).split(separators) : (asText(entry) ?? ''),
		)
		.filter((entry) => entry.trim() !== '');
}
