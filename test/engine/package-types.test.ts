import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { NodeOperationError } from 'n8n-workflow';
import { createEngine, type Engine } from './engine';

/** A built package. Its node counts its runs in its module, then fails with n8n's own error. */
const files = {
	'package.json': `{
		"name": "n8n-nodes-counter", "version": "1.0.0",
		"n8n": { "credentials": [], "nodes": ["dist/Counter.node.js"] }
	}`,
	'dist/Counter.node.js': `
		const { NodeOperationError } = require('n8n-workflow');
		let runs = 0;
		exports.Counter = class {
			description = {
				displayName: 'Counter', name: 'counter', group: ['transform'], version: 1, description: '',
				defaults: { name: 'Counter' }, inputs: ['main'], outputs: ['main'], properties: [],
			};
			errorClass = NodeOperationError;
			async execute() {
				throw new NodeOperationError(this.getNode(), 'run ' + ++runs, { itemIndex: 0 });
			}
		};`,
};

let packageDirectory: string;

beforeAll(() => {
	packageDirectory = mkdtempSync(join(tmpdir(), 'n8n-nodes-counter-'));
	mkdirSync(join(packageDirectory, 'dist'));
	symlinkSync(resolve(__dirname, '../../node_modules'), join(packageDirectory, 'node_modules'));
	for (const [name, text] of Object.entries(files)) {
		writeFileSync(join(packageDirectory, name), text);
	}
});
afterAll(() => rmSync(packageDirectory, { recursive: true }));

const count = async (engine: Engine) =>
	(await engine.run({ node: { type: 'n8n-nodes-counter.counter' } })).error?.message;

test('a fresh engine has forgotten what the modules of the package remembered', async () => {
	const first = await createEngine({ packageDirectory });
	expect([await count(first), await count(first)]).toEqual(['run 1', 'run 2']);
	expect(await count(await createEngine({ packageDirectory }))).toBe('run 1');
	expect(await count(first)).toBe('run 3');
});

test('engines that are not fresh share the modules, like executions of one n8n', async () => {
	const first = await createEngine({ packageDirectory, fresh: false });
	const second = await createEngine({ packageDirectory, fresh: false });
	expect([await count(first), await count(second)]).toEqual(['run 1', 'run 2']);
});

test("the error classes of the package are n8n's, fresh or not", async () => {
	const { types } = await createEngine({ packageDirectory });
	expect(types.nodes['n8n-nodes-counter.counter']).toHaveProperty('errorClass', NodeOperationError);
});
