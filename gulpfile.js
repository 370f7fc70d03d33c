const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { readdir, rm } = require('node:fs/promises');
const { dest, parallel, series, src, watch } = require('gulp');

/** Compiles what has changed since the last build (tsconfig.json, "incremental"). */
const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });

/** The icons, and beside each node its codex and the previews of its output. */
const copy = () =>
	src(['icons/*.svg', 'nodes/**/*.json'], { base: '.', encoding: false }).pipe(dest('dist'));

/** Removes what an earlier build made of files that are gone: nothing else does. */
const prune = async () => {
	const built = (await readdir('dist', { recursive: true })).filter(
		(file) => file !== '.tsbuildinfo',
	);
	const stale = built.filter((file) => !existsSync(file.replace(/\.js$/, '.ts')));
	await Promise.all(stale.map((file) => rm(`dist/${file}`, { recursive: true, force: true })));
};

const build = series(parallel(compile, copy), prune);

/** A function of its own, for gulp prints no name of a series; `npm run dev` waits for it, as for "Watching". */
const rebuild = (done) => build(done);

exports.build = build;
exports.watch = () => {
	const watcher = watch(['credentials/**', 'nodes/**', 'icons/**'], rebuild);
	watcher.on('ready', () => console.log('Watching'));
};
