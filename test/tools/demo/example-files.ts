import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewWorkflow } from '../n8n/n8n';
import { ROOT } from '../n8n/workspace';
import type { NodeCredentials } from './example-services';

const FOLDER = join(ROOT, 'examples');

/** The names of the workflows in examples/. */
export const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** An example in which the credentials have been selected. */
export function readExample(file: string, credentials: NodeCredentials): NewWorkflow {
	const example = JSON.parse(readExampleFile(file)) as NewWorkflow;
	for (const node of example.nodes) {
		// A name that this n8n does not know would keep it from selecting the one that fits
		assert.equal(node.credentials, undefined);
		Object.assign(node, { credentials: credentials[node.type] });
	}
	return example;
}

export const readExampleFile = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
