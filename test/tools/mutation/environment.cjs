const { TestEnvironment } = require('jest-environment-node');

/** Skips the rest of a file after the first test that fails. */
module.exports = class BailingEnvironment extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (name === 'test_done') this.hasFailed ||= test.errors.length > 0;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}
};
