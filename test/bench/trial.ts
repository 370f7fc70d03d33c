import { runCommand, say } from '../e2e/cli';
import { prepareSetup } from '../e2e/setup';
import { AQUACULTURE_SITE, BARE_HELPER, HTTP_REQUEST } from './callers';
import { measureCase } from './measure';
import { Platform } from './platform';
runCommand('', { cells: { type: 'string' }, rounds: { type: 'string' } }, async ({ cells, rounds }, cleanup) => {
	const setup = await prepareSetup(say);
	const platform = await Platform.start(cleanup, setup, 3000);
	const all = [AQUACULTURE_SITE, HTTP_REQUEST, BARE_HELPER];
	for (const caller of all) await platform.run(caller, { items: 200 });
	for (const cell of (cells ?? '').split(' ')) {
		const [latency, items] = cell.split(':').map(Number) as [number, number];
		const r = await measureCase(platform, { title: '', setting: { items, latency }, callers: all, rounds: Number(rounds) });
		say(`${latency} ms ${items}: ${r.rows.map((row) => `${row.caller.title} ${row.milliseconds.toFixed(0)} ms (${row.ratio.toFixed(2)})`).join(', ')}`);
	}
});
