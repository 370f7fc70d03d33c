/**
 * The rooms of the shipped code, and which way imports may run between them (CONTRIBUTING.md, "Where things are"):
 * nodes → operations, trigger → run → service → site → utils. The credential knows the service only.
 */
const NODES = '^nodes/AquacultureSite/';

/** A room and the rooms that it may import from, itself aside. */
function room(name, allowed, path = `${NODES}${name}/`) {
	return {
		name: `imports-of-${name}`,
		comment: `${name} may import from ${allowed.join(', ') || 'no other room'} only`,
		severity: 'error',
		from: { path },
		to: {
			path: ['^nodes/', '^credentials/', '^test/'],
			pathNot: [path, ...allowed.map((other) => `${NODES}${other}/`)],
		},
	};
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
		{
			name: 'no-orphans',
			severity: 'error',
			from: { orphan: true, path: '^(nodes|credentials)/' },
			to: {},
		},
		room('utils', []),
		room('site', ['utils']),
		room('service/messages', ['site', 'utils']),
		room('service/login', ['service/messages', 'site', 'utils']),
		room('service/http', ['service/login', 'service/messages', 'site', 'utils']),
		room('run', ['service', 'site', 'utils']),
		room('operations', ['service', 'site', 'utils']),
		room('trigger', ['run', 'service', 'site', 'utils']),
		room('credentials', ['service'], '^credentials/'),
		{
			name: 'nodes-and-credentials-know-no-tests',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^test/' },
		},
		{
			name: 'tests-share-tools-alone',
			comment: 'What two of the folders test/unit, test/engine and test/n8n need is in test/tools',
			severity: 'error',
			from: { path: '^test/(unit|engine|n8n)/' },
			to: { path: '^test/', pathNot: ['^test/$1/', '^test/tools/'] },
		},
		{
			name: 'tools-know-no-tests',
			severity: 'error',
			from: { path: '^test/tools/' },
			to: { path: '^test/', pathNot: '^test/tools/' },
		},
		{
			name: 'unit-tests-need-no-n8n-and-no-process',
			severity: 'error',
			from: { path: '^test/unit/' },
			to: { reachable: true, path: ['/(n8n-core|nock)/', '^(node:)?child_process$'] },
		},
		{
			name: 'unit-tests-need-no-service',
			comment: 'Its sample sites and the kinds of faults are data, which they may use',
			severity: 'error',
			from: { path: '^test/unit/' },
			to: { path: ['^(node:)?(http|https|net)$', '^test/tools/fake-service/service'] },
		},
		{
			name: 'pure-files-know-n8n-by-its-types-alone',
			comment: 'site/, what the trigger compares, and what decides about requests run without n8n',
			severity: 'error',
			from: {
				path: [
					`${NODES}site/`,
					`${NODES}trigger/`,
					`${NODES}service/(messages/|login/baseUrl)`,
					`${NODES}utils/`,
					`${NODES}run/(hints|judge|line|rateLimit|session)`,
				],
			},
			to: { path: 'n8n-workflow', dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'no-runtime-dependency',
			comment: "n8n's rules for verified packages: its own library and Node's crypto, nothing else",
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: {
				dependencyTypesNot: ['local', 'type-only'],
				pathNot: ['^(node:)?crypto$', 'node_modules/n8n-workflow/'],
			},
		},
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(dist|reports|\\.n8n|\\.stryker-tmp)/' },
	},
};
