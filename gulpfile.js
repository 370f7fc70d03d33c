const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdir, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { dirname, join } = require('node:path');
const { promisify } = require('node:util');
const { dest, parallel, series, src, watch } = require('gulp');

/** Removes the earlier build, so that none of its files is shipped. */
const clean = () => rm('dist', { recursive: true, force: true });

/** Compiles credentials/ and nodes/. */
const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });

/** Nodes and credentials refer to the icons by paths relative to their own files. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** n8n looks for a node's codex and the previews of its output beside its compiled file. */
const descriptions = () =>
	src('nodes/**/{*.node.json,__schema__/**/*.json}', { encoding: false }).pipe(dest('dist/nodes'));

/** What a build is made from, and what it makes. */
const FOLDERS = ['credentials', 'nodes', 'icons', 'dist'];
const FILES = ['gulpfile.js', 'package-lock.json', 'tsconfig.json'];

/** Changes with any name and any content of these. */
async function fingerprint() {
	const inFolders = FOLDERS.map(async (folder) => {
		const entries = await readdir(folder, { recursive: true, withFileTypes: true });
		return entries
			.filter((entry) => entry.isFile())
			.map((file) => join(file.parentPath, file.name));
	});
	const hash = createHash('sha256');
	for (const file of [...(await Promise.all(inFolders)).flat(), ...FILES].sort()) {
		hash
			.update(`${file}\0`)
			.update(await readFile(file))
			.update('\0');
	}
	return hash.digest('hex');
}

/** Holds the fingerprint that the last build has left. */
const STAMP = 'node_modules/.cache/n8n-nodes-aquaculture/build';

const remember = async () => {
	await mkdir(dirname(STAMP), { recursive: true });
	await writeFile(STAMP, await fingerprint());
};

const buildAll = series(clean, compile, parallel(icons, descriptions), remember);

/** Does nothing when neither the sources nor dist/ have changed since the last build. */
exports.build = async () => {
	const [last, now] = await Promise.allSettled([readFile(STAMP, 'utf8'), fingerprint()]);
	// Without dist/ there is no fingerprint
	if (now.status === 'fulfilled' && last.value === now.value) return;
	await promisify(buildAll)();
};

/** Has a name of its own, which gulp prints. */
const rebuild = () => exports.build();

/** Rebuilds when a source changes, also after a failed build. Returns nothing, so that gulp does not wait for it. */
exports.watch = () => {
	const watcher = watch(['credentials/**', 'nodes/**', 'icons/**'], series(rebuild));
	// `npm run dev` waits for it: what is saved earlier would not be seen
	watcher.on('ready', () => console.log('Watching'));
};
