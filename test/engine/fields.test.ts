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

/** The sites that are requested: they exist. */
const EXAMPLES: Record<string, string> = { siteId: '1042', siteIds: '1042, 1057' };

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

/** The operations that show a field; undefined if all do. */
function operationsOf({ displayOptions: { show = {} } = {} }: INodeProperties) {
	return show.operation ?? show['/operation'];
}

const choicesOf = ({ options = [] }: INodeProperties) => options as INodePropertyOptions[];

/** A value that a person may choose or enter in the panel. */
function anyChoice(field: INodeProperties): fc.Arbitrary<unknown> {
	const { type, name, default: preset, placeholder = '', typeOptions = {}, required } = field;
	const values = choicesOf(field).map(({ value }) => value);
	if (type === 'boolean') return fc.boolean();
	if (type === 'number') {
		return fc.integer({ min: preset as number, max: typeOptions.maxValue ?? 1000 });
	}
	if (type === 'options') return fc.constantFrom(...values);
	if (type === 'multiOptions') return fc.subarray(values, { minLength: required ? 1 : 0 });
	return fc.constant(EXAMPLES[name] ?? placeholder.replace('e.g. ', ''));
}

/** The same in any other way that an expression, a table or a model may put it. */
function anySpelling(field: INodeProperties, choice: unknown): fc.Arbitrary<unknown> {
	const { type, name } = field;
	const anyCase = (text: string) =>
		fc.constantFrom(text, text.toUpperCase(), text.toLowerCase(), ` ${text}\n`);
	if (type === 'boolean') return fc.oneof(fc.constant(Number(choice)), anyCase(String(choice)));
	if (type === 'number' || name === 'apiVersion') return fc.constant(` ${String(choice)} `);
	if (type === 'options' || type === 'multiOptions') {
		const names = [choice].flat().map((chosen) => {
			const option = defined(choicesOf(field).find(({ value }) => value === chosen));
			return fc.constantFrom(option.name, String(chosen)).chain(anyCase);
		});
		const list = fc.tuple(...names).map((spelled) => spelled.reverse());
		const asText = list.map((spelled) => spelled.join(','));
		const asJson = list.map((spelled) => JSON.stringify(spelled.map((text) => text.trim())));
		return fc.oneof(list, asText, asJson);
	}
	if (!name.startsWith('siteId')) return fc.constant(choice);
	const ids = String(choice).split(', ');
	return fc.constantFrom(ids, ids.map(Number), ids.join(' '), JSON.stringify(ids));
}

/** Parameters that show a field, in each operation that has it, with this value or expression. */
function parametersWith({ field, collection }: PanelField, value: unknown): INodeParameters[] {
	const own = { [field.name]: value } as INodeParameters;
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

test.each(TYPES)('%s: nonsense in a field gets a sentence that names it', async (type) => {
	const misses: string[] = [];
	for (const panelField of fieldsOf(type)) {
		const { field } = panelField;
		// Depends on 'Format', which a tool does not have
		if (type === TOOL && field.name === 'binaryPropertyName') continue;
		for (const nonsense of nonsenseFor(field)) {
			// n8n takes such a field as it is
			const value = field.noDataExpression ? nonsense : `={{ ${nonsense} }}`;
			for (const parameters of parametersWith(panelField, value)) {
				const { error, items } = await run(type, parameters);
				if (error?.message.startsWith(`'${field.displayName}'`)) continue;
				const instead = error?.message ?? JSON.stringify(at(items, 0).json);
				misses.push(`${field.name} ${nonsense}: ${instead}`);
			}
		}
	}
	expect(misses).toEqual([]);
});

/** What a person gets, without the times in it. */
function shown({ items, error }: NodeResult): string {
	expect(error).toBeUndefined();
	const text = JSON.stringify(items.map(({ json, binary }) => [json, binary]));
	return text.replace(/"(detectedAt|date|x-request-id|id)":"[^"]*"/g, '');
}

test.each(TYPES)('%s: a value means the same in every spelling', async (type) => {
	for (const panelField of fieldsOf(type)) {
		const { field } = panelField;
		if (field.noDataExpression) continue;
		const pair = anyChoice(field).chain((choice) =>
			fc.tuple(fc.constant(choice), anySpelling(field, choice)),
		);
		const property = fc.asyncProperty(pair, async ([choice, spelling]) => {
			const spelled = parametersWith(panelField, `={{ ${JSON.stringify(spelling)} }}`);
			for (const [index, typed] of parametersWith(panelField, choice).entries()) {
				const result = await run(type, at(spelled, index));
				expect(shown(result)).toBe(shown(await run(type, typed)));
			}
		});
		await fc.assert(property, { ...asyncRuns, numRuns: Math.ceil(asyncRuns.numRuns / 5) });
	}
});
