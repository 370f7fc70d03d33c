import { CREDENTIAL, seaFarm, siteNode, useSeaFarm } from '../../tools/engine/sea-farm';

const farm = useSeaFarm();

const node = siteNode({ operation: 'get', siteId: 1042 });

test.each([
	['username', '', 'Username'],
	['password', '', 'Password'],
	['password', '   ', 'Password'],
	['password', null, 'Password'],
	['username', undefined, 'Username'],
])('%s %j is not sent: the message names the field', async (field, value, displayName) => {
	const engine = await seaFarm(farm.service, { [field]: value as string });
	const { error } = await engine.run({ node });
	expect(error?.message).toBe(`'${displayName}' is empty: credential "${CREDENTIAL}"`);
	expect(error?.description).toContain(`enter '${displayName}'`);
	expect(farm.service.counts.requests).toBe(0);
});

test('a number, as an expression supplies it, is sent as text', async () => {
	farm.service.logins.push({ username: '1042', password: '2026' });
	const engine = await seaFarm(farm.service, { username: 1042, password: 2026 });
	expect((await engine.run({ node })).items).toHaveLength(1);
	expect(farm.service.counts).toMatchObject({ tokenRequests: 1, logins: 1 });
});
