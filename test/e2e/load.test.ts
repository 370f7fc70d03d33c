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
} from '../faults/load';
import type { Service } from '../fake-service/service';
import { startFake, useN8n } from './use-n8n';
import { readSites, siteNode } from './workflows';

const SIDE_BY_SIDE = 3;

const CHOSEN = DRAWN.filter((cell) => !isSlow(cell)).slice(0, Math.ceil(DRAWN.length / 10));

const stage = useN8n('load', { credential: false });

async function findingsIn(cell: Cell, service: Service): Promise<string[]> {
	const { n8n } = stage;
	const credential = await n8n.createCredential('Sea farm', arrangeLoad(cell, service));
	const onError = 'continueRegularOutput';
	const node = siteNode('Read', credential, { options: optionsOf(cell) }, { onError });
	const started = Date.now();
	const execution = await n8n.createAndRun(readSites(IDS, node));
	const seconds = (Date.now() - started) / 1000;
	const record = JSON.stringify(execution);
	return findingsOf(cell, service, { items: execution.items('Read'), record, seconds });
}

const names = CHOSEN.map(({ endpoint, fault, pattern }) => `${endpoint}, ${fault}, ${pattern}`);

test(`200 items at the default concurrency, seed ${SEED}: ${names.join('; ')}`, async () => {
	const left = [...CHOSEN];
	const findings: string[] = [];
	const work = async () => {
		const service = await startFake(stage.cleanup, { sites: FARMS });
		for (let cell = left.shift(); cell; cell = left.shift()) {
			findings.push(...(await findingsIn(cell, service)));
		}
	};
	await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
	expect(findings.sort()).toEqual([]);
}, 1_200_000);
