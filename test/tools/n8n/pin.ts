import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type N8nMajor, pinnedVersion } from './install';
import { ROOT } from './workspace';

// `npm run pin -- 2.42.0`: the n8n that everything is tested with, in each file that names it. See overrides.md. In
// CHANGELOG.md, each release names its own.

const [version = ''] = process.argv.slice(2);
const major = version.split('.')[0] as N8nMajor;
const folder = `test/tools/n8n/n8n-${major}`;
const pinned = pinnedVersion(major);
const FILES = ['docker/Dockerfile', 'docker/README.md', 'docs/administrators.md'];

for (const file of [`${folder}/package.json`, ...FILES]) {
	const path = join(ROOT, file);
	writeFileSync(path, readFileSync(path, 'utf8').replaceAll(pinned, version));
}
const options = { cwd: join(ROOT, folder), stdio: 'inherit' } as const;
execFileSync('npx', ['pnpm', 'install', '--lockfile-only', '--ignore-workspace'], options);
