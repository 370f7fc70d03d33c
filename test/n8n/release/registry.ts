import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { defined } from '../../tools/helpers/at';
import type { Cleanup } from '../../tools/helpers/cleanup';
import { until } from '../../tools/helpers/until';
import { playHosts } from '../../tools/n8n/hosts';
import { installPackages } from '../../tools/n8n/packages';
import { freePort, GuardedProcess } from '../../tools/n8n/processes';
import { inWorkspace, type Say } from '../../tools/n8n/workspace';

/** n8n takes packages from this registry alone, unless its license allows for another. */
const HOST = 'registry.npmjs.org';

/** The npm registry as this test plays it: verdaccio, empty at first, which asks no other registry. */
export interface Registry {
	/** Environment variables with which npm and n8n find it at its usual address, and nothing else by HTTPS. */
	env: Record<string, string>;
	/** A home folder whose npm may publish. */
	publisherHome: string;
	/** What was requested, for example "GET /n8n-nodes-aquaculture". */
	requests: string[];
}

const VERDACCIO = {
	folder: join(__dirname, 'verdaccio'),
	files: ['package.json', 'package-lock.json'],
	target: 'registry',
	name: 'The npm registry',
	announcement: 'Installing an npm registry for the rehearsal, only this first time.',
	command: ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
};

/** Starts it on 127.0.0.1, with nothing in it. The cleanup ends it. */
export async function startRegistry(cleanup: Cleanup, say: Say): Promise<Registry> {
	const installed = await installPackages(VERDACCIO, say);
	const script = join(installed, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
	const dir = dirname(inWorkspace('registry-data', 'any'));
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	const port = await freePort();
	const config = join(dir, 'config.yaml');
	writeFileSync(
		config,
		stringify({
			storage: join(dir, 'storage'),
			auth: { htpasswd: { file: join(dir, 'htpasswd') } },
			packages: { '**': { access: '$all', publish: '$authenticated' } },
			web: { enable: false },
			log: { type: 'stdout', format: 'json', level: 'warn' },
		}),
	);
	const address = `127.0.0.1:${port}`;
	const server = new GuardedProcess(
		process.execPath,
		[script, '--config', config, '--listen', address],
		{ cwd: dir, env: { PATH: process.env['PATH'], HOME: dir }, log: join(dir, 'log') },
	);
	cleanup.defer(() => server.kill());
	await until('the registry responds', async () => {
		if (!server.running) throw new Error(`The registry has ended. Its log: ${join(dir, 'log')}`);
		return await fetch(`http://${address}/-/ping`).then(
			({ ok }) => ok,
			() => false,
		);
	});

	const requests: string[] = [];
	const env = await playHosts(cleanup, 'registry', [HOST], (request, response) => {
		const { method, url: path } = request;
		requests.push(`${method} ${path}`);
		const headers = { ...request.headers, 'x-forwarded-proto': 'https' };
		const onward = forward({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		onward.on('error', () => response.destroy());
		request.pipe(onward);
	});
	return {
		env: {
			...env,
			// Said to npm as well, for machines on which its settings name a mirror or other certificates
			npm_config_registry: `https://${HOST}/`,
			npm_config_update_notifier: 'false',
			npm_config_cafile: defined(env['NODE_EXTRA_CA_CERTS']),
		},
		requests,
		publisherHome: await signUp(address, dir),
	};
}

/**
 * Makes the only user.
 * @returns the folder, with a setting of npm that holds the user's token
 */
async function signUp(address: string, folder: string): Promise<string> {
	const user = { name: 'maintainer', password: randomUUID() };
	const response = await fetch(`http://${address}/-/user/org.couchdb.user:${user.name}`, {
		method: 'PUT',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(user),
	});
	const { token } = (await response.json()) as { token: string };
	writeFileSync(join(folder, '.npmrc'), `//${HOST}/:_authToken=${token}\n`);
	return folder;
}
