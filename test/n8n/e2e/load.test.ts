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
import type { Service } from '../../tools/fake-service/service';
import { inLanes } from '../../tools/helpers/lanes';
import { startFake, useN8n } from '../../tools/n8n/use-n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';

const SIDE_BY_SIDE = 3;

/** A limit for a cell that hangs; how long one may take is tested in test/engine/faults, without n8n's own load. */
const LIMIT_MS = 600_000;

const CHOSEN = DRAWN.filter((cell) => !isSlow(cell)).slice(0, Math.ceil(DRAWN.length / 10));

const stage = useN8n('load', { credential: false });

async function findingsIn(cell: Cell, service: Service): Promise<string[]> {
	const { n8n } = stage;
	const credential = await n8n.createCredential('Sea farm', arrangeLoad(cell, service));
	const onError = 'continueRegularOutput';
	const node = siteNode('Read', credential, { options: optionsOf(cell) }, { onError });
	const id = await n8n.startExecution(await n8n.createWorkflow(readSites(IDS, node)));
	const execution = await n8n.waitForExecution(id, LIMIT_MS);
	const record = JSON.stringify(execution);
	return findingsOf(cell, service, { items: execution.items('Read'), record, seconds: 0 });
}

const names = CHOSEN.map(({ endpoint, fault, pattern }) => `${endpoint}, ${fault}, ${pattern}`);

test(`200 items at the default concurrency, seed ${SEED}: ${names.join('; ')}`, async () => {
	const findings: string[] = [];
	const lanes = Array.from({ length: SIDE_BY_SIDE }, () =>
		startFake(stage.cleanup, { sites: FARMS }),
	);
	await inLanes(await Promise.all(lanes), CHOSEN, async (cell, service) => {
		findings.push(...(await findingsIn(cell, service)));
	});
	expect(findings.sort()).toEqual([]);
}, 1_800_000);
