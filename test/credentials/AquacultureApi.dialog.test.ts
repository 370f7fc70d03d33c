import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { CREDENTIAL, seaFarm } from '../helpers/sea-farm';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

/** What the credential dialog says when a user saves these values. */
const dialog = async (typedInstead = {}) =>
	await (await seaFarm(service, typedInstead)).testCredential(CREDENTIAL);

describe('the credential dialog reports success', () => {
	const success = { status: 'OK', message: 'Connection successful!' };

	test('with the right login, and without naming a site of the user', async () => {
		service.sites.length = 0;
		expect(await dialog()).toEqual(success);
		expect(service.counts).toMatchObject({ logins: 1, siteRequests: 1, unauthorized: 0 });
	});

	test('although another token than that of the latest login is stored: it is not sent', async () => {
		const n8n = await seaFarm(service);
		await n8n.testCredential(CREDENTIAL);
		n8n.editCredential(CREDENTIAL, { accessToken: 'issued.long.ago', accessTokenLogin: '' });
		expect(await n8n.testCredential(CREDENTIAL)).toEqual(success);
		expect(JSON.stringify(service.requests)).not.toContain('issued.long.ago');
	});

	test.each([200, 204, 400, 403, 404, 422, 500])(
		'when the data side responds to the test with %i: the token was accepted',
		async (status) => {
			service.faults.site.push({ status });
			expect(await dialog()).toEqual(success);
		},
	);
});

describe('the credential dialog says in a sentence', () => {
	test('that the password is wrong, after one attempt', async () => {
		expect(await dialog({ password: 'guessed' })).toEqual({
			status: 'Error',
			message: 'The service rejected the username or password',
		});
		expect(service.counts.requests).toBe(1);
	});

	test.each<[string, Fault, string]>([
		['web page', { body: 'html' }, 'The login returned a web page'],
		['404', { status: 404 }, 'No login endpoint was found at this address'],
		['no token', { body: { json: {} } }, 'The login response contains no access token'],
		['429', { status: 429 }, 'The service is receiving too many requests'],
	])('what a login gave: %s', async (_, fault, message) => {
		service.faults.token.push(fault);
		expect(await dialog()).toEqual({ status: 'Error', message });
	});

	test.each([
		[
			401,
			'The login succeeded, but the service rejected the access token for site data. Ask the service operator whether this user may read it.',
		],
		...[502, 503, 504].map((status): [number, string] => [
			status,
			`The login succeeded, but the service is unavailable (status ${status}). Try again later.`,
		]),
	])('what the data side gave: %i', async (status, message) => {
		service.faults.site.push({ status });
		expect(await dialog()).toEqual({ status: 'Error', message });
	});
});
