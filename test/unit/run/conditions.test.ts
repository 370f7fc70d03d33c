import { findings, told } from '../../tools/cases/condition-findings';
import { CONDITIONS } from '../../tools/cases/conditions';
import { at } from '../../tools/helpers/at';
import { simulate, useSeed } from './simulation';

const IS_ALL = process.env['LOAD'] === 'all';
const LATENCIES = [3, 30, 200];
const SEEDS = IS_ALL ? [1, 2, 3] : [1];

/** In the everyday tests, each service is at one of the distances; of each mutant, at the nearest. */
const SERVICES = CONDITIONS.flatMap((condition, index) => {
	const place = process.env['FEW_CASES'] ? 0 : index % LATENCIES.length;
	const latencies = IS_ALL ? LATENCIES : [at(LATENCIES, place)];
	return latencies.map((latency) => ({ ...condition, latency }));
});

test.each(SERVICES)('a service that $name, $latency ms away', async ({ latency, ...condition }) => {
	const found: string[] = [];
	for (const seed of SEEDS) {
		useSeed(seed);
		const well = { name: 'is well', items: condition.items, service: () => ({}) };
		const { seconds: fresh } = at(await simulate(well, latency), 0);
		for (const outcome of await simulate(condition, latency)) {
			found.push(...findings(condition, outcome, fresh));
			if (process.env['CONDITIONS'] === 'print') {
				process.stdout.write(`${condition.name}, ${latency} ms, seed ${seed}: ${told(outcome)}\n`);
			}
		}
	}
	expect(found).toEqual([]);
});
