import fc from 'fast-check';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { NodeResult } from '../tools/engine/engine';
import { useSeaFarm } from '../tools/engine/sea-farm';
import { at, defined } from '../tools/helpers/at';
import { asyncRuns } from '../tools/helpers/fuzz';

const PACKAGE = 'n8n-nodes-aquaculture';
const SITE = `${PACKAGE}.aquacultureSite`;
/** As n8n offers it to a model: by the end of this name, n8n knows which fields to show. */
const TOOL = `${SITE}Tool`;
const TRIGGER = `${PACKAGE}.aquacultureSiteTrigger`;
const TYPES = [SITE, TOOL, TRIGGER];

const runs = { ...asyncRuns, seed: asyncRuns.seed ?? 1042 };

const farm = useSeaFarm();

beforeEach(() => {
	const { nodes } = farm.engine.types;
	const node = defined(nodes[SITE]);
	const description = { ...node.description, name: 'aquacultureSiteTool' };
	nodes[TOOL] = Object.assign(Object.create(node) as typeof node, { description });
});

/** A field of a panel, and the collection that it is in, if it is in one. */
interface PanelField {
	field: INodeProperties;
	collection?: string;
}

/** All fields of the panel that hold a value. n8n takes no expression for a collection. */
function fieldsOf(type: string): PanelField[] {
	const { properties } = defined(farm.engine.types.nodes[type]).description;
	return (
		properties
			// n8n's own: when to poll
			.filter((field) => field.type !== 'notice' && field.name !== 'pollTimes')
			.filter((field) => forTools(field) !== (type !== TOOL))
			.flatMap((field) =>
				field.type === 'collection'
					? (field.options as INodeProperties[]).map((option) => ({
							field: option,
							collection: field.name,
						}))
					: { field },
			)
	);
}

/** Whether a field is for tools alone, or for nodes alone; undefined if it is for both. */
const forTools = ({ displayOptions }: INodeProperties) => displayOptions?.show?.['@tool']?.[0];

const choicesOf = ({ options = [] }: INodeProperties) => options as INodePropertyOptions[];

/** The sites that are requested: they exist. */
const EXAMPLES: Record<string, string> = { siteId: '1042', siteIds: '1042, 1057' };

/** A value that a person may choose or enter in the panel. */
function anyChoice(field: INodeProperties): fc.Arbitrary<unknown> {
	const { type, default: preset, typeOptions = {} } = field;
	if (type === 'boolean') return fc.boolean();
	if (type === 'number') {
		const max = typeOptions.maxValue ?? 1000;
		return fc.integer({ min: preset as number, max });
	}
	const values = choicesOf(field).map(({ value }) => value);
	if (type === 'options') return fc.constantFrom(...values);
	if (type === 'multiOptions') {
		return fc.subarray(values, { minLength: field.required ? 1 : 0 });
	}
	return fc.constant(EXAMPLES[field.name] ?? field.placeholder?.replace('e.g. ', '') ?? '');
}

/** The same in any other way that an expression, a table or a model may put it. */
function anySpelling({ type, ...field }: INodeProperties, choice: unknown): fc.Arbitrary<unknown> {
	const anyCase = (text: string) =>
		fc.constantFrom(text, text.toUpperCase(), text.toLowerCase(), ` ${text}\n`);
	if (type === 'boolean') return fc.oneof(fc.constant(Number(choice)), anyCase(String(choice)));
	if (type === 'number') return fc.constantFrom(String(choice), ` ${String(choice)} `);
	if (field.name === 'apiVersion') return fc.constant(` ${String(choice)} `);
	if (type === 'options' || type === 'multiOptions') {
		const names = [choice].flat().map((value) => {
			const { name } = defined(choicesOf({ type, ...field }).find((one) => one.value === value));
			return fc.constantFrom(name, String(value)).chain(anyCase);
		});
		const list = fc
			.tuple(...names)
			.chain((spelled) => fc.shuffledSubarray(spelled, { minLength: spelled.length }));
		return fc.oneof(
			list,
			list.map((spelled) => spelled.join(',')),
			list.map((spelled) => JSON.stringify(spelled.map((name) => name.trim()))),
		);
	}
	const words = String(choice).split(', ');
	return field.name.startsWith('siteId')
		? fc.constantFrom(words, words.map(Number), words.join(' '), JSON.stringify(words))
		: fc.constant(choice);
}

const NOTHING = ['undefined', 'null', '{}', '{ a: 1 }', '{ toString: 1 }', '[{}]', '[null]'];
const OTHERS = ['"nonsense"', '"constructor"', '["nonsense"]', '[[7]]', '-7.5', 'NaN', '2', '""'];

