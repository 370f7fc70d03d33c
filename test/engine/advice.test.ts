import { CREDENTIAL, useSeaFarm } from '../tools/engine/sea-farm';
import type { Fault } from '../tools/fake-service/faults';
import { startService } from '../tools/fake-service/service';
import { OwnTime, skipPausesInOwnTime } from '../tools/helpers/own-time';

const farm = useSeaFarm();

beforeEach(skipPausesInOwnTime);

const KEEP = "To keep the items that succeed, set 'On Error' to 'Continue' in the node's settings.";

async function adviceOf(fault: Fault, parameters = {}) {
	farm.service.faults.site.push(fault);
	const options = { maxRetries: 0, timeout: fault.connection === 'hang' ? 200 : 30_000 };
	const all = { operation: 'getAll', siteIds: '1042, 1057', options, ...parameters };
	const { error } = await OwnTime.run(async () => await farm.run(all));
	return String(error?.description);
}

test('one of several sites: how to keep the others', async () => {
	expect(await adviceOf({ status: 404, siteId: 1057 })).toContain(KEEP);
});

test('one of several items: how to keep the others', async () => {
	farm.service.faults.site.push({ status: 404, siteId: 1057 });
	const { error } = await farm.run({ operation: 'get' }, [1042, 1057]);
	expect(error?.description).toContain(KEEP);
});

test('a single site: there is nothing to keep', async () => {
	expect(await adviceOf({ status: 404 }, { operation: 'get', siteId: 1042 })).not.toContain(KEEP);
});

test('a login that is rejected: there is nothing to keep', async () => {
	farm.engine.editCredential(CREDENTIAL, { password: 'wrong' });
	expect(await adviceOf({})).not.toContain(KEEP);
});

test('a connection that fails names the credential to open', async () => {
	const gone = await startService();
	await gone.close();
	farm.engine.editCredential(CREDENTIAL, { baseUrl: gone.baseUrl });
	expect(await adviceOf({})).toContain(`Open the credential "${CREDENTIAL}"`);
});

describe('the options of the node', () => {
	const faults: [string, Fault, string][] = [
		['a timeout', { connection: 'hang' }, "increase 'Timeout' under 'Options'"],
		['a rate limit', { status: 429, retryAfter: 0 }, "lower 'Max Concurrency' under 'Options'"],
	];

	test.each(faults)('are named by the node: %s', async (_, fault, advice) => {
		expect(await adviceOf(fault)).toContain(advice);
	});
});
