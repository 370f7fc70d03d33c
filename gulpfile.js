const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, parallel, series, src, watch } = require('gulp');

/** Starts from nothing, so that no file of an earlier build is shipped. */
const clean = () => rm('dist', { recursive: true, force: true });

/** credentials/ and nodes/ as JavaScript. */
const compile = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });

/** The nodes and the credential point at the icons by a path relative to their own file. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** n8n looks for a node's codex beside its compiled file. */
const codex = () => src('nodes/**/*.node.json', { encoding: false }).pipe(dest('dist/nodes'));

exports.build = series(clean, compile, parallel(icons, codex));

/** By a name of its own, which gulp prints. */
const rebuild = (done) => exports.build(done);

/** Builds again whenever a source has changed, also after one that did not build: so it hands gulp nothing to follow. */
exports.watch = () => {
	watch(['credentials/**', 'nodes/**', 'icons/**'], series(rebuild));
};
