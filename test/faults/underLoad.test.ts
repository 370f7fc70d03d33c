import { createEngine } from '../engine/engine';
import { type Service, startService } from '../fake-service/service';
import { CREDENTIAL, itemsWith, siteNode } from '../helpers/sea-farm';
import {
	arrangeLoad,
	type Cell,
	DRAWN,
	FARMS,
	findingsOf,
	IDS,
	isSlow,
	optionsOf,
	SEED,
} from './load';

// The cells wait side by side
jest.setTimeout(600_000);

/** All of them, or as many as the everyday tests have time for. */
const CHOSEN =
	process.env['LOAD'] === 'all' ? DRAWN : DRAWN.filter((cell) => !isSlow(cell)).slice(0, 20);

async function findingsIn(cell: Cell, service: Service): Promise<string[]> {
	const credentials = { [CREDENTIAL]: arrangeLoad(cell, service) };
	const engine = await createEngine({ fresh: false, credentials });
	const started = Date.now();
	const { items, run, hints } = await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', options: optionsOf(cell) },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(IDS),
	});
	const seconds = (Date.now() - started) / 1000;
	return findingsOf(cell, service, { items, record: JSON.stringify([run, hints]), seconds });
}

afterEach(() => jest.restoreAllMocks());

test(`whatever fails with 200 items at the default concurrency: ${CHOSEN.length} cells, seed ${SEED}`, async () => {
	// Backoff is a random share of seconds: short here, so that the waits of the cells fit into a test
	jest.spyOn(Math, 'random').mockReturnValue(0.02);
	const left = [...CHOSEN];
	const findings: string[] = [];
	const work = async () => {
		const service = await startService({ sites: FARMS });
		for (let cell = left.shift(); cell; cell = left.shift()) {
			findings.push(...(await findingsIn(cell, service)));
		}
		await service.close();
	};
	await Promise.all(Array.from({ length: 6 }, work));
	expect(findings.sort()).toEqual([]);
});
