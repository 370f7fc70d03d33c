const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/** In Stryker's sandbox: the tests and the milliseconds of each test file, as the run without a mutant has shown them. */
const SEEN = 'test-files-seen.json';

/**
 * Runs those test files alone that hold a wanted test, the fastest first: most mutants are killed before n8n is loaded.
 * Jest would load each file to find out that none of its tests is wanted.
 */
module.exports = class CheapestFirst extends Sequencer {
	constructor(context) {
		super(context);
		this.wanted = new RegExp(context.globalConfig.testNamePattern ?? '', 'i');
		this.seen = existsSync(SEEN) ? JSON.parse(readFileSync(SEEN, 'utf8')) : undefined;
	}

	sort(tests) {
		const { seen, wanted } = this;
		if (seen === undefined) return tests;
		return tests
			.filter(({ path }) => seen[path].names.some((name) => wanted.test(name)))
			.sort((a, b) => seen[a.path].milliseconds - seen[b.path].milliseconds);
	}

	cacheResults(_tests, { testResults }) {
		if (this.seen !== undefined) return;
		const entries = testResults.map(({ testFilePath, testResults: results, perfStats }) => [
			testFilePath,
			{ names: results.map(({ fullName }) => fullName), milliseconds: perfStats.runtime },
		]);
		writeFileSync(SEEN, JSON.stringify(Object.fromEntries(entries)));
	}
};
