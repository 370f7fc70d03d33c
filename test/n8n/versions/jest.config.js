/** The same n8n and the same tarball as the other end-to-end tests. */
/** @type {import('jest').Config} */
module.exports = {
	...require('../e2e/jest.config.js'),
	roots: ['<rootDir>/test/n8n/versions'],
};
