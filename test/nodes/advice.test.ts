import { type Engine } from '../engine/engine';
import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { CREDENTIAL, seaFarm, siteNode } from '../helpers/sea-farm';

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService();
});
beforeEach(async () => {
	service.reset();
	engine = await seaFarm(service);
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

const KEEP = "To keep what can be read, set 'On Error' to 'Continue' in the node's settings.";

async function adviceOf(fault: Fault, parameters = {}) {
	service.faults.site.push(fault);
	const node = siteNode({
		operation: 'getAll',
		siteIds: '1042, 1057',
		options: { maxRetries: 0, timeout: 200 },
		...parameters,
	});
	return String((await engine.run({ node })).error?.description);
}

test('one of several sites: how to keep the others', async () => {
	expect(await adviceOf({ status: 404, siteId: 1057 })).toContain(KEEP);
});

test('a single site: there is nothing to keep', async () => {
	expect(await adviceOf({ status: 404 }, { operation: 'get', siteId: 1042 })).not.toContain(KEEP);
});

test('a login that is rejected: there is nothing to keep', async () => {
	engine.editCredential(CREDENTIAL, { password: 'wrong' });
	expect(await adviceOf({})).not.toContain(KEEP);
});

test('a connection that fails names the credential to open', async () => {
	const gone = await startService();
	await gone.close();
	engine.editCredential(CREDENTIAL, { baseUrl: gone.baseUrl });
	expect(await adviceOf({})).toContain(`Open the credential "${CREDENTIAL}"`);
});

describe('the options of the node', () => {
	const faults: [string, Fault, string][] = [
		['a timeout', { connection: 'hang' }, "increase 'Timeout' under 'Options'"],
		['a rate limit', { status: 429, retryAfter: 0 }, "Lowering 'Max Concurrency' under 'Options'"],
	];

	test.each(faults)('are named by the node: %s', async (_, fault, advice) => {
		expect(await adviceOf(fault)).toContain(advice);
	});

	test('are not named by the trigger, which has none of them', async () => {
		service.faults.site.push({ status: 429, retryAfter: 0 });
		const trigger = engine.pollingTrigger({
			type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
			parameters: { siteIds: '1042' },
		});
		const error = await trigger.poll().catch((reason: unknown) => reason);
		const { message, description } = error as { message: string; description: string };
		expect(message).toBe('The service is receiving too many requests');
		expect(description).not.toMatch(/Timeout|Max Concurrency/);
	});
});
