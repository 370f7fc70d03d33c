import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { defined } from '../tools/helpers/at';
import { readDockerFile } from '../tools/n8n/compose';

// `npm run lint` checks compose.yaml by the Compose specification, and `npm run test:queue` runs what these files say.

interface Compose {
	services: Record<string, { build?: string; image?: string }>;
}

const ROOT = join(__dirname, '../..');
const versionIn = (file: string) =>
	(JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { version: string }).version;
/** `npm run pin` sets it. */
const testedN8n = (major: string) => {
	const manifest = readFileSync(join(ROOT, `test/tools/n8n/n8n-${major}/package.json`), 'utf8');
	return (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
};
const { services } = parse(readDockerFile('compose.yaml'), { merge: true }) as Compose;
const dockerfile = readDockerFile('Dockerfile');
const readme = readDockerFile('README.md');

/** A version that never comes to mean another one, such as 2.41.1 or 17.11. */
const EXACT = /^[\d.]*\d\.\d+$/;

/** The default of a build argument. */
const argument = (name: string, text = dockerfile) =>
	new RegExp(`^ARG ${name}=(.*)$`, 'm').exec(text)?.[1];

it('pins every image to an exact version', () => {
	const images = Object.values(services).map(({ build, image }) =>
		build === '.' ? `n8n:${argument('N8N_VERSION')}` : defined(image),
	);
	expect(images).toHaveLength(4);
	for (const image of images) expect(image.split(':')[1]).toMatch(EXACT);
	expect(dockerfile).toContain('FROM n8nio/n8n:${N8N_VERSION}\n');
	expect(readme).toContain(` n8nio/n8n:${argument('N8N_VERSION')}\n`);
});

it('installs this version of the package, in the n8n that the tests run', () => {
	expect(argument('PACKAGE_VERSION')).toBe(versionIn('package.json'));
	expect(dockerfile).toContain('n8n-nodes-aquaculture@${PACKAGE_VERSION}\n');
	expect(argument('N8N_VERSION')).toBe(testedN8n('2'));
});

it('docs/administrators.md names the n8n that the tests run', () => {
	const text = readFileSync(join(ROOT, 'docs/administrators.md'), 'utf8');
	for (const major of ['1', '2']) expect(text).toContain(testedN8n(major));
});

it('is updated and uninstalled by the commands in README.md', () => {
	const [, from = '', to = ''] = defined(/sed -i\.old 's\/(.*?)\/(.*?)\/'/.exec(readme));
	expect(
		dockerfile
			.replace(/PACKAGE_VERSION=.*/, 'PACKAGE_VERSION=1.9.9')
			.replace(new RegExp(from, 'm'), to),
	).toBe(dockerfile);
	// From the RUN instruction to the end
	expect(readme).toContain("sed -i.old '/^RUN/,$d' Dockerfile");
	expect(dockerfile.replace(/^RUN[^]*/m, '')).toMatch(/^ARG PACKAGE_VERSION=.*\n$/m);
});

it.each(['docker/README.md', 'docs/administrators.md'])('%s names this version', (file) => {
	const text = readFileSync(join(ROOT, file), 'utf8');
	const versions = [...text.matchAll(/(?:n8n-nodes-aquaculture|`)@(\d[\d.]*\d)/g)];
	expect(versions.length).toBeGreaterThan(0);
	for (const [, version] of versions) expect(version).toBe(versionIn('package.json'));
});
