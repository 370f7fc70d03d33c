import { CREDENTIAL, httpRequestNode, seaFarm, siteNode } from '../../tools/engine/sea-farm';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { type Service, startService } from '../../tools/fake-service/service';
import { own } from '../../tools/helpers/own';

const get = siteNode({ operation: 'get', siteId: 1042 });
const siteRequest = ({ baseUrl }: Service) => httpRequestNode(`${baseUrl}/meta/sites/1042`);

const startSecured = async () => await own(startService({ tls: await selfSignedCertificate() }));

test("a self-signed certificate is accepted with 'Ignore SSL Issues' on, at the address of the service alone", async () => {
	const [secured, otherSecured] = [await startSecured(), await startSecured()];
	const n8n = await seaFarm(secured, { allowUnauthorizedCerts: true });
	for (const node of [get, siteRequest(secured)]) {
		expect((await n8n.run({ node })).items[0]?.json).toMatchObject({ siteId: 1042 });
	}
	expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
	expect((await n8n.run({ node: siteRequest(otherSecured) })).status).toBe('error');
	expect(otherSecured.counts.requests).toBe(0);
});

test('the base URL works as people type it: node, test and HTTP Request node', async () => {
	for (const options of [{}, { basePath: '/api/v2' }]) {
		const each = await own(startService(options));
		const typed = ` \u200B${each.baseUrl.replace('http', 'HTTP')}//auth/token/ \r\n`;
		const n8n = await seaFarm(each, { baseUrl: typed });
		for (const node of [get, siteRequest(each)]) {
			expect((await n8n.run({ node })).items).toHaveLength(1);
		}
		expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
		expect(each.counts.otherRequests).toBe(0);
	}
});
