import { CREDENTIAL, useSeaFarm } from '../tools/engine/sea-farm';
import type { Fault } from '../tools/fake-service/faults';

const farm = useSeaFarm();

const KEEP = "To keep the items that succeed, set 'On Error' to 'Continue' in the node's settings.";

async function adviceOf(fault: Fault, parameters = {}, ids: unknown[] = ['1042, 1057']) {
	farm.service.faults.site.push(fault);
	const { error } = await farm.run({ operation: 'getAll', ...parameters }, ids);
	return String(error?.description);
}

test('one of several sites: how to keep the others', async () => {
	expect(await adviceOf({ status: 404, siteId: 1057 })).toContain(KEEP);
});

test('a single site: there is nothing to keep', async () => {
	expect(await adviceOf({ status: 404 }, {}, [1042])).not.toContain(KEEP);
});

test('a login that is rejected: there is nothing to keep', async () => {
	farm.engine.editCredential(CREDENTIAL, { password: 'wrong' });
	expect(await adviceOf({})).not.toContain(KEEP);
});
