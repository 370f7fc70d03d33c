import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { request as forward } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { playHosts } from '../e2e/fakes/hosts';
import { freePort, GuardedProcess, run } from '../e2e/processes';
import {
	exclusively,
	inWorkspace,
	packageManagerEnv,
	type Say,
	SetupError,
} from '../e2e/workspace';
import { defined } from '../helpers/at';
import type { Cleanup } from '../helpers/cleanup';
import { until } from '../helpers/until';

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

/** Installs verdaccio in `.n8n/registry`, unless the one of the lock file is there. */
async function installVerdaccio(say: Say): Promise<string> {
	const files = ['package.json', 'package-lock.json'].map((name) =>
		join(__dirname, 'verdaccio', name),
	);
	const dir = dirname(inWorkspace('registry', 'package.json'));
	const stamp = join(dir, 'installed');
	const hash = files
		.reduce((sum, file) => sum.update(readFileSync(file)), createHash('sha256'))
		.digest('hex');
	await exclusively('registry', say, async () => {
		if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
		say('Installing an npm registry for the rehearsal, only this first time.');
		for (const file of files) await copyFile(file, join(dir, basename(file)));
		const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
		const options = { cwd: dir, env: packageManagerEnv() };
		const { code, output } = await run('npm', ['ci', ...flags], options);
		if (code !== 0) throw new SetupError(`The npm registry could not be installed.\n${output}`);
		writeFileSync(stamp, hash);
	});
	return join(dir, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
}

/** Starts it on 127.0.0.1, with nothing in it. The cleanup ends it. */
export async function startRegistry(cleanup: Cleanup, say: Say): Promise<Registry> {
	const script = await installVerdaccio(say);
	const dir = dirname(inWorkspace('registry-data', 'any'));
	rmSync(dir, { recursive: true, force: true });
	await mkdir(dir, { recursive: true });
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
		const { method, url, headers } = request;
		requests.push(`${method} ${url}`);
		const onward = forward(
			{
				port,
				host: '127.0.0.1',
				method,
				path: url,
				headers: { ...headers, 'x-forwarded-proto': 'https' },
			},
			(answer) => {
				response.writeHead(answer.statusCode ?? 500, answer.headers);
				answer.pipe(response);
			},
		);
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
