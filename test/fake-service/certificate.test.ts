import * as https from 'node:https';
import { selfSignedCertificate } from './certificate';
import { type Service, startService } from './service';

let service: Service;

beforeAll(async () => {
	service = await startService({ tls: await selfSignedCertificate() });
});
afterAll(() => service.close());

const get = (options: https.RequestOptions) =>
	new Promise<number | undefined>((resolve, reject) => {
		https
			.get(service.baseUrl, { agent: false, ...options }, (response) => {
				response.resume().on('end', () => resolve(response.statusCode));
			})
			.on('error', reject);
	});

test('nobody vouches for the certificate', async () => {
	await expect(get({})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
	expect(service.counts.requests).toBe(0);
});

test('the service answers over TLS to whoever does not mind', async () => {
	expect(await get({ rejectUnauthorized: false })).toBe(404);
});

test('a client that trusts the certificate finds it made out to this address', async () => {
	const { cert, key } = await selfSignedCertificate();
	const other = await startService({ tls: { cert, key } });
	const { port } = new URL(other.origin);
	expect(await get({ ca: cert, port })).toBe(404);
	expect(await get({ ca: cert, port, host: 'localhost', family: 4 })).toBe(404);
	await other.close();
});

test('a connection is reset over TLS too', async () => {
	service.faults.token.push({ connection: 'reset' });
	const path = '/auth/token';
	await expect(get({ path, rejectUnauthorized: false })).rejects.toMatchObject({
		code: 'ECONNRESET',
	});
});
