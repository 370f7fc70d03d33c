import { resolve } from 'node:path';
import { PackageDirectoryLoader } from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';
import type { ICredentialType, INodeType, INodeTypes } from 'n8n-workflow';

const CHECKOUT = resolve(__dirname, '../../..');

/** Node types by full name (`package.type`) and credential types by name, as n8n knows them. */
export interface LoadedTypes {
	nodes: Record<string, INodeType>;
	credentials: Record<string, ICredentialType>;
}

/**
 * Runs `load` with an empty module cache, as in a restarted n8n, so that the modules have forgotten everything. Only
 * n8n-workflow stays the same, because n8n-core compares error classes by identity.
 */
function withFreshModules<T>(load: () => T): T {
	let loaded: T | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		loaded = load();
	});
	jest.dontMock('n8n-workflow');
	return loaded as T;
}

/**
 * Loads the built package with n8n-core's own loader: the files that `n8n` in its package.json names.
 *
 * @param fresh whether to load new instances of its modules, or to share those that are loaded
 * @throws when the package is not built
 */
export async function loadPackageTypes(fresh: boolean): Promise<LoadedTypes> {
	const loader = new PackageDirectoryLoader(CHECKOUT);
	await (fresh ? withFreshModules(() => loader.loadAll()) : loader.loadAll());
	const typesOf = <T>(loaded: Record<string, { type: unknown }>, prefix = '') =>
		Object.fromEntries(
			Object.entries(loaded).map(([name, { type }]) => [prefix + name, type as T]),
		);
	return {
		nodes: typesOf<INodeType>(loader.nodeTypes, `${loader.packageName}.`),
		credentials: typesOf<ICredentialType>(loader.credentialTypes),
	};
}

/** The registry that n8n's Workflow asks for node types. */
export function asNodeTypes(nodes: LoadedTypes['nodes']): INodeTypes {
	const getByName = (name: string) => {
		const type = nodes[name];
		if (type === undefined) throw new Error(`Unrecognized node type: ${name}`);
		return type;
	};
	return { getByName, getByNameAndVersion: getByName, getKnownTypes: () => nodes };
}
