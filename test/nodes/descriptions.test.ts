import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Workflow, type INodeParameters, type INodeType } from 'n8n-workflow';
import { createEngine, type Engine } from '../engine/engine';
import { asNodeTypes } from '../engine/package-types';

const SITE = 'n8n-nodes-aquaculture.aquacultureSite';
const TRIGGER = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';
const CREDENTIAL = 'aquacultureApi';

const checkout = resolve(__dirname, '../..');

let engine: Engine;

beforeAll(async () => {
	engine = await createEngine();
});

const descriptionOf = (type: string) => (engine.types.nodes[type] as INodeType).description;

test.each([
	[
		SITE,
		{
			displayName: 'Aquaculture Site',
			name: 'aquacultureSite',
			group: ['input'],
			usableAsTool: true,
			inputs: ['main'],
		},
	],
	[
		TRIGGER,
		{
			displayName: 'Aquaculture Site Trigger',
			name: 'aquacultureSiteTrigger',
			group: ['trigger'],
			polling: true,
			inputs: [],
		},
	],
])('%s: what saved workflows and n8n rely on', (type, own) => {
	expect(descriptionOf(type)).toMatchObject({
		...own,
		version: 1,
		defaults: { name: own.displayName },
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL, required: true }],
	});
});

test('Aquaculture API: what saved credentials and n8n rely on', () => {
	const { name, displayName, properties } = engine.types.credentials[CREDENTIAL]!;
	expect({ name, displayName }).toEqual({ name: CREDENTIAL, displayName: 'Aquaculture API' });
	const masked = { password: true };
	expect(
		properties.map((one) => [one.name, one.type, one.default, one.required, one.typeOptions]),
	).toEqual([
		['baseUrl', 'string', '', true, undefined],
		['username', 'string', '', true, undefined],
		['password', 'string', '', true, masked],
		['allowUnauthorizedCerts', 'boolean', false, undefined, undefined],
		['accessToken', 'hidden', '', undefined, { ...masked, expirable: true }],
		['accessTokenLogin', 'hidden', '', undefined, masked],
	]);
});

test('the links of the credential lead to headings of the README', () => {
	const { documentationUrl, httpRequestNode } = engine.types.credentials[CREDENTIAL]!;
	const { homepage } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
		homepage: string;
	};
	const anchors = readFileSync(join(checkout, 'README.md'), 'utf8')
		.match(/^## .*$/gm)!
		.map((line) => line.slice(3).toLowerCase().replaceAll(' ', '-'));
	expect(httpRequestNode).toMatchObject({
		name: 'Aquaculture API',
		apiBaseUrlPlaceholder: expect.stringMatching(/^https:/),
	});
	const links = [documentationUrl, (httpRequestNode as { docsUrl: string }).docsUrl];
	for (const link of links) {
		expect(link).toMatch(homepage.split('#')[0]!);
		expect(anchors).toContain(link!.split('#')[1]);
	}
});

test.each([SITE, TRIGGER, CREDENTIAL])('%s has a picture for light and one for dark', (type) => {
	const described = type === CREDENTIAL ? engine.types.credentials[type] : descriptionOf(type);
	const { iconUrl } = described as { iconUrl?: { light: string; dark: string } };
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
