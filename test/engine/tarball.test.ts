import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PackageDirectoryLoader, resolveOutputSchemaPath } from 'n8n-core';
import type { INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { packAndUnpack } from '../tools/gate/pack';
import { defined } from '../tools/helpers/at';

const MAX_SIZE = 60_000;

let unpacked: Awaited<ReturnType<typeof packAndUnpack>>;
let loader: PackageDirectoryLoader;

beforeAll(async () => {
	unpacked = await packAndUnpack();
	loader = new PackageDirectoryLoader(unpacked.directory);
	await loader.loadAll();
}, 60_000);

afterAll(() => unpacked.remove());

/** The file itself and every module of the package that it requires, directly or not. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
	if (seen.has(file)) return seen;
	seen.add(file);
	for (const [, path] of readFileSync(file, 'utf8').matchAll(/\brequire\(['"](\.[^'"]+)['"]\)/g)) {
		withImports(require.resolve(resolve(dirname(file), defined(path))), seen);
	}
	return seen;
}

/** Icons as n8n's editor asks for them, as paths in the package. */
function iconsOf({ iconUrl }: { iconUrl?: unknown }): string[] {
	const { light, dark } = iconUrl as { light: string; dark: string };
	return [light, dark].map((url) => url.replace(`icons/${loader.packageName}/`, ''));
}

/** The files in which n8n looks for the previews of a node's output: one for each operation, or the only one. */
function previewsOf({ name, properties }: INodeTypeDescription): string[] {
	const nodeDir = join(unpacked.directory, dirname(defined(loader.known.nodes[name]).sourcePath));
	const find = (resource?: string, operation?: string) =>
		defined(resolveOutputSchemaPath({ nodeDir, version: 1, resource, operation }));
	const valuesOf = (parameter: string) =>
		(properties.find((property) => property.name === parameter)?.options ?? []).map((option) =>
			String((option as INodePropertyOptions).value),
		);
	const previews = valuesOf('resource').flatMap((resource) =>
		valuesOf('operation').map((operation) => find(resource, operation)),
	);
	return previews.length > 0 ? previews : [find()];
}

const inPackage = (file: string) => relative(unpacked.directory, file).replaceAll('\\', '/');

it('holds what the package needs and nothing else', () => {
	const { nodes = [], credentials = [] } = defined(loader.packageJson.n8n);
	const modules = [...nodes, ...credentials]
		.flatMap((path) => [...withImports(join(unpacked.directory, path))])
		.map(inPackage);
	const previews = loader.types.nodes.flatMap(previewsOf).map(inPackage);
	const codex = nodes.map((path) => `${path}on`);
	const icons = [...loader.types.nodes, ...loader.types.credentials].flatMap(iconsOf);
	const documents = ['LICENSE.md', 'README.md', 'index.js', 'package.json'];
	const needed = new Set([...documents, ...modules, ...codex, ...previews, ...icons]);
	expect(unpacked.files).toEqual([...needed].sort());
});

it(`is at most ${MAX_SIZE / 1000} kB`, () => {
	expect(unpacked.size).toBeLessThanOrEqual(MAX_SIZE);
});

it("is loaded by n8n's loader: two nodes with their codex, and a credential that both use", () => {
	const nodes = ['aquacultureSite', 'aquacultureSiteTrigger'];
	expect(loader.types.nodes.map(({ name }) => name).sort()).toEqual(nodes);
	expect(loader.types.credentials.map(({ name }) => name)).toEqual(['aquacultureApi']);
	expect(loader.known.credentials.aquacultureApi?.supportedNodes).toEqual(nodes);
	for (const { codex } of loader.types.nodes) {
		expect(codex?.categories).toHaveLength(1);
		expect(codex?.alias).toContain('fish');
	}
});
