/** The same n8n and the same tarball as the other end-to-end tests. */
/** @type {import('jest').Config} */
module.exports = {
	...require('../e2e/jest.config.js'),
	roots: ['<rootDir>/test/queue'],
	// Each test file runs several n8n with databases of their own
	maxWorkers: 1,
};
