import communityNodes from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import typescript from 'typescript-eslint';

/** What n8n judges when a package asks for verification. */
const shipped = ['package.json', '{nodes,credentials}/**/*.{ts,json}'];
const { community, credentials, nodes } = nodesBase.configs;

export default defineConfig(
	globalIgnores([
		'dist/',
		'coverage/',
		'reports/',
		'.stryker-tmp/',
		'**/node_modules/',
		'**/.n8n/',
	]),
	{
		files: ['**/*.{ts,json}'],
		languageOptions: { parser: typescript.parser },
		linterOptions: { reportUnusedDisableDirectives: 'error' },
	},
	{
		files: ['{nodes,credentials,test}/**/*.ts'],
		extends: [typescript.configs.strictTypeChecked],
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			// Numbers and booleans print as expected; objects, null and undefined do not.
			'@typescript-eslint/restrict-template-expressions': [
				'error',
				{ allowNumber: true, allowBoolean: true },
			],
			// `() => stop()` is how a listener is written.
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
			// Destructuring is used to omit fields; a leading _ marks a parameter that is not used.
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
		},
	},
	{
		files: shipped,
		extends: [communityNodes.configs.recommended],
		plugins: { 'n8n-nodes-base': nodesBase },
		// n8n's scanner disregards comments that switch a rule off, and so does this.
		linterOptions: { noInlineConfig: true },
		rules: { 'no-console': 'error' },
	},
	{ files: ['package.json'], rules: community.rules },
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...credentials.rules,
			// Asks for a page of n8n's own documentation; a community package links to its own.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			// Community rule credential-password-field knows better which fields are secret.
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...nodes.rules,
			// Ask for 'main' as text where community rule node-connection-type-literal asks for the enum.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			// Forbids an upper limit, which a number of parallel requests needs.
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['{test,scripts}/**/*.ts', '*.{js,mjs}'],
		rules: {
			eqeqeq: 'error',
			'no-empty': 'error',
			'no-unreachable': 'error',
			'no-var': 'error',
			'prefer-const': ['error', { destructuring: 'all' }],
			// No test is skipped silently.
			'no-restricted-properties': [
				'error',
				...['describe', 'it', 'test'].flatMap((object) =>
					['only', 'skip', 'todo'].map((property) => ({ object, property })),
				),
			],
		},
	},
);
