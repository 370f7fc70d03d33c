import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import { pack } from '../tools/gate/pack';
import { ROOT } from '../tools/n8n/workspace';

const MAX_SIZE = 60_000;

let packed: Awaited<ReturnType<typeof pack>>;

beforeAll(async () => {
	packed = await pack('--dry-run');
});

it('holds the sources, each compiled, and nothing else', () => {
	const built = ['credentials', 'icons', 'nodes'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true })
			.filter((file) => /\.(json|svg|ts)$/.test(file))
			.map((file) => join('dist', folder, file).replaceAll('\\', '/').replace(/ts$/, 'js')),
	);
	const documents = ['LICENSE.md', 'README.md', 'index.js', 'package.json'];
	expect(packed.files).toEqual([...documents, ...built].sort());
});

it(`is at most ${MAX_SIZE / 1000} kB`, () => {
	expect(packed.size).toBeLessThanOrEqual(MAX_SIZE);
});

it("is loaded by n8n's loader: two nodes with their codex, and a credential that both use, with icons", async () => {
	const loader = new PackageDirectoryLoader(ROOT);
	await loader.loadAll();
	const nodes = ['aquacultureSite', 'aquacultureSiteTrigger'];
	expect(loader.types.nodes.map(({ name }) => name).sort()).toEqual(nodes);
	expect(loader.types.credentials.map(({ name }) => name)).toEqual(['aquacultureApi']);
	expect(loader.known.credentials.aquacultureApi?.supportedNodes).toEqual(nodes);
	// As n8n's editor asks for them
	const icons = [...loader.types.nodes, ...loader.types.credentials].flatMap(({ iconUrl }) =>
		Object.values(iconUrl as object).map((url: string) =>
			url.replace(`icons/${loader.packageName}/`, ''),
		),
	);
	expect(packed.files).toEqual(expect.arrayContaining(icons));
	for (const { codex } of loader.types.nodes) {
		expect(codex?.categories).toHaveLength(1);
		expect(codex?.alias).toContain('fish');
	}
});
