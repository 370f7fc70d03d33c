import { SITE_RULES, TOKEN_RULES } from '../../nodes/AquacultureSite/service/messages/rules';
import { messageOf } from '../tools/cases/examples';
import { CREDENTIAL, siteNode, useSeaFarm } from '../tools/engine/sea-farm';
import { manySites } from '../tools/fake-service/sites';
import { at } from '../tools/helpers/at';
import { LIST_OPERATIONS } from '../tools/helpers/panel';

const farm = useSeaFarm();

const KEEP = "To keep the items that succeed, set 'On Error' to 'Continue' in the node's settings.";
const DOWN = messageOf(SITE_RULES.unavailable, 500);
const GET = { operation: 'get', include: [] };

test('all parameters are checked before anything is sent', async () => {
	const { error } = await farm.run(GET, [1042, 1057, '../auth/token', 'x']);
	expect(error?.message).toBe(`'Site ID': "../auth/token" is not a site ID [item 2]`);
	expect(error).toMatchObject({
		context: { itemIndex: 2 },
		description: expect.stringContaining(KEEP) as unknown,
	});
	const { error: wrongOption } = await farm.run({ ...GET, options: { timeout: '={{ "soon" }}' } });
	expect(wrongOption?.message).toBe(
		`'Timeout' must be a whole number from 1 to 3600000, not "soon"`,
	);
	expect(farm.service.counts.requests).toBe(0);
});

test('how to keep the items that succeed is said only where some can', async () => {
	const adviceFor = async (...ids: unknown[]) =>
		String((await farm.run({ operation: 'getAll' }, ids)).error?.description);
	expect(await adviceFor('1042, 77')).toContain(KEEP);
	expect(await adviceFor(77)).not.toContain(KEEP);
	farm.engine.editCredential(CREDENTIAL, { password: 'wrong' });
	expect(await adviceFor('1042, 1057')).not.toContain(KEEP);
});

describe('On Error', () => {
	const notFound = messageOf(SITE_RULES.notFound, 404, 77);

	test('Stop Workflow: the sites that are left are not requested', async () => {
		farm.service.sites.push(...manySites(200));
		farm.service.faults.site.push({ siteId: 1042, latencyMs: 200 });
		const { error } = await farm.run(GET, [77, ...manySites(200).map(({ siteId }) => siteId)]);
		expect(error?.message).toBe(`${notFound} [item 0]`);
		// Time for those that would go on
		await farm.run(GET, [1042]);
		// Those in flight when the first one failed, and the one after it
		expect(farm.service.counts.siteRequests).toBeLessThanOrEqual(64 + 1);
	});

	test('of 1,000 items, all that can be read are, although the first 600 cannot', async () => {
		const ids = manySites(1000).map(({ siteId }) => siteId);
		const closed = ids.slice(0, 600).map((siteId) => ({ siteId, status: 403 }));
		farm.service.sites.push(...manySites(1000));
		farm.service.faults.site.push(...closed);
		const get = { ...GET, options: { maxRetries: 0 } };
		const { items } = await farm.run(get, ids, { onError: 'continueRegularOutput' });
		expect(items.map(({ json }) => 'error' in json)).toEqual(ids.map((_, i) => i < 600));
	});

	test.each([
		['getAll', 'continueErrorOutput', 1],
		['getUnits', 'continueErrorOutput', 1],
		['getMap', 'continueRegularOutput', 0],
	] as const)(
		'%s, %s: each failed site is named, in the order of the list',
		async (operation, onError, output) => {
			const isDown = { status: 500, times: 9 };
			// The first one is the last to fail
			farm.service.faults.site.push({ siteId: 1057, latencyMs: 100, ...isDown });
			farm.service.faults.site.push({ siteId: 1063, ...isDown });
			const parameters = { operation, format: 'json', options: { maxRetries: 0 } };
			const ids = ['1057, x, 1042, 77, 1063'];
			const { outputs } = await farm.run(parameters, ids, { onError });
			expect(JSON.stringify(outputs[0])).toMatch(/("siteId":|site-)1042\b/);
			const failed = at(outputs, output).filter(({ json }) => 'error' in json);
			const wrong = `'Site IDs': "x" is not a site ID (entry 2 of 5)`;
			expect(failed.map(({ json }) => json.error)).toEqual([
				`Site 1057: ${DOWN}`,
				wrong,
				notFound,
				`Site 1063: ${DOWN}`,
			]);
			const siteIds = failed.flatMap(({ json }) => json.siteId ?? []);
			expect(siteIds).toEqual(output === 1 ? [] : [1057, 77, 1063]);
			// The error output has the fields of the input as well
			const details = expect.stringMatching(/^A site ID is a whole number/) as unknown;
			const json = { ...(output === 1 && { id: ids[0] }), error: wrong, details };
			expect(failed).toContainEqual({ json, pairedItem: { item: 0 } });
		},
	);

	test('Stop Workflow: the site is named, unless none can be read', async () => {
		const parameters = { operation: 'getAll', options: { maxRetries: 0 } };
		farm.service.faults.site.push({ siteId: 1057, status: 500, times: 9 });
		const { error } = await farm.run(parameters, ['1042 1057']);
		expect(error?.message).toBe(`Site 1057: ${DOWN}`);
		farm.engine.editCredential(CREDENTIAL, { password: 'wrong' });
		const { error: login } = await farm.run(parameters, ['1042 1057']);
		const { message: rejected } = TOKEN_RULES.rejected;
		expect(login?.message).toContain(rejected);
		// What all sites share is said in the same words of each
		const onError = 'continueErrorOutput';
		const { outputs } = await farm.run(parameters, ['1042 1057'], { onError });
		const text = expect.stringContaining(rejected) as unknown;
		expect(at(outputs, 1).map(({ json }) => json)).toMatchObject([
			{ error: text },
			{ error: text },
		]);
	});

	test.each(LIST_OPERATIONS)(
		'%s: if no entry is a site ID, the credential does not matter',
		async (operation) => {
			const onError = 'continueRegularOutput';
			farm.engine.editCredential(CREDENTIAL, { baseUrl: 'sea farm' });
			const { items } = await farm.run({ operation }, ['abc x'], { onError });
			expect(items.map(({ json }) => json.error)).toEqual([
				`'Site IDs': "abc" is not a site ID (entry 1 of 2)`,
				`'Site IDs': "x" is not a site ID (entry 2 of 2)`,
			]);
			expect(farm.service.counts.requests).toBe(0);
		},
	);
});

test('a node without a credential says so', async () => {
	const settings = { credential: null, onError: 'continueRegularOutput' } as const;
	const node = siteNode({ operation: 'get', siteId: 1042 }, settings);
	const { items } = await farm.engine.run({ node, items: [{}, {}] });
	expect(items.map(({ json }) => json.error)).toEqual([
		'Node does not have any credentials set [item 0]',
		'Node does not have any credentials set [item 1]',
	]);
	expect(farm.service.counts.requests).toBe(0);
});

test("an expression that fails keeps n8n's own message", async () => {
	const { error } = await farm.run(
		{ ...GET, siteId: "={{ $('Nope').item.json.id }}" },
		[1042, 1057],
	);
	expect(error).toMatchObject({
		message: "Referenced node doesn't exist [item 0]",
		description: KEEP,
	});
	expect(farm.service.counts.requests).toBe(0);
});
