import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Workflow, type INodeParameters, type INodeType } from 'n8n-workflow';
import { createEngine, type Engine } from '../engine/engine';
import { asNodeTypes } from '../engine/package-types';

const SITE = 'n8n-nodes-aquaculture.aquacultureSite';
const TRIGGER = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';

const checkout = resolve(__dirname, '../..');

let engine: Engine;

beforeAll(async () => {
	engine = await createEngine();
});

const descriptionOf = (type: string) => (engine.types.nodes[type] as INodeType).description;

test('Aquaculture Site: what saved workflows and n8n rely on', () => {
	expect(descriptionOf(SITE)).toMatchObject({
		displayName: 'Aquaculture Site',
		name: 'aquacultureSite',
		group: ['input'],
		version: 1,
		defaults: { name: 'Aquaculture Site' },
		usableAsTool: true,
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'aquacultureApi', required: true }],
	});
});

test('Aquaculture Site Trigger: what saved workflows and n8n rely on', () => {
	expect(descriptionOf(TRIGGER)).toMatchObject({
		displayName: 'Aquaculture Site Trigger',
		name: 'aquacultureSiteTrigger',
		group: ['trigger'],
		version: 1,
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		inputs: [],
		outputs: ['main'],
		credentials: [{ name: 'aquacultureApi', required: true }],
	});
});

test.each([SITE, TRIGGER])('%s has a picture for light and one for dark', (type) => {
	const { iconUrl } = descriptionOf(type) as { iconUrl?: { light: string; dark: string } };
	const pictures = [iconUrl!.light, iconUrl!.dark].map((url) =>
		readFileSync(url.replace('icons/n8n-nodes-aquaculture', checkout), 'utf8'),
	);
	expect(pictures).toEqual([expect.stringMatching(/^<svg/), expect.stringMatching(/^<svg/)]);
	expect(pictures[0]).not.toBe(pictures[1]);
});

/** What n8n writes below the node on the canvas. */
function subtitle(type: string, parameters: INodeParameters): unknown {
	const node = {
		id: '1',
		name: 'Node',
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
	};
	const { expression } = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: asNodeTypes(engine.types.nodes),
	});
	return expression.getSimpleParameterValue(node, descriptionOf(type).subtitle, 'internal', {});
}

test.each<[string, INodeParameters, string]>([
	[SITE, { operation: 'get', siteId: '1042' }, 'get: site 1042'],
	[SITE, { operation: 'get', siteId: 1042 }, 'get: site 1042'],
	[SITE, { operation: 'get', siteId: '={{ $json.id }}' }, 'get: site '],
	[SITE, { operation: 'getUnits', siteIds: '1042, 1057' }, 'getUnits: sites 1042, 1057'],
	[TRIGGER, { siteIds: '1042, 1057' }, 'sites 1042, 1057'],
])('%s with %j has the subtitle «%s»', (type, parameters, text) => {
	expect(subtitle(type, parameters)).toBe(text);
});
