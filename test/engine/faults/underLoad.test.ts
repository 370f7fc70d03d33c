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
} from '../../tools/cases/load';
import { createEngine } from '../../tools/engine/engine';
import { CREDENTIAL, itemsWith, siteNode } from '../../tools/engine/sea-farm';
import { type Service, startService } from '../../tools/fake-service/service';
import { inLanes } from '../../tools/helpers/lanes';

const IS_ALL = process.env['LOAD'] === 'all';

/** Cells at once: they mostly wait. With too many, requests that are only slow would meet the time limit. */
const SIDE_BY_SIDE = 6;

jest.setTimeout(1_800_000);

/** All of them, or as many as the everyday tests have time for. */
const CHOSEN = IS_ALL ? DRAWN : DRAWN.filter((cell) => !isSlow(cell)).slice(0, SIDE_BY_SIDE);

async function findingsIn(cell: Cell, service: Service): Promise<string[]> {
	const credentials = { [CREDENTIAL]: arrangeLoad(cell, service) };
	const engine = await createEngine({ fresh: false, credentials });
	const started = Date.now();
	const { items, run, hints } = await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', simplify: false, options: optionsOf(cell) },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(IDS),
	});
	const seconds = (Date.now() - started) / 1000;
	return findingsOf(cell, service, { items, record: JSON.stringify([run, hints]), seconds });
}

test(`whatever fails with 200 items at the default concurrency: ${CHOSEN.length} cells, seed ${SEED}`, async () => {
	// Backoff is a random share of seconds: short here, so that the waits of the cells fit into a test
	jest.spyOn(Math, 'random').mockReturnValue(0.02);
	const findings: string[] = [];
	const lanes = Array.from({ length: SIDE_BY_SIDE }, () => startService({ sites: FARMS }));
	const services = await Promise.all(lanes);
	await inLanes(services, CHOSEN, async (cell, service) => {
		findings.push(...(await findingsIn(cell, service)));
	});
	await Promise.all(services.map((service) => service.close()));
	expect(findings.sort()).toEqual([]);
});
