/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// On two cores, jest's own choice would be one
	maxWorkers: '100%',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|versions|queue)/'],
	transform: { '^.+\\.ts$': '@swc/jest', 'node_modules/markdown-table/.+\\.js$': '@swc/jest' },
	// An ES module, which jest cannot require
	transformIgnorePatterns: ['/node_modules/(?!markdown-table/)'],
};
