import { CREDENTIAL, seaFarm } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

/** What the credential dialog says when a user saves these values. */
const dialog = async (typedInstead = {}) =>
	await (await seaFarm(service, typedInstead)).testCredential(CREDENTIAL);

describe('the credential dialog finds all well', () => {
	const wellDone = { status: 'OK', message: 'Connection successful!' };

	test('with the right login: it is tried, and the token shown to the data side', async () => {
		expect(await dialog()).toEqual(wellDone);
		expect(service.counts).toMatchObject({ logins: 1, siteRequests: 1, unauthorized: 0 });
		expect(service.requests[1]?.headers['api-version']).toBe('2025-01-01');
	});

	test('without naming a site of the user’s', async () => {
		service.sites.length = 0;
		expect(await dialog()).toEqual(wellDone);
	});

	test('although a stale token is stored', async () => {
		expect(await dialog({ accessToken: 'issued.long.ago' })).toEqual(wellDone);
	});

	test.each([200, 204, 400, 403, 404, 422, 500])(
		'when the data side answers the test with %i: the token was accepted',
		async (status) => {
			service.faults.site.push({ status });
			expect(await dialog()).toEqual(wellDone);
		},
	);
});

describe('the credential dialog says in a sentence', () => {
	test('that the password is wrong', async () => {
		expect(await dialog({ password: 'guessed' })).toEqual({
			status: 'Error',
			message: 'The service rejected the username or password',
		});
		expect(service.counts).toMatchObject({ requests: 1, refusedLogins: 1 });
	});

	test('that all is well as soon as the password is right', async () => {
		const engine = await seaFarm(service, { password: 'guessed' });
		await engine.testCredential(CREDENTIAL);
		engine.editCredential(CREDENTIAL, { password: service.login.password });
		expect(await engine.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
	});

	test('that nothing answers at the address', async () => {
		const gone = await startService();
		await gone.close();
		expect(await dialog({ baseUrl: gone.baseUrl })).toEqual({
			status: 'Error',
			message: 'Nothing is listening at the service address',
		});
	});

	test('that the host is not known', async () => {
		expect(await dialog({ baseUrl: 'https://no-such-host.invalid' })).toEqual({
			status: 'Error',
			message: 'The address of the service was not found',
		});
	});

	test('that https does not fit where the service speaks http', async () => {
		expect(await dialog({ baseUrl: service.baseUrl.replace('http', 'https') })).toEqual({
			status: 'Error',
			message: 'The service does not use HTTPS at this address',
		});
	});

	test('that the scheme is missing', async () => {
		expect(await dialog({ baseUrl: new URL(service.baseUrl).host })).toEqual({
			status: 'Error',
			message: "'Base URL' must start with https:// or http://",
		});
	});

	test('that the address is that of a website', async () => {
		service.faults.token.push({ body: 'html' });
		expect(await dialog()).toEqual({
			status: 'Error',
			message: 'The login returned a web page',
		});
	});

	test('that there is no login at the address', async () => {
		expect(await dialog({ baseUrl: `${service.baseUrl}/elsewhere` })).toEqual({
			status: 'Error',
			message: 'No login endpoint was found at this address',
		});
	});

	test('that the answer holds no token', async () => {
		service.faults.token.push({ body: { json: {} } });
		expect(await dialog()).toEqual({
			status: 'Error',
			message: 'The login response contains no access token',
		});
	});

	test('that the login is busy', async () => {
		service.faults.token.push({ status: 429 });
		expect(await dialog()).toEqual({
			status: 'Error',
			message: 'The service is receiving too many requests',
		});
	});

	test('that the data side does not accept the token', async () => {
		service.faults.site.push({ status: 401 });
		expect(await dialog()).toEqual({
			status: 'Error',
			message:
				'The login succeeded, but the service rejected the access token for site data. Ask the service operator whether this user may read it.',
		});
	});

	test.each([502, 503, 504])('that the data side is down (%i)', async (status) => {
		service.faults.site.push({ status });
		expect(await dialog()).toEqual({
			status: 'Error',
			message: `The login succeeded, but the service is not able to answer at the moment (status ${status}). Try again later.`,
		});
	});
});
