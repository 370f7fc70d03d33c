import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const TEXTS = ['action', 'description', 'displayName', 'hint', 'placeholder'];

const named = (property) => property?.key?.name;

/**
 * Leaves the texts of n8n's panels alone: no test asserts the wording of a description, and n8n's own lint rules
 * look after its form. What workflows depend on (`name`, `value`, `default` and the like) is mutated.
 */
export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'panelTexts', {
		shouldIgnore({ node, parent, parentPath }) {
			if (node.type !== 'StringLiteral' || parent?.type !== 'ObjectProperty') return undefined;
			// Beside a `value`, `name` is what people read
			const ofOption =
				named(parent) === 'name' &&
				parentPath.parent.properties.some((property) => named(property) === 'value');
			return TEXTS.includes(named(parent)) || ofOption ? 'A text of a panel' : undefined;
		},
	}),
];
