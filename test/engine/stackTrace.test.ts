import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { useSeaFarm } from '../tools/engine/sea-farm';
import { defined } from '../tools/helpers/at';

const farm = useSeaFarm();

test('a stack trace names files that have a source of the same name, and the lines of the calls', async () => {
	const { error } = await farm.run({ operation: 'get' }, ['x']);
	const frames = [...defined(error?.stack).matchAll(/at (\S+) \((\S+):(\d+):\d+\)/g)]
		.map(([, name = '', file = '', line]) => ({ name, file, line: Number(line) }))
		.filter(({ file }) => file.startsWith(resolve('dist')));
	expect(frames.length).toBeGreaterThan(2);
	let called = 'NodeOperationError';
	for (const { name, file, line } of frames) {
		expect(existsSync(relative('dist', file).replace(/js$/, 'ts'))).toBe(true);
		expect(readFileSync(file, 'utf8').split('\n')[line - 1]).toContain(called);
		called = defined(name.split('.').at(-1));
	}
});
