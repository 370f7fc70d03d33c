import { CREDENTIAL, seaFarm, useSeaFarm } from '../helpers/sea-farm';

const farm = useSeaFarm();

/** What the credential dialog says when a user saves these values. */
const dialog = async (typedInstead = {}) =>
	await (await seaFarm(farm.service, typedInstead)).testCredential(CREDENTIAL);

describe('the credential dialog reports success', () => {
	const success = { status: 'OK', message: 'Connection successful!' };

	test('with the right login, and without naming a site of the user', async () => {
		farm.service.sites.length = 0;
		expect(await dialog()).toEqual(success);
		expect(farm.service.counts).toMatchObject({ logins: 1, siteRequests: 1, unauthorized: 0 });
	});

	test('although another token than that of the latest login is stored: it is not sent', async () => {
		const { engine: n8n, service } = farm;
		await n8n.testCredential(CREDENTIAL);
		n8n.editCredential(CREDENTIAL, { accessToken: 'issued.long.ago', accessTokenLogin: '' });
		expect(await n8n.testCredential(CREDENTIAL)).toEqual(success);
		expect(JSON.stringify(service.requests)).not.toContain('issued.long.ago');
	});

	test.each([200, 204, 400, 403, 404, 422, 500])(
		'when the data side responds to the test with %i: the token was accepted',
		async (status) => {
			farm.service.faults.site.push({ status });
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
		expect(farm.service.counts.requests).toBe(1);
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
		farm.service.faults.site.push({ status });
		expect(await dialog()).toEqual({ status: 'Error', message });
	});
});
