import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { FILES, readExampleFile } from '../../tools/demo/example-files';
import { defined } from '../../tools/helpers/at';
import { Cleanup } from '../../tools/helpers/cleanup';
import { installPackages } from '../../tools/n8n/packages';
import { freePort } from '../../tools/n8n/processes';
import { setup } from '../../tools/n8n/setup';
import { inWorkspace, ROOT } from '../../tools/n8n/workspace';
import { Terminal } from './terminal';

/** What a newcomer is promised. */
const ALERT_WITHIN_MS = 120_000;

const cleanup = new Cleanup();
/** A port that is in use. */
let port: number;
let demo: Terminal;
let cookie: string;

/** On a machine with Node and npm alone: without Python, make and a compiler. */
beforeAll(async () => {
	const path = dirname(inWorkspace('bare', 'any'));
	execFileSync(join(ROOT, 'test/tools/n8n/bare-path'), [path]);
	port = await freePort();
	const other = createServer().listen(port, '127.0.0.1');
	cleanup.defer(() => other.close());
	await once(other, 'listening');
	const env = { PATH: path, HOME: process.env['HOME'] };
	demo = new Terminal('demo', ['--open', '--port', String(port)], ROOT, cleanup, env);
	await demo.waitFor(/Ctrl-C/);
	cookie = await demo.logIn();
});

afterAll(() => cleanup.run());

async function read<T>(path: string): Promise<T> {
	const response = await fetch(`${demo.origin}/rest${path}`, { headers: { cookie } });
	return ((await response.json()) as { data: T }).data;
}

/** What a command of the table does. */
async function runCommand(action: string): Promise<void> {
	const [, url] = defined(
		demo.lines
			.map((line) => /curl -X POST (\S+)/.exec(line))
			.find((found) => found?.[1]?.endsWith(action)),
	);
	expect((await fetch(defined(url), { method: 'POST' })).status).toBe(200);
}

const alerts = () => demo.lines.filter((line) => line.includes('Slack, #fish-farm:'));

test('on the next free port, the workflow has run with all sites', async () => {
	const chosen = Number(new URL(demo.origin).port);
	expect(chosen).toBeGreaterThan(port);
	await demo.waitFor(new RegExp(`Port ${port} is in use. Taking port ${chosen}.`));
	await demo.waitFor(/finished with 6 items/);
	await demo.waitFor(/1042 .* Storholmen /);
	expect(setup().install.sqlite).toBe('prebuilt');
});

test('a full disk is told in a sentence', async () => {
	const [name, announcement] = ['n8n', 'Installing n8n'];
	// What pnpm is, a program of Node
	const write = "require('fs').writeFileSync('/dev/full', 'package')";
	const command = [process.execPath, '-e', write];
	const source = { folder: ROOT, files: [], target: 'full-disk', name, announcement, command };
	await expect(installPackages(source, () => {})).rejects.toThrow(
		/^n8n could not be installed because the disk is full\. Free 3 GB on the disk of \S+full-disk, and /,
	);
});

test('everything is in n8n: the credential, and the examples with what they need', async () => {
	const workflows = await read<Array<{ name: string }>>('/workflows');
	const examples = FILES.map(
		(file) => (JSON.parse(readExampleFile(file)) as { name: string }).name,
	);
	expect(workflows.map(({ name }) => name).sort()).toEqual(
		[...examples, 'Aquaculture Demo'].sort(),
	);
	const credentials = await read<Array<{ type: string }>>('/credentials');
	expect(credentials.filter(({ type }) => type === 'aquacultureApi')).toHaveLength(1);
});

test('the login of the service is shown: the service accepts it', async () => {
	const password = demo.lines.map((line) => /Password +(sample\S+)/.exec(line)?.[1]).find(Boolean);
	const response = await fetch(`${demo.shown('Base URL')}/auth/token`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'api-version': '2025-01-01' },
		body: JSON.stringify({ username: demo.shown('Username'), password }),
	});
	expect(response.status).toBe(200);
});

test('a pen that moves, and a unit that is renamed, reach Slack within two minutes', async () => {
	// Nothing changes by itself
	expect(alerts()).toEqual([]);
	await runCommand('move-pen');
	await runCommand('rename-unit');
	await demo.waitFor(/Slack, #fish-farm:/, ALERT_WITHIN_MS);
	const map = String.raw` \(https://www\.openstreetmap\.org/\S+\)$`;
	await demo.waitFor(new RegExp(`^ +Pen 7 of Storholmen was moved 120 m${map}`));
	await demo.waitFor(new RegExp(`^ +Pen 2 of Storholmen was renamed to Pen 2 South${map}`));
	// Two, if a poll came in between
	expect(alerts().length).toBeLessThanOrEqual(2);
});

test('the service breaks, and is mended', async () => {
	const status = async () => (await fetch(`${demo.shown('Base URL')}/meta/sites/1042`)).status;
	await runCommand('break');
	expect(await status()).toBe(503);
	await runCommand('mend');
	// Without a token
	expect(await status()).toBe(401);
});

test('Ctrl-C ends it', async () => {
	demo.process.interrupt();
	const { output } = await demo.process.ended;
	expect(output).toMatch(/Stopping n8n\.\n.* Done\.\n$/);
});
