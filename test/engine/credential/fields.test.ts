import {
	CREDENTIAL,
	httpRequestNode,
	seaFarm,
	siteNode,
	useSeaFarm,
} from '../../tools/engine/sea-farm';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { startService } from '../../tools/fake-service/service';
import { own } from '../../tools/helpers/own';

const farm = useSeaFarm();

const node = siteNode({ operation: 'get', siteId: 1042 });

const siteRequest = (url: string) => httpRequestNode(`${url}/meta/sites/1042`);

const startSecured = async () => await own(startService({ tls: await selfSignedCertificate() }));

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

test("a self-signed certificate is accepted with 'Ignore SSL Issues' on, at the address of the service alone", async () => {
	const [secured, otherSecured] = [await startSecured(), await startSecured()];
	const n8n = await seaFarm(secured, { allowUnauthorizedCerts: true });
	for (const caller of [node, siteRequest(secured.baseUrl)]) {
		expect((await n8n.run({ node: caller })).items[0]?.json).toMatchObject({ siteId: 1042 });
	}
	expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
	expect((await n8n.run({ node: siteRequest(otherSecured.baseUrl) })).status).toBe('error');
	expect(otherSecured.counts.requests).toBe(0);
});

test('the base URL works as people type it: node, test and HTTP Request node', async () => {
	for (const options of [{}, { basePath: '/api/v2' }]) {
		const each = await own(startService(options));
		const typed = ` \u200B${each.baseUrl.replace('http', 'HTTP')}//auth/token/ \r\n`;
		const n8n = await seaFarm(each, { baseUrl: typed });
		for (const caller of [node, siteRequest(each.baseUrl)]) {
			expect((await n8n.run({ node: caller })).items).toHaveLength(1);
		}
		expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
		expect(each.counts.otherRequests).toBe(0);
	}
});
