import { findings, told } from '../../tools/cases/condition-findings';
import { Simulation, useSeed } from './simulation';
import { type Condition, CONDITIONS } from '../../tools/cases/conditions';

// Of each mutant, the fastest alone
const LATENCIES = process.env['FEW_CASES'] ? [3] : [3, 30, 200];
const SEEDS = process.env['LOAD'] === 'all' ? [1, 2, 3] : [1];

afterEach(() => jest.restoreAllMocks());

/** What a run at the same distance takes at a service that is well. */
async function freshSeconds(items: number, latency: number): Promise<number> {
	const well: Condition = { name: 'is well', items, service: () => ({}) };
	return (await new Simulation(well, latency).run()).seconds;
}

describe.each(CONDITIONS)('a service that $name', (condition) => {
	test.each(LATENCIES)('%i ms away', async (latency) => {
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
