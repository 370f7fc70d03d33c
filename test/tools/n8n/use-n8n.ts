import { readFileSync } from 'node:fs';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { type Service, type ServiceOptions, startService } from '../fake-service/service';
import { Cleanup } from '../helpers/cleanup';
import { type CredentialReference, N8nInstance } from './n8n';
import type { N8nOptions } from './n8n-process';
import { setup } from './setup';

/** Starts a fake service, which the cleanup ends. */
export async function startFake(cleanup: Cleanup, options?: ServiceOptions): Promise<Service> {
	const service = await startService(options);
	cleanup.defer(() => service.close());
	return service;
}

/**
 * Starts an n8n, which the cleanup ends.
 * @param prepare puts more into its user folder before
 */
export async function startN8n(
	cleanup: Cleanup,
	options: N8nOptions,
	prepare?: (userFolder: string) => void,
): Promise<N8nInstance> {
	const n8n = await N8nInstance.create(options);
	cleanup.defer(() => n8n.dispose());
	prepare?.(n8n.userFolder);
	await n8n.start();
	return n8n;
}

/** Expects that Node has warned of nothing: n8n itself gives no reason to. */
function expectNoWarnings({ log }: N8nInstance): void {
	// DEP0123: the tests reach a service with TLS by its IP address, which n8n 1 hands on as a name
	const warning = /^\(node:\d+\)(?!.*DEP0123).*Warning: .*/gm;
	expect(readFileSync(log, 'utf8').match(warning)).toBe(null);
}

/** Saves a credential for a fake service; `data` overrides it. */
export async function saveCredential(
	n8n: N8nInstance,
	{ baseUrl, login }: Service,
	{ name = 'Sea farm', ...data }: ICredentialDataDecryptedObject & { name?: string } = {},
): Promise<CredentialReference> {
	return await n8n.createCredential(name, { baseUrl, ...login, ...data });
}

/** Starts a fake service for one test alone, and saves a credential for it; `data` overrides that. */
export async function ownService(
	{ n8n, cleanup }: Pick<Stage, 'n8n' | 'cleanup'>,
	options?: ServiceOptions,
	data?: ICredentialDataDecryptedObject & { name?: string },
): Promise<Pick<Stage, 'service' | 'credential'>> {
	const service = await startFake(cleanup, options);
	return { service, credential: await saveCredential(n8n, service, data) };
}

/** What the tests of a file work with, from their first `beforeAll` on. */
export interface Stage {
	service: Service;
	n8n: N8nInstance;
	/** A credential for the service. */
	credential: CredentialReference;
	/** Ends after the tests what they start. */
	cleanup: Cleanup;
}

interface StageOptions {
	service?: ServiceOptions;
	/** Options of n8n that differ from the usual ones. */
	n8n?: (cleanup: Cleanup) => Partial<N8nOptions> | Promise<Partial<N8nOptions>>;
	/** Saves no credential. */
	credential?: false;
}

/** On a new machine, n8n 1 must be installed first. */
const INSTALL_TIMEOUT_MS = 900_000;

/** Starts a fake service and an n8n with the package in it before the tests of a file, and ends them after the tests. */
export function useN8n(name: string, options: StageOptions = {}): Stage {
	const cleanup = new Cleanup();
	const stage = { cleanup } as Stage;
	beforeAll(async () => {
		stage.service = await startFake(cleanup, options.service);
		const more = await options.n8n?.(cleanup);
		stage.n8n = await startN8n(cleanup, { ...setup(), name, ...more });
		cleanup.defer(() => expectNoWarnings(stage.n8n));
		if (options.credential === false) return;
		stage.credential = await saveCredential(stage.n8n, stage.service);
	}, INSTALL_TIMEOUT_MS);
	afterAll(() => cleanup.run());
	return stage;
}
