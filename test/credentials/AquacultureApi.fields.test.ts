import { type Service, startService } from '../fake-service/service';
import { CREDENTIAL, seaFarm, siteNode } from '../helpers/sea-farm';

let service: Service;

beforeAll(async () => {
	service = await startService({
		moreLogins: [{ username: '1042', password: '2026' }],
	});
});
beforeEach(() => service.reset());
afterAll(() => service.close());

const node = siteNode({ operation: 'get', siteId: 1042 });

test.each([
	['username', '', 'Username'],
	['password', '', 'Password'],
	['password', '   ', 'Password'],
	['password', null, 'Password'],
	['username', '={{ $json.nothing }}', 'Username'],
])('%s %j is not sent: the message names the field', async (field, value, displayName) => {
	const engine = await seaFarm(service, { [field]: value as string });
	const { error } = await engine.run({ node });
	expect(error?.message).toBe(`'${displayName}' is empty: credential "${CREDENTIAL}"`);
	expect(error?.description).toContain(`enter '${displayName}'`);
	expect(service.counts.requests).toBe(0);
});

test('an empty password is not sent by the dialog either', async () => {
	const engine = await seaFarm(service, { password: '' });
	expect(await engine.testCredential(CREDENTIAL)).toEqual({
		status: 'Error',
		message: "'Password' is empty",
	});
	expect(service.counts.requests).toBe(0);
});

test('a number that an expression supplies is sent as text', async () => {
	const engine = await seaFarm(service, { username: '={{ 1042 }}', password: '={{ 2026 }}' });
	expect((await engine.run({ node })).items).toHaveLength(1);
	expect(service.counts).toMatchObject({ tokenRequests: 1, logins: 1 });
});
