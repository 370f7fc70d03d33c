/** The same n8n as the other end-to-end tests, without the package in it. */
/** @type {import('jest').Config} */
module.exports = {
	...require('../e2e/jest.config.js'),
	roots: ['<rootDir>/test/n8n/release'],
};
