import nock from 'nock';
import { takeViolations } from './violations';

// No request leaves this machine: nock refuses it before a socket is opened.
nock.disableNetConnect();
nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\]):\d+$/);
// All test files of a worker share Node's http module: each one undoes what nock has done to it.
afterAll(() => nock.restore());

const failOnViolations = () => expect([...new Set(takeViolations())]).toEqual([]);
afterEach(failOnViolations);
afterAll(failOnViolations);
