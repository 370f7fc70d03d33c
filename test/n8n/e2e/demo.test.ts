import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { FILES, readExampleFile } from '../../tools/demo/example-files';
import { defined } from '../../tools/helpers/at';
import { Cleanup } from '../../tools/helpers/cleanup';
import { copyCheckout } from '../../tools/n8n/checkout';
import { freePort } from '../../tools/n8n/processes';
import { inWorkspace, ROOT } from '../../tools/n8n/workspace';
import { Terminal } from './terminal';

const cleanup = new Cleanup();
afterAll(() => cleanup.run());

/** On a machine with Node and npm alone: without Python, make and a compiler. */
test('npm run demo -- --open, from its first line to Ctrl-C', async () => {
	const path = dirname(inWorkspace('bare', 'any'));
	execFileSync(join(ROOT, 'test/tools/n8n/bare-path'), [path]);
	const port = await freePort();
	const other = createServer().listen(port, '127.0.0.1');
	cleanup.defer(() => other.close());
	await once(other, 'listening');
	const env = { PATH: path, HOME: process.env['HOME'] };
	const demo = new Terminal('demo', ['--open', '--port', String(port)], ROOT, cleanup, env);

	// On the next free port, the workflow runs with all sites
	await demo.waitFor(/Ctrl-C/);
	const chosen = Number(new URL(demo.origin).port);
	expect(chosen).toBeGreaterThan(port);
	await demo.waitFor(new RegExp(`Port ${port} is in use. Taking port ${chosen}.`));
	await demo.waitFor(/finished with 6 items/);
	await demo.waitFor(/1042 .* Storholmen /);

	// The shown account of n8n opens it; the credential and all examples are there
	const cookie = await demo.logIn();
	const read = async <T>(path: string) => {
		const response = await fetch(`${demo.origin}/rest${path}`, { headers: { cookie } });
		return ((await response.json()) as { data: T[] }).data;
	};
	const names = FILES.map((file) => (JSON.parse(readExampleFile(file)) as { name: string }).name);
	const workflows = await read<{ name: string }>('/workflows');
	expect(workflows.map(({ name }) => name).sort()).toEqual([...names, 'Aquaculture Demo'].sort());
	const credentials = await read<{ type: string }>('/credentials');
	expect(credentials.filter(({ type }) => type === 'aquacultureApi')).toHaveLength(1);

	// The service accepts the login that is shown for it
	const password = demo.lines.map((line) => /Password +(sample\S+)/.exec(line)?.[1]).find(Boolean);
	const { status } = await fetch(`${demo.shown('Base URL')}/auth/token`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'api-version': '2025-01-01' },
		body: JSON.stringify({ username: demo.shown('Username'), password }),
	});
	expect(status).toBe(200);

	// A pen that moves, and a unit that is renamed, reach Slack; nothing changes by itself
	const alerts = () => demo.lines.filter((line) => line.includes('Slack, #fish-farm:'));
	const command = async (action: string) => {
		const lines = demo.lines.map((line) => /curl -X POST (\S+)/.exec(line)?.[1]);
		const url = defined(lines.find((found) => found?.endsWith(action)));
		expect((await fetch(url, { method: 'POST' })).status).toBe(200);
	};
	expect(alerts()).toEqual([]);
	await command('move-pen');
	await command('rename-unit');
	const map = String.raw` \(https://www\.openstreetmap\.org/\S+\)$`;
	await demo.waitFor(new RegExp(`^ +Pen 7 of Storholmen was moved 120 m${map}`));
	await demo.waitFor(new RegExp(`^ +Pen 2 of Storholmen was renamed to Pen 2 South${map}`));
	// Two, if a poll came in between
	expect(alerts().length).toBeLessThanOrEqual(2);

	// The service breaks, and is mended: without a token, 401
	const statusNow = async () => (await fetch(`${demo.shown('Base URL')}/meta/sites/1042`)).status;
	await command('break');
	expect(await statusNow()).toBe(503);
	await command('mend');
	expect(await statusNow()).toBe(401);

	demo.process.interrupt();
	const { output } = await demo.process.ended;
	expect(output).toMatch(/Stopping n8n\.\n.* Done\.\n$/);
});

// Before anything is downloaded; what is written to /dev/full finds the disk full
test('on a full disk, npm run demo ends with a sentence', async () => {
	const folder = await copyCheckout('full');
	const log = join(folder, '.n8n/logs/install-2.log');
	mkdirSync(dirname(log), { recursive: true });
	symlinkSync('/dev/full', log);
	const env = { ...process.env, npm_config_offline: 'true' };
	const { output, code } = await new Terminal('demo', [], folder, cleanup, env).process.ended;
	expect(output).toMatch(
		/\n\nThe disk is full\. n8n needs 3 GB in \S+\.n8n: free that, and .+\.\n$/,
	);
	expect(code).toBe(1);
});
