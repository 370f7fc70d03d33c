import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs the command as `npm run service` does, until it ends or prints its last line; then Ctrl-C. */
async function run(...args: string[]) {
	const file = join(__dirname, '../../tools/fake-service/main.ts');
	const command = spawn(process.execPath, ['--import', 'tsx', file, ...args]);
	let output = '';
	const listen = (chunk: Buffer) => {
		output += chunk.toString();
		if (output.includes('/_control/reset')) command.kill('SIGINT');
	};
	command.stdout.on('data', listen);
	command.stderr.on('data', listen);
	const [code] = (await once(command, 'close')) as [number | null];
	return { code, output };
}

test('the command prints base URL, login and sites, and stops on Ctrl-C', async () => {
	const { code, output } = await run('--base-path', 'api/v2/');
	expect(code).toBe(0);
	expect(output).toMatch(/Base URL +http:\/\/127\.0\.0\.1:\d+\/api\/v2\n/);
	expect(output).toMatch(/Username +sample-user@example\.com\n +Password +\S+\n/);
	expect(output).toContain('1042 Storholmen');
});
