import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
