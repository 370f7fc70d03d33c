import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { GuardedProcess } from '../../tools/n8n/processes';
import { setup } from '../../tools/n8n/setup';
import { inWorkspace, ROOT } from '../../tools/n8n/workspace';

test('the demo runs with Node and npm alone, on the next port when its own is in use', async () => {
	const path = dirname(inWorkspace('bare', 'any'));
	execFileSync(join(ROOT, 'test/tools/n8n/bare-path'), [path]);
	const compilers = ['python3', 'make', 'g++', 'gcc', 'cc', 'c++'];
	expect(readdirSync(path).filter((name) => compilers.includes(name))).toEqual([]);
	expect(setup().install.sqlite).toBe('prebuilt');

	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const { port } = other.address() as AddressInfo;
	// What `npm run demo` runs; npm itself would keep a Ctrl-C that comes from no terminal.
	const command = [
		'--import',
		'tsx',
		join(ROOT, 'test/tools/demo/demo.ts'),
		'--open',
		'--port',
		String(port),
	];
	const demo = new GuardedProcess(join(path, 'node'), command, {
		cwd: ROOT,
		env: { PATH: path, HOME: process.env['HOME'] },
		onLine: (line) => {
			if (line.startsWith('Press Ctrl-C')) void demo.signal('SIGINT');
		},
	});
	const { code, output } = await demo.ended;
	other.close();

	expect(output).toContain(`Port ${port} is in use. Taking port `);
	const [, chosen] = /Address +http:\/\/127\.0\.0\.1:(\d+)\//.exec(output) ?? [];
	expect(Number(chosen)).toBeGreaterThan(port);
	expect(output).toContain('finished with 6 items');
	expect(output).toMatch(/1042 .* Storholmen /);
	expect(output).toContain('Stopping n8n.');
	expect(code).toBe(0);
});
