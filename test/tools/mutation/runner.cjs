const { default: TestRunner } = require('jest-runner');

/** Ends with the first file that fails: one that notices a mutant is enough. Stryker does not pass `bail` on to Jest. */
module.exports = class BailingRunner extends TestRunner {
	async runTests(tests, watcher, options) {
		let hasFailed = false;
		this.on('test-file-success', ([, { numFailingTests }]) => (hasFailed ||= numFailingTests > 0));
		for (const test of tests) if (!hasFailed) await super.runTests([test], watcher, options);
	}
};
