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
 * @throws Error in the cleanup if Node has warned of anything: n8n itself gives no reason to
 */
export async function startN8n(
	cleanup: Cleanup,
	options: N8nOptions,
	prepare?: (userFolder: string) => void,
): Promise<N8nInstance> {
	const n8n = await N8nInstance.create(options);
	cleanup.defer(async () => {
		await n8n.dispose();
		// Not meant: of a TLS server's IP address, which n8n 1 hands on as a name (DEP0123), and of how n8n uses PostgreSQL
		const warnings = readFileSync(n8n.log, 'utf8').match(
			/^\(node:\d+\)(?!.*(DEP0123|client\.query)).*Warning: .*/gm,
		);
		if (warnings) throw new Error(`Node has warned, see ${n8n.log}: ${warnings.join('\n')}`);
	});
	prepare?.(n8n.userFolder);
	await n8n.start();
	return n8n;
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
		if (options.credential === false) return;
		stage.credential = await saveCredential(stage.n8n, stage.service);
	}, INSTALL_TIMEOUT_MS);
	afterAll(() => cleanup.run());
	return stage;
}
