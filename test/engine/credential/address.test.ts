import { CREDENTIAL, httpRequestNode, seaFarm, siteNode } from '../../tools/engine/sea-farm';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { type Service, startService } from '../../tools/fake-service/service';

const get = siteNode({ operation: 'get', siteId: 1042 });
const siteRequest = ({ baseUrl }: Service) => httpRequestNode(`${baseUrl}/meta/sites/1042`);

let service: Service;
let nested: Service;
let secured: Service;
let otherSecured: Service;

beforeAll(async () => {
	[service, nested, secured, otherSecured] = await Promise.all([
		startService(),
		startService({ basePath: '/api/v2' }),
		startService({ tls: await selfSignedCertificate() }),
		startService({ tls: await selfSignedCertificate() }),
	]);
});
afterAll(async () => {
	const all = [service, nested, secured, otherSecured];
	await Promise.all(all.map(async (each) => await each.close()));
});

test('a self-signed certificate is rejected before anything is sent', async () => {
	const n8n = await seaFarm(secured, { accessToken: 'stored' });
	for (const node of [get, siteRequest(secured)]) {
		expect((await n8n.run({ node })).status).toBe('error');
	}
	expect(secured.counts.requests).toBe(0);
});

test("a self-signed certificate is accepted with 'Ignore SSL Issues' on, at the address of the service alone", async () => {
	const n8n = await seaFarm(secured, { allowUnauthorizedCerts: true });
	for (const node of [get, siteRequest(secured)]) {
		expect((await n8n.run({ node })).items[0]?.json).toMatchObject({ siteId: 1042 });
	}
	expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
	expect((await n8n.run({ node: siteRequest(otherSecured) })).status).toBe('error');
	expect(otherSecured.counts.requests).toBe(0);
});

test('the base URL works as people type it: node, test and HTTP Request node', async () => {
	for (const each of [service, nested]) {
		const typed = ` \u200B${each.baseUrl.replace('http', 'HTTP')}//auth/token/ \r\n`;
		const n8n = await seaFarm(each, { baseUrl: typed });
		for (const node of [get, siteRequest(each)]) {
			expect((await n8n.run({ node })).items).toHaveLength(1);
		}
		expect(await n8n.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
		expect(each.counts.otherRequests).toBe(0);
	}
});
