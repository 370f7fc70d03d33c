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
import { startService } from '../../tools/fake-service/service';
import { skipIdleTime } from '../../tools/helpers/fake-clock';
import { own } from '../../tools/helpers/own';

const IS_ALL = process.env['LOAD'] === 'all';

const CELLS_EACH_DAY = 6;

jest.setTimeout(1_800_000);

/** All of them, or as many as the everyday tests have time for. */
const CHOSEN = IS_ALL
	? DRAWN.filter((cell) => !isEndless(cell))
	: DRAWN.filter((cell) => !isSlow(cell)).slice(0, CELLS_EACH_DAY);

// Backoff is a random share of seconds: short here, so that the waits of the cells fit into a test
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.02));

async function findingsIn(cell: Cell, clock = skipIdleTime()): Promise<string[]> {
	const service = await own(startService({ sites: FARMS }));
	const credentials = { [CREDENTIAL]: arrangeLoad(cell, service) };
	const engine = await createEngine({ fresh: false, credentials });
	const started = clock.now();
	const { items, run, hints } = await engine.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', simplify: false, options: optionsOf(cell) },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(IDS),
	});
	const seconds = (clock.now() - started) / 1000;
	return findingsOf(cell, service, { items, record: JSON.stringify([run, hints]), seconds });
}

test(`whatever fails with 200 items at the default concurrency: ${CHOSEN.length} cells, seed ${SEED}`, async () => {
	const findings: string[] = [];
	const clock = skipIdleTime();
	for (const cell of CHOSEN) findings.push(...(await findingsIn(cell, clock)));
	expect(findings.sort()).toEqual([]);
});

test.each(DRAWN.filter(isEndless))(
	'a rate limit that is none for the others, minutes long: $fault',
	async (cell) => {
		expect(await findingsIn(cell)).toEqual([]);
	},
);
