import { withoutNetwork } from '../helpers/no-network';
import { takeViolations } from './violations';

// All test files of a worker share Node's modules: each one undoes what it has done to them
afterAll(withoutNetwork());

const failOnViolations = () => expect([...new Set(takeViolations())]).toEqual([]);
afterEach(failOnViolations);
afterAll(failOnViolations);
