import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a document in docs/ that a command writes; the rest of it is prose. */
interface Block {
	document: string;
	name: string;
	command: string;
}

const block = (document: string, name: string, command = 'npm run docs'): Block => {
	return { document, name, command };
};

export const BLOCKS = {
	faults: block('reliability.md', 'fault matrix'),
	credentialTest: block('credential-test.md', 'outcomes'),
	messages: block('messages.md', 'messages'),
	operations: block('nodes.md', 'operations', 'npm run previews'),
	benchmark: block('benchmarks.md', 'benchmark', 'npm run bench'),
};

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
