/** The same n8n and the same tarball as the other end-to-end tests, and a table at the end. */
/** @type {import('jest').Config} */
module.exports = {
	...require('../e2e/jest.config.js'),
	roots: ['<rootDir>/test/n8n/versions'],
	reporters: ['default', '<rootDir>/test/n8n/versions/table-reporter.mjs'],
};
