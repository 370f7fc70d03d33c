const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take the longest, in this order; the last worker must not start one when the others have finished. */
const LONGEST = [
	'faults/underLoad',
	'faults/matrix',
	'conditions/conditions',
	'nodes/run/SiteService',
	'nodes/run/session',
	'credentials/AquacultureApi.login',
	'fuzz/engine',
	'e2e/secrets',
	'e2e/load',
	'e2e/trigger',
	'e2e/browser/editor',
	'e2e/browser/previews',
	'e2e/browser/examples',
	'e2e/examples',
	'e2e/demo',
	'e2e/dev',
];

const place = ({ path }) => {
	const index = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
	return index === -1 ? LONGEST.length : index;
};

/** Jest knows how long a file takes only where it has run before. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((a, b) => place(a) - place(b));
	}
};
