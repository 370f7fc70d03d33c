import { PackageDirectoryLoader } from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';
import type { ICredentialType, INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';

/** Node types by full name (`package.type`) and credential types by name, as n8n knows them. */
export interface LoadedTypes {
	nodes: Record<string, INodeType | IVersionedNodeType>;
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
 * @param directory where the package.json is
 * @param fresh whether to load new instances of its modules, or to share those that are loaded
 * @throws when a file is missing or a class cannot be made
 */
export async function loadPackageTypes(directory: string, fresh: boolean): Promise<LoadedTypes> {
	const loader = new PackageDirectoryLoader(directory);
	await (fresh ? withFreshModules(() => loader.loadAll()) : loader.loadAll());
	return {
		nodes: Object.fromEntries(
			Object.entries(loader.nodeTypes).map(([name, { type }]) => [
				`${loader.packageName}.${name}`,
				type,
			]),
		),
		credentials: Object.fromEntries(
			Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type]),
		),
	};
}

/** The registry that n8n's Workflow asks for node types. */
export function asNodeTypes(nodes: LoadedTypes['nodes']): INodeTypes {
	const getByName = (name: string) => {
		const type = nodes[name];
		if (type === undefined) throw new Error(`Unrecognized node type: ${name}`);
		return type;
	};
	return {
		getByName,
		getByNameAndVersion: (name, version) =>
			n8nWorkflow.NodeHelpers.getVersionedNodeType(getByName(name), version),
		getKnownTypes: () => nodes,
	};
}
