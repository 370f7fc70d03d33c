import { findTargets } from '../tools/mutation/targets';

test('mutation testing knows the tests of each shipped file', () => {
	expect(() => findTargets()).not.toThrow();
});
