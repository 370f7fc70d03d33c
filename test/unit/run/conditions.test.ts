import { findings, told } from '../../tools/cases/condition-findings';
import { type Condition, CONDITIONS } from '../../tools/cases/conditions';
import { at } from '../../tools/helpers/at';
import { Simulation, useSeed } from './simulation';

const IS_ALL = process.env['LOAD'] === 'all';
const LATENCIES = [3, 30, 200];
const SEEDS = IS_ALL ? [1, 2, 3] : [1];

/** In the everyday tests, each service is at one of the distances; of each mutant, at the nearest. */
const SERVICES = CONDITIONS.map((condition, index) => {
	const place = process.env['FEW_CASES'] ? 0 : index % LATENCIES.length;
	return { ...condition, latencies: IS_ALL ? LATENCIES : [at(LATENCIES, place)] };
});

afterEach(() => jest.restoreAllMocks());

/** What a run at the same distance takes at a service that is well. */
async function freshSeconds(items: number, latency: number): Promise<number> {
	const well: Condition = { name: 'is well', items, service: () => ({}) };
	return (await new Simulation(well, latency).run()).seconds;
}

describe.each(SERVICES)('a service that $name', ({ latencies, ...condition }) => {
	test.each(latencies)('%i ms away', async (latency) => {
		const found: string[] = [];
		for (const seed of SEEDS) {
			useSeed(seed);
			const fresh = await freshSeconds(condition.items, latency);
			const simulation = new Simulation(condition, latency);
			const outcomes = [await simulation.run()];
			if (condition.again !== undefined) {
				await simulation.rest(condition.again);
				outcomes.push(await simulation.run());
			}
			for (const outcome of outcomes) {
				if (process.env['CONDITIONS'] === 'print') {
					process.stdout.write(
						`${condition.name}, ${latency} ms, seed ${seed}: ${told(outcome)}\n`,
					);
				}
				found.push(...findings(condition, outcome, fresh));
			}
		}
		expect(found).toEqual([]);
	});
});
