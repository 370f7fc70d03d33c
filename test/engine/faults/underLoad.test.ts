import {
	arrangeLoad,
	type Cell,
	DRAWN,
	FARMS,
	findingsOf,
	IDS,
	isEndless,
	isSlow,
	optionsOf,
	SEED,
} from '../../tools/cases/load';
import { createEngine } from '../../tools/engine/engine';
import { CREDENTIAL, itemsWith, siteNode } from '../../tools/engine/sea-farm';
import { type Service, startService } from '../../tools/fake-service/service';
import { IdleTime } from '../../tools/helpers/idle-time';
import { inLanes } from '../../tools/helpers/lanes';

const IS_ALL = process.env['LOAD'] === 'all';

/** Cells at once: they mostly wait. With too many, requests that are only slow would meet the time limit. */
const SIDE_BY_SIDE = 6;

jest.setTimeout(1_800_000);

/** All of them, or as many as the everyday tests have time for. */
const CHOSEN = IS_ALL
	? DRAWN.filter((cell) => !isEndless(cell))
	: DRAWN.filter((cell) => !isSlow(cell)).slice(0, SIDE_BY_SIDE);

// Backoff is a random share of seconds: short here, so that the waits of the cells fit into a test
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.02));
afterEach(() => jest.restoreAllMocks());

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
	const findings: string[] = [];
	const lanes = Array.from({ length: SIDE_BY_SIDE }, () => startService({ sites: FARMS }));
	const services = await Promise.all(lanes);
	await inLanes(services, CHOSEN, async (cell, service) => {
		findings.push(...(await findingsIn(cell, service)));
	});
	await Promise.all(services.map((service) => service.close()));
	expect(findings.sort()).toEqual([]);
});

test.each(DRAWN.filter(isEndless))(
	'a rate limit that is none for the others, minutes long: $fault',
	async (cell) => {
		const service = await startService({ sites: FARMS });
		const time = new IdleTime(() => service.counts.requests);
		const findings = await findingsIn(cell, service);
		time.end();
		await service.close();
		expect(findings).toEqual([]);
		expect(service.counts.sitesServed).toBe(150);
	},
);
