import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import type { NodeResult } from '../tools/engine/engine';
import { useSeaFarm } from '../tools/engine/sea-farm';
import { at, defined } from '../tools/helpers/at';

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
