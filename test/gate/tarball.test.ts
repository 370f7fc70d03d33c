import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import { packPackage, type Packed } from './pack';

const MAXIMUM_SIZE = 40_000;

let packed: Packed;
let loader: PackageDirectoryLoader;

beforeAll(async () => {
	packed = packPackage();
	loader = new PackageDirectoryLoader(packed.directory);
	await loader.loadAll();
}, 60_000);

afterAll(() => packed?.remove());

/** The file itself and every module of the package that it requires, directly or not. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
	if (seen.has(file)) return seen;
	seen.add(file);
	for (const [, path] of readFileSync(file, 'utf8').matchAll(/\brequire\("(\.[^"]+)"\)/g)) {
		withImports(require.resolve(resolve(dirname(file), path as string)), seen);
	}
	return seen;
}

/** Icons as n8n's editor asks for them, as paths in the package. */
function iconsOf({ iconUrl }: { iconUrl?: unknown }): string[] {
	const { light, dark } = iconUrl as { light: string; dark: string };
	return [light, dark].map((url) => url.replace(`icons/${loader.packageName}/`, ''));
}

describe('the tarball', () => {
	it('holds what the package needs and nothing else', () => {
		const { nodes, credentials } = loader.packageJson.n8n!;
		const modules = [...nodes!, ...credentials!].flatMap((path) =>
			[...withImports(join(packed.directory, path))].map((file) =>
				relative(packed.directory, file).replaceAll('\\', '/'),
			),
		);
		const codex = nodes!.map((path) => `${path}on`);
		const icons = [...loader.types.nodes, ...loader.types.credentials].flatMap(iconsOf);

		expect(packed.files).toEqual(
			[
				...new Set([
					'LICENSE.md',
					'README.md',
					'index.js',
					'package.json',
					...modules,
					...codex,
					...icons,
				]),
			].sort(),
		);
	});

	it(`is at most ${MAXIMUM_SIZE / 1000} kB`, () => {
		expect(packed.size).toBeLessThanOrEqual(MAXIMUM_SIZE);
	});
});

describe("n8n's loader", () => {
	it('finds the nodes and the credential', () => {
		expect(loader.types.nodes.map(({ name }) => name).sort()).toEqual([
			'aquacultureSite',
			'aquacultureSiteTrigger',
		]);
		expect(loader.types.credentials.map(({ name }) => name)).toEqual(['aquacultureApi']);
		expect(loader.known.credentials.aquacultureApi?.supportedNodes).toEqual([
			'aquacultureSite',
			'aquacultureSiteTrigger',
		]);
	});

	it('finds the codex of every node', () => {
		for (const { name, codex } of loader.types.nodes) {
			expect({ name, categories: codex?.categories }).toEqual({
				name,
				categories: [expect.any(String)],
			});
			expect(codex?.alias).toContain('fish');
		}
	});
});
