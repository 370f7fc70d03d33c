const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take the longest, in this order; the last worker must not start one when the others have finished. */
const LONGEST = [
	'engine/faults/matrix',
	'engine/run/SiteService',
	'unit/run/generated/generated',
	'engine/credential/login',
	'engine/fuzz',
	'n8n/e2e/soak',
	'n8n/e2e/secrets',
	'n8n/e2e/browser/editor',
	'n8n/e2e/browser/examples',
	'n8n/e2e/examples',
	'n8n/e2e/demo',
	'n8n/e2e/dev',
	'n8n/e2e/browser/first-message',
];

const place = ({ path }) => {
	const index = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
	return index === -1 ? LONGEST.length : index;
};

/** Jest knows how long a file takes only where it has run before. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests).sort((a, b) => place(a) - place(b));
		// The first file that notices a mutant is enough: the shortest ones come first
		return process.env.STRYKER_MUTATOR_WORKER ? sorted.reverse() : sorted;
	}
};
