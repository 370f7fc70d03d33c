import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type INodeParameters, type INodeType, Workflow } from 'n8n-workflow';
import { createEngine, type Engine } from '../engine/engine';
import { asNodeTypes } from '../engine/package-types';
import { defined } from '../helpers/at';
import { type Field, fieldsOf } from '../helpers/panel';

const SITE = 'n8n-nodes-aquaculture.aquacultureSite';
const TRIGGER = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';
const CREDENTIAL = 'aquacultureApi';

const checkout = resolve(__dirname, '../..');

let engine: Engine;

beforeAll(async () => {
	engine = await createEngine();
});

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const descriptionOf = (type: string) => (engine.types.nodes[type] as INodeType).description;

const site = {
	...{ group: ['input'], usableAsTool: true, inputs: ['main'] },
	sensitiveOutputFields: expect.arrayContaining(['headers.set-cookie']) as unknown,
};
const trigger = { group: ['trigger'], polling: true, inputs: [] };

test.each([
	[SITE, 'aquacultureSite', 'Aquaculture Site', site],
	[TRIGGER, 'aquacultureSiteTrigger', 'Aquaculture Site Trigger', trigger],
])('%s: what saved workflows and n8n rely on', (type, name, displayName, own) => {
	expect(descriptionOf(type)).toMatchObject({
		name,
		displayName,
		...own,
		version: 1,
		defaults: { name: displayName },
		outputs: ['main'],
		credentials: [{ name: CREDENTIAL, required: true }],
	});
});

test('Aquaculture API: what saved credentials and n8n rely on', () => {
	const { name, displayName, properties } = defined(engine.types.credentials[CREDENTIAL]);
	expect({ name, displayName }).toEqual({ name: CREDENTIAL, displayName: 'Aquaculture API' });
	const masked = { password: true };
	const required = true;
	expect(fieldsOf(properties)).toEqual<Field[]>([
		['baseUrl', 'string', '', { required }],
		['username', 'string', '', { required }],
		['password', 'string', '', { required, typeOptions: masked }],
		['allowUnauthorizedCerts', 'boolean', false],
		['accessToken', 'hidden', '', { typeOptions: { ...masked, expirable: true } }],
		['accessTokenLogin', 'hidden', '', { typeOptions: masked }],
	]);
});

test('the links of the credential lead to headings of the README', () => {
	const { documentationUrl, httpRequestNode } = defined(engine.types.credentials[CREDENTIAL]);
	expect(httpRequestNode).toMatchObject({
		name: 'Aquaculture API',
		apiBaseUrlPlaceholder: expect.stringMatching(/^https:/) as unknown,
	});
	const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
	const page = homepage.replace(/#.*/, '');
	const links = [...read('README.md').matchAll(/^## (.*)$/gm)].map(
		([, heading = '']) => `${page}#${heading.toLowerCase().replaceAll(' ', '-')}`,
	);
	expect(links).toContain(documentationUrl);
	expect(links).toContain((httpRequestNode as { docsUrl: string }).docsUrl);
});

test.each<[string, INodeParameters, string]>([
	[SITE, { operation: 'get', siteId: 1042 }, 'Get: 1042'],
	[SITE, { operation: 'get', siteId: '={{ $json.id }}' }, 'Get'],
	[SITE, { operation: 'getAll' }, 'Get Many'],
	[SITE, { operation: 'getUnits', siteIds: '1042, 1057' }, 'Get Units: 1042, 1057'],
	[TRIGGER, { siteIds: '1042, 1057' }, 'sites 1042, 1057'],
])('%s with %j has on the canvas the subtitle "%s"', (type, parameters, text) => {
	const position: [number, number] = [0, 0];
	const node = { id: '1', name: 'Node', type, typeVersion: 1, parameters, position };
	const nodeTypes = asNodeTypes(engine.types.nodes);
	const { expression } = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const { subtitle } = descriptionOf(type);
	expect(expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(text);
});
