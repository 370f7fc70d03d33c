import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Service, startService } from './service';

/** Runs the command as `npm run service` does, until it ends or `isEnough` holds of its output; then Ctrl-C. */
async function run(args: string[], isEnough = (_output: string) => false) {
	const file = join(__dirname, 'main.ts');
	const command = spawn(process.execPath, ['--import', 'tsx', file, ...args]);
	let output = '';
	const listen = (chunk: Buffer) => {
		output += chunk.toString();
		if (isEnough(output)) command.kill('SIGINT');
	};
	command.stdout.on('data', listen);
	command.stderr.on('data', listen);
	const [code] = (await once(command, 'close')) as [number | null];
	return { code, output };
}

let service: Service;

beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());

test('prints base URL, sample login and switches, and stops on Ctrl-C', async () => {
	const { code, output } = await run(['--base-path', 'api/v2/'], (text) => text.includes('/reset'));
	expect(code).toBe(0);
	expect(output).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\/api\/v2\n/);
	expect(output).toContain(service.login.username);
	expect(output).toContain(service.login.password);
	expect(output).toContain('1042 Storholmen');
	expect(output).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+\/_control\/faults/);
}, 20_000);

test('says in a sentence when the port is taken', async () => {
	const { port } = new URL(service.origin);
	const { code, output } = await run(['--port', port]);
	expect(code).toBe(1);
	expect(output).toMatch(/^Another program uses this port already\. [^\n]+--port[^\n]*\n$/);
}, 20_000);

test.each(['http', '70000', '-1'])(
	'says what --port takes, not %s',
	async (port) => {
		const { code, output } = await run([`--port=${port}`]);
		expect(code).toBe(1);
		expect(output).toContain(`--port takes a whole number up to 65535, not '${port}'.`);
	},
	20_000,
);