/** Code of what has no meaning in a field. */
function nonsenseFor({ type, name, required }: INodeProperties): string[] {
	if (type === 'string') return [...NOTHING, ...(required ? ['""', '[]'] : [])];
	if (type === 'boolean') return [...NOTHING, ...OTHERS, '"yes"', '[true]'];
	if (type === 'number')
		return [...NOTHING, ...OTHERS.filter((code) => code !== '2'), '[5]', 'true'];
	const noChoice = [...NOTHING, ...OTHERS, 'true', '[]'];
	const noDates = ['"2025-02-30"', '"latest"', '20250101'];
	if (name === 'apiVersion') return [...noChoice, ...noDates];
	const mayBeEmpty = type === 'multiOptions' && !required;
	return noChoice.filter((code) => !mayBeEmpty || !['[]', '""'].includes(code));
}

/** Parameters that show a field, in each operation that has it, with this code as its expression. */
function parametersWith({ field, collection }: PanelField, code: string): INodeParameters[] {
	// n8n takes such a field as it is
	const value = field.noDataExpression ? code : `={{ ${code} }}`;
	const own = { [field.name]: value };
	const { operation: _own, '/operation': _root, ...others } = field.displayOptions?.show ?? {};
	const shown = Object.entries(others).map(([name, values]) => [name, values?.[0]] as const);
	return (operationsOf(field) ?? ['getUnits']).map((chosen) => ({
		...EXAMPLES,
		...(Object.fromEntries(shown) as INodeParameters),
		operation: chosen,
		...(collection ? { [collection]: own } : own),
	}));
}

async function run(type: string, parameters: INodeParameters): Promise<NodeResult> {
	if (type === TRIGGER) return await farm.engine.testTrigger({ type, parameters });
	return await farm.engine.run({ node: { type, parameters } });
}

/** What a person gets, without the times in it. */
function shown({ items, error }: NodeResult) {
	const text = JSON.stringify(items.map(({ json, binary }) => [json, binary]));
	return [text.replace(/"(detectedAt|date|x-request-id|id)":"[^"]*"/g, ''), error?.message];
}

test.each(TYPES)(
	'%s: what has no meaning in a field gets a sentence that names it',
	async (type) => {
		const misses: string[] = [];
		for (const panelField of fieldsOf(type)) {
			const { field } = panelField;
			// Depends on 'Format', which a tool does not have
			if (type === TOOL && field.name === 'binaryPropertyName') continue;
			for (const nonsense of nonsenseFor(field)) {
				for (const parameters of parametersWith(panelField, nonsense)) {
					const { error, items } = await run(type, parameters);
					if (error?.message.startsWith(`'${field.displayName}'`)) continue;
					const instead = error?.message ?? JSON.stringify(at(items, 0).json);
					misses.push(`${field.name} ${nonsense}: ${instead}`);
				}
			}
		}
		expect(misses).toEqual([]);
	},
);

/** The operations that show a field; undefined if all do. */
function operationsOf({ displayOptions: { show = {} } = {} }: INodeProperties) {
	return show.operation ?? show['/operation'];
}

/** The panel of one operation: a choice for each field, and the same as expressions. */
function anyParameters(panel: PanelField[]): fc.Arbitrary<[INodeParameters, INodeParameters]> {
	const [operations] = panel.filter(({ field }) => field.name === 'operation');
	const both = (operation: unknown) => {
		const shown = panel.filter(
			({ field }) => operationsOf(field)?.includes(operation as string) ?? true,
		);
		const values = shown.map(({ field }) => {
			const choices = field.name === 'operation' ? fc.constant(operation) : anyChoice(field);
			return choices.chain((choice) => {
				const same = fc.constant(choice);
				const spelling = anySpelling(field, choice).map(
					(value) => `={{ ${JSON.stringify(value)} }}`,
				);
				// n8n takes such a field as it is
				return fc.tuple(same, field.noDataExpression ? same : fc.oneof(same, spelling));
			});
		});
		return fc.tuple(...values).map((pairs) => {
			const parameters: [INodeParameters, INodeParameters] = [{}, {}];
			shown.forEach(({ field: { name }, collection }, index) => {
				parameters.forEach((target, which) => {
					const place = collection ? (target[collection] ??= {}) : target;
					Object.assign(place as object, { [name]: pairs[index]?.[which] });
				});
			});
			return parameters;
		});
	};
	return operations ? anyChoice(operations.field).chain(both) : both(undefined);
}

test.each(TYPES)('%s: a value means the same in every spelling', async (type) => {
	const property = fc.asyncProperty(anyParameters(fieldsOf(type)), async ([typed, spelled]) => {
		// n8n hides 'Include' by what is selected, but not by what an expression returns
		fc.pre(typed.output !== 'selectedFields' || !(typed.options as INodeParameters).fullResponse);
		expect(shown(await run(type, spelled))).toEqual(shown(await run(type, typed)));
	});
	await fc.assert(property, runs);
});
