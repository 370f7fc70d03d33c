import * as https from 'node:https';
import { selfSignedCertificate } from './certificate';
import { type Service, startService } from './service';

let service: Service;
let certificate: { key: string; cert: string };

beforeAll(async () => {
	certificate = await selfSignedCertificate();
	service = await startService({ tls: certificate, unchecked: true });
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

test('the service works over TLS, with a certificate that only those accept who trust or ignore it', async () => {
	await expect(get({})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
	expect(service.counts.requests).toBe(0);
	expect(await get({ rejectUnauthorized: false })).toBe(404);
	expect(await get({ ca: certificate.cert })).toBe(404);
	expect(await get({ ca: certificate.cert, host: 'localhost', family: 4 })).toBe(404);
});

test('a connection is reset over TLS too', async () => {
	service.faults.token.push({ connection: 'reset' });
	const reset = get({ path: '/auth/token', rejectUnauthorized: false });
	await expect(reset).rejects.toMatchObject({ code: 'ECONNRESET' });
});
