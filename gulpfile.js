const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
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

exports.build = series(clean, compile, parallel(icons, descriptions));

/** Has a name of its own, which gulp prints. */
const rebuild = (done) => exports.build(done);

/** Rebuilds when a source changes, also after a failed build. Returns nothing, so that gulp does not wait for it. */
exports.watch = () => {
	watch(['credentials/**', 'nodes/**', 'icons/**'], series(rebuild));
};
