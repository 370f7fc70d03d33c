import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type INodeParameters, Workflow } from 'n8n-workflow';
import { asNodeTypes, type LoadedTypes, loadPackageTypes } from '../tools/engine/package-types';
import { defined } from '../tools/helpers/at';
import { type Field, fieldsOf } from '../tools/helpers/panel';

const SITE = 'n8n-nodes-aquaculture.aquacultureSite';
const TRIGGER = 'n8n-nodes-aquaculture.aquacultureSiteTrigger';
const CREDENTIAL = 'aquacultureApi';

const checkout = resolve(__dirname, '../..');

let types: LoadedTypes;

beforeAll(async () => {
	types = await loadPackageTypes(false);
});

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const nodeOf = (type: string) => defined(types.nodes[type]);
const descriptionOf = (type: string) => nodeOf(type).description;

const site = {
	...{ group: ['input'], usableAsTool: true, inputs: ['main'] },
	// Whatever may hold a session
	sensitiveOutputFields: ['set-cookie', 'authorization', 'x-auth-token'].map(
		(name) => `headers.${name}`,
	),
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
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
	});
	expect(nodeOf(type).methods?.credentialTest).toHaveProperty('testCredential');
});

test('Aquaculture Site Trigger: what its panel says before and after publishing names only what it has', () => {
	const { properties, triggerPanel, activationMessage, hints } = descriptionOf(TRIGGER);
	const { header, activationHint } = triggerPanel as { header: string; activationHint: string };
	// n8n's own one would promise events to wait for
	expect(header).toBe('');
	for (const text of [activationHint, activationMessage]) {
		expect(text).toMatch(/The first check of a site only remembers it\..*a failed execution/);
	}
	expect(activationHint).toContain('under <b>Poll Times</b>');
	expect(properties.map(({ displayName }) => displayName)).toContain('Poll Times');
	// A test event is not to be taken for a real one, wherever it is seen
	const message = expect.stringMatching(/^Test events are based on the first site/) as unknown;
	expect(hints).toEqual([
		{ type: 'info', whenToDisplay: 'always', location: 'outputPane', message },
	]);
});

test('Aquaculture API: what saved credentials and n8n rely on', () => {
	const { name, displayName, properties } = defined(types.credentials[CREDENTIAL]);
	expect({ name, displayName }).toEqual({ name: CREDENTIAL, displayName: 'Aquaculture API' });
	const masked = { password: true };
	const required = true;
	expect(fieldsOf(properties)).toEqual<Field[]>([
		['baseUrl', 'string', '', { required }],
		['username', 'string', '', { required }],
		['password', 'string', '', { required, typeOptions: masked }],
		['allowUnauthorizedCerts', 'boolean', false],
		['accessToken', 'hidden', '', { typeOptions: { ...masked, expirable: true } }],
		['tokenFingerprint', 'hidden', '', { typeOptions: masked }],
	]);
});

test('the links of the credential and the nodes lead to headings that exist', () => {
	const { documentationUrl, httpRequestNode } = defined(types.credentials[CREDENTIAL]);
	expect(httpRequestNode).toMatchObject({
		name: 'Aquaculture API',
		apiBaseUrlPlaceholder: expect.stringMatching(/^https:/) as unknown,
	});
	const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
	const page = homepage.replace(/#.*/, '');
	const headings = (file: string, at: string) =>
		[...read(file).matchAll(/^## (.*)$/gm)].map(
			([, heading = '']) => `${at}#${heading.toLowerCase().replaceAll(' ', '-')}`,
		);
	const links = headings('README.md', page);
	// n8n takes those of nodes as they are; to those of the codex it appends parameters, behind the heading
	const ofNodes = [SITE, TRIGGER].map((type) => descriptionOf(type).documentationUrl);
	expect(links).toEqual(expect.arrayContaining([documentationUrl, ...ofNodes]));
	const details = headings('docs/nodes.md', `${page}/blob/main/docs/nodes.md`);
	expect(details).toContain((httpRequestNode as { docsUrl: string }).docsUrl);
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
	const nodeTypes = asNodeTypes(types.nodes);
	const { expression } = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const { subtitle } = descriptionOf(type);
	expect(expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(text);
});
