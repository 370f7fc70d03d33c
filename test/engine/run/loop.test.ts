import { getEventListeners } from 'node:events';
import { siteNode, useSeaFarm } from '../../tools/engine/sea-farm';
import { at } from '../../tools/helpers/at';

const [WITH_UNIT, WITHOUT] = [1088, 1101];
const RUNS = 200;

const farm = useSeaFarm();

test(`a loop of ${RUNS} runs in one execution keeps nothing for its Stop button`, async () => {
	const { service, engine } = farm;
	farm.site(WITH_UNIT).units.splice(1);
	const signals = new Set<EventTarget>();
	const listen = jest.spyOn(AbortSignal.prototype, 'addEventListener');
	// A site without units gives no item, which ends the loop
	const siteIds = `={{ $runIndex < ${RUNS - 1} ? ${WITH_UNIT} : ${WITHOUT} }}`;
	const node = siteNode({ operation: 'getUnits', siteIds });
	const { run, status } = await engine.run({ node, isLoop: true });
	for (const signal of listen.mock.contexts as EventTarget[]) signals.add(signal);
	expect(status).toBe('success');
	expect(at(Object.values(run.data.resultData.runData), 1)).toHaveLength(RUNS);
	expect(service.counts.siteRequests).toBe(RUNS);
	const kept = [...signals].map((signal) => getEventListeners(signal, 'abort').length);
	expect(Math.max(...kept)).toBeLessThan(RUNS / 10);
});
