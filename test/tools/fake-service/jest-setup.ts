import { withoutNetwork } from '../helpers/connections';
import { cleanup } from '../helpers/own';
import { takeViolations } from './violations';

// All test files of a worker share Node's modules: each one undoes what it has done to them
afterAll(withoutNetwork());

const failOnViolations = () => expect([...new Set(takeViolations())]).toEqual([]);

// No test leaves anything to the next one
afterEach(async () => {
	jest.restoreAllMocks();
	await cleanup.run();
	failOnViolations();
});
afterAll(failOnViolations);
