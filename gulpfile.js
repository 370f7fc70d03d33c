const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdir, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, relative } = require('node:path');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');
const { credentials, nodes } = require('./package.json').n8n;

/** Removes the earlier build, so that none of its files is shipped. */
const clean = () => rm('dist', { recursive: true, force: true });

/** Checks the types of credentials/ and nodes/. */
const check = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });

const BUNDLE = 'dist/bundle.js';

/** The files that n8n loads, by the "n8n" field of package.json, and the class in each. */
const LOADED = [...credentials, ...nodes].map((file) => ({
	file,
	source: `./${relative('dist', file).replace(/\.js$/, '.ts')}`,
	className: basename(file).split('.')[0],
}));

/**
 * All code is in one file, without the whitespace: n8n starts faster, and the package is smaller. The nodes and the
 * credential share one memory of tokens, so it is not one file for each.
 */
const bundle = () =>
	esbuild.build({
		stdin: {
			contents: LOADED.map(({ source }) => `export * from '${source}';`).join('\n'),
			resolveDir: __dirname,
			loader: 'ts',
		},
		outfile: BUNDLE,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		minifyWhitespace: true,
		lineLimit: 160,
	});

const load = async () => {
	for (const { file, className } of LOADED) {
		const path = relative(dirname(file), BUNDLE).replaceAll('\\', '/');
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, `exports.${className} = require('${path}').${className};\n`);
	}
};

/** Nodes and the credential refer to the icons by paths relative to the files that n8n loads. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** n8n looks for a node's codex and the previews of its output beside the file that it loads. */
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

const buildAll = series(clean, check, parallel(bundle, load, icons, descriptions), remember);

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
