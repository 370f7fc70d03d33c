/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	rootDir: '../../..',
	roots: ['<rootDir>/test/n8n/e2e'],
	testMatch: ['**/*.test.ts'],
	// ES modules
	transform: { '^.+\\.ts$|/get-port/': '@swc/jest' },
	transformIgnorePatterns: ['/node_modules/(?!get-port/)'],
	globalSetup: '<rootDir>/test/tools/n8n/setup.ts',
	// Each test file runs an n8n of its own, which takes 700 MB. On two processors, there is always one that waits.
	maxWorkers: 3,
	randomize: true,
	testSequencer: '<rootDir>/test/longest-first.js',
	// A limit for what hangs; nothing is said about how long anything takes.
	testTimeout: 600_000,
};
