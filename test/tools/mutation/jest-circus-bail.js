const { default: circus } = require('jest-circus/runner');

/** A test that takes longer waits for what the mutant has removed. Some ask for minutes, for busy machines. */
const LONGEST_TIMEOUT_MS = 15_000;

/** The last mutant that a test has noticed; Stryker gives each mutant a number. */
let killed;

/** The result of a file that was not run, as one test: jest takes a file without any for a mistake. */
const notRun = () => ({
	leaks: false,
	numFailingTests: 0,
	numPassingTests: 0,
	numPendingTests: 1,
	numTodoTests: 0,
	openHandles: [],
	perfStats: {},
	snapshot: { added: 0, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
	testResults: [{ fullName: 'not run', status: 'pending', failureMessages: [] }],
});

/**
 * Jest's own test runner, which runs no further test once one has noticed the mutant: jest's `bail` ends the process,
 * so that Stryker cannot use it.
 */
module.exports = async (globalConfig, config, environment, ...rest) => {
	const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
	// The run without a mutant is whole
	if (mutant === undefined) return await circus(globalConfig, config, environment, ...rest);
	if (mutant === killed) return notRun();

	const { handleTestEvent } = environment;
	environment.handleTestEvent = async (event, state) => {
		await handleTestEvent?.call(environment, event, state);
		const { name, test } = event;
		if (name === 'test_start') {
			test.timeout = Math.min(test.timeout ?? state.testTimeout, LONGEST_TIMEOUT_MS);
			if (mutant === killed) test.mode = 'skip';
		}
		if (name === 'test_done' && test.errors.length > 0) killed = mutant;
	};
	const result = await circus(globalConfig, config, environment, ...rest);
	// Hooks that come after the tests
	if (result.numFailingTests > 0) killed = mutant;
	return result;
};
