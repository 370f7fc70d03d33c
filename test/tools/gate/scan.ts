/**
 * The rules of n8n's own scanner for packages that ask for verification, on the sources and on what `npm publish` would upload
 * (so build first). Exits with 1 on any error or warning.
 */
import { relative } from 'node:path';
import { ESLint } from 'eslint';
import { ROOT } from '../n8n/workspace';
import { packAndUnpack } from './pack';

const scanner = import('@n8n/scan-community-package/scanner/scanner.mjs');

/** Scans one folder, prints its files and findings, and returns whether there were none. */
async function scan(label: string, directory: string, filePatterns: string[]): Promise<boolean> {
	// As the scanner itself does it, which hides warnings and the list of files
	const { buildScanConfig } = await scanner;
	const eslint = new ESLint({
		cwd: directory,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const results = await eslint.lintFiles(filePatterns);
	const passed = results.every(({ messages }) => messages.length === 0);

	console.log(`${passed ? '✔' : '✘'} ${label}: ${results.length} files`);
	for (const { filePath } of results) console.log(`    ${relative(directory, filePath)}`);
	if (!passed) {
		const formatter = await eslint.loadFormatter('stylish');
		console.log(await formatter.format(results));
	}
	return passed;
}

async function main(): Promise<void> {
	const { SOURCE_FILE_PATTERNS } = await scanner;
	const packed = await packAndUnpack();
	try {
		const sources = await scan('sources', ROOT, SOURCE_FILE_PATTERNS);
		const tarball = await scan('tarball', packed.directory, ['**/*.js', 'package.json']);
		process.exitCode = sources && tarball ? 0 : 1;
	} finally {
		packed.remove();
	}
}

void main();
