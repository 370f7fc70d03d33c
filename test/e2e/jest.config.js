const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	// marked is an ES module
	transform: { '^.+\\.ts$|/marked/': '@swc/jest' },
	transformIgnorePatterns: ['/node_modules/(?!marked/)'],
	globalSetup: '<rootDir>/test/e2e/setup.ts',
	// Each test file runs an n8n of its own, which fills a processor at its start
	maxWorkers: availableParallelism() < 4 ? 1 : 2,
	// A limit for what hangs; nothing is said about how long anything takes.
	testTimeout: 300_000,
};
