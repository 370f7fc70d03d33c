/** The same n8n and the same tarball as the other end-to-end tests, and a table at the end. */
/** @type {import('jest').Config} */
module.exports = {
	...require('../e2e/jest.config.js'),
	roots: ['<rootDir>/test/versions'],
	reporters: ['default', '<rootDir>/test/versions/table-reporter.mjs'],
};
