import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of the documents in docs/ that a command writes; the rest of them is prose. */
export const BLOCKS = {
	faults: {
		document: 'reliability.md',
		name: 'fault matrix',
		command: 'npm run docs',
	},
	credentialTest: {
		document: 'credential-test.md',
		name: 'outcomes',
		command: 'npm run docs',
	},
	messages: {
		document: 'messages.md',
		name: 'messages',
		command: 'npm run docs',
	},
	operations: {
		document: 'nodes.md',
		name: 'operations',
		command: 'npm run previews',
	},
	benchmark: {
		document: 'benchmarks.md',
		name: 'benchmark',
		command: 'npm run bench',
	},
};

type Block = (typeof BLOCKS)[keyof typeof BLOCKS];

function split({ document, name, command }: Block) {
	const file = join(__dirname, '../../../docs', document);
	const begin = `<!-- The ${name}: written by \`${command}\` -->`;
	const end = `<!-- The end of the ${name} -->`;
	const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin);
	const [block = '', after] = rest.split(end);
	if (after === undefined) throw new Error(`${file} has no place for "${name}"`);
	return { file, before: before + begin, block: block.trim(), after: end + after };
}

/** The block as it is in the document. */
export const readBlock = (block: Block): string => split(block).block;

/** Replaces the block in the document. */
export function writeBlock(block: Block, text: string): void {
	const { file, before, after } = split(block);
	writeFileSync(file, `${before}\n\n${text}\n\n${after}`);
}
