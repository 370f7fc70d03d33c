const { availableParallelism } = require('node:os');

// What is read in local time by mistake shows: half an hour off GMT is nowhere near it by chance
process.env.TZ = 'America/St_Johns';
// Whatever Node does beside its event loop is then done in the order in which it was begun: test/tools/helpers/fake-clock.ts
process.env.UV_THREADPOOL_SIZE = '1';

/** @type {import('jest').Config} */
module.exports = {
	// Checks every exchange with a fake service against docs/openapi.yaml
	testEnvironment: '<rootDir>/test/tools/fake-service/jest-environment.ts',
	// Fails the tests that broke it, and keeps every request on this machine
	setupFilesAfterEnv: ['<rootDir>/test/tools/fake-service/jest-setup.ts'],
	maxWorkers: Math.max(2, availableParallelism()),
	testSequencer: '<rootDir>/test/longest-first.js',
	// A limit for what hangs, also on a busy machine
	testTimeout: 120_000,
	roots: ['<rootDir>/test/unit', '<rootDir>/test/engine'],
	testMatch: ['**/*.test.ts'],
	// ES modules
	transform: { '^.+\\.ts$|/get-port/': '@swc/jest' },
	transformIgnorePatterns: ['/node_modules/(?!get-port/)'],
};
