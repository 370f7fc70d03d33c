/**
 * Mutation testing: changes the shipped code in one place at a time and shows where no test notices. `npm run test:mutation`
 * for all parts, one after the other, `npm run test:mutation -- site utils` for some. What has not changed since the last
 * run is not run again. Prints each file's score; reports/mutation/ has the results as JSON.
 */
import { fileURLToPath } from 'node:url';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const NODES = 'nodes/AquacultureSite';
const MESSAGES = ['unit/run/[js]', 'engine/credential/', 'engine/proxy'];
const LOGIN = ['engine/credential/', 'engine/isolation', 'engine/wire/'];

/** The folders of the shipped code, and the tests that judge each: all that happen to run it would take days. */
const PARTS = {
	site: [`${NODES}/site`, 'unit/site/'],
	utils: [`${NODES}/utils`, 'unit/utils/', 'unit/service/', 'engine/desc', 'engine/credential/d'],
	operations: [`${NODES}/operations`, 'unit/operations/', 'engine/Aquaculture', 'engine/desc'],
	trigger: [`${NODES}/trigger`, 'unit/trigger/', 'engine/AquacultureSiteTrigger'],
	messages: [`${NODES}/service/messages`, 'unit/service/', 'unit/documents', ...MESSAGES],
	login: [`${NODES}/service/login`, 'unit/service/login/', 'engine/run/', ...LOGIN],
	http: [`${NODES}/service/http`, 'engine/proxy', 'engine/run/SiteService', ...LOGIN],
	run: [`${NODES}/run`, 'unit/run/', 'engine/run/'],
	nodes: [NODES, 'unit/nodeErrors', 'engine/A', 'engine/desc', 'engine/fi', 'engine/run/'],
	credentials: ['credentials', 'engine/desc', ...LOGIN],
};

const PANEL_TEXTS = 'action dark description displayName hint light placeholder'.split(' ');

/** Leaves the texts of n8n's panels alone: n8n's lint rules look after their form. Beside a `value`, `name` is one, too. */
export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'panelTexts', {
		shouldIgnore({ node, parent, parentPath }) {
			if (node.type !== 'StringLiteral' || parent?.type !== 'ObjectProperty') return undefined;
			const { name } = parent.key;
			const others = name === 'name' ? parentPath.parent.properties : [];
			const isOfOption = others.some(({ key }) => key?.name === 'value');
			return PANEL_TEXTS.includes(name) || isOfOption ? 'A text of a panel' : undefined;
		},
	}),
];

const optionsOf = (part, [folder, ...tests], jestConfig) => ({
	mutate: [`${folder}/*.ts`],
	testRunner: 'jest',
	// Many tests take the package from dist/
	buildCommand: 'gulp build',
	coverageAnalysis: 'perTest',
	timeoutMS: 10_000,
	timeoutFactor: 1,
	// Jest keeps what each run has loaded, and slows down
	maxTestRunnerReuse: 20,
	plugins: ['@stryker-mutator/jest-runner', fileURLToPath(import.meta.url)],
	ignorers: ['panelTexts'],
	ignorePatterns: ['/reports', '/coverage', '/.n8n'],
	jest: {
		config: {
			...jestConfig,
			testEnvironment: `${import.meta.dirname}/environment.cjs`,
			runner: `${import.meta.dirname}/runner.cjs`,
			// Time stands still in most tests: one that takes longer waits for what the mutant has removed
			testTimeout: 12_000,
			testMatch: tests.map((path) => `<rootDir>/test/${path}{*,**/*}.test.ts`),
		},
		enableFindRelatedTests: false,
	},
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { logTests: false, allowColor: false },
	incremental: true,
	incrementalFile: `reports/mutation/${part}.json`,
	thresholds: { high: 95, low: 95, break: 95 },
});

async function main(wanted) {
	const { Stryker } = await import('@stryker-mutator/core');
	const { default: jestConfig } = await import('../../../jest.config.js');
	for (const part of wanted) {
		await new Stryker(optionsOf(part, PARTS[part], jestConfig)).runMutationTest();
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	// Few cases of each property, and few generated services, all of which hold: thousands of mutants leave each a short time
	process.env = { FUZZ_RUNS: '50', SEEDS: '50', SEED: '51', ...process.env };
	void main(process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS));
}
