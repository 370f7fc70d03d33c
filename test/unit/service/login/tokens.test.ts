import { parseBaseUrl } from '../../../../nodes/AquacultureSite/service/login/baseUrl';
import { ServiceFailure } from '../../../../nodes/AquacultureSite/service/messages/failures';
import {
	belongsToOtherLogin,
	markExpired,
	sharedLogin,
} from '../../../../nodes/AquacultureSite/service/login/tokens';
import { settle, stopTime } from '../../../tools/helpers/fake-clock';

// What is remembered of logins that succeed is tested through n8n, in test/engine/credential/memory.test.ts

const BASE_URL = parseBaseUrl('https://api.example.com');

function failure(httpStatus?: number, retryAfter?: number) {
	const details = { subject: 'service', scope: 'run', httpStatus, retryAfter } as const;
	return new ServiceFailure('Failed', 'Wait', details);
}

test.each<[name: string, milliseconds: number, failed: Error]>([
	// The account may get locked
	['400', 60_000, failure(400)],
	['401', 60_000, failure(401)],
	['403', 60_000, failure(403)],
	// It may be right in a moment
	['404', 2000, failure(404)],
	['502', 2000, failure(502)],
	['no response', 2000, failure()],
	['something unexpected', 2000, new Error('Unexpected')],
	// What the service asks for, within reason
	['503', 2000, failure(503)],
	['502, Retry-After half a minute', 30_000, failure(502, 30_000)],
	['503, Retry-After half a minute', 30_000, failure(503, 30_000)],
	['429, Retry-After half a second', 2000, failure(429, 500)],
	['429, Retry-After an hour', 60_000, failure(429, 3_600_000)],
])('a login that fails with %s is not repeated for %i ms', async (name, milliseconds, failed) => {
	const clock = stopTime();
	const request = jest.fn(() => Promise.reject(failed));
	const logIn = async () => {
		const credentials = { username: name, password: 'sample-password', accessToken: 'held' };
		await expect(sharedLogin(BASE_URL, credentials, request)).rejects.toBe(failed);
		await settle();
		return request.mock.calls.length;
	};
	expect(await logIn()).toBe(1);
	await clock.advance(milliseconds - 1);
	expect(await logIn()).toBe(1);
	await clock.advance(1);
	expect(await logIn()).toBe(2);
});

test('a login that failed is repeated after its pause, however late a timer fires', async () => {
	const clock = stopTime();
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
	const request = jest.fn(() => Promise.reject(failure(502)));
	const credentials = { username: 'late', password: 'sample-password', accessToken: 'held' };
	for (let login = 1; login <= 2; login++) {
		await expect(sharedLogin(BASE_URL, credentials, request)).rejects.toThrow('Failed');
		await settle();
		expect(request).toHaveBeenCalledTimes(login);
		await clock.advance(2000);
	}
});

describe('whether a stored token is of another login', () => {
	const login = { username: 'a', password: 'b', accessToken: 'c' };
	let stored: Record<string, string>;

	beforeAll(async () => {
		const { tokenFingerprint } = await sharedLogin(BASE_URL, login, () => Promise.resolve('c'));
		stored = { ...login, tokenFingerprint };
	});

	test.each([
		['it is of the one that it was issued for', {}, false],
		['another username', { username: 'd' }, true],
		['another password', { password: 'd' }, true],
		['another token', { accessToken: 'd' }, true],
		['the same username with a space around it', { username: ' a\u200B ' }, false],
		['the same password with a space around it', { password: 'b ' }, true],
		['nothing says so', { tokenFingerprint: '' }, false],
	])('%s', (_, changes, isOther) => {
		expect(belongsToOtherLogin(BASE_URL, { ...stored, ...changes })).toBe(isOther);
	});

	test('nothing was stored beside it', () => {
		expect(belongsToOtherLogin(BASE_URL, login)).toBe(false);
	});

	test('another address', () => {
		expect(belongsToOtherLogin(parseBaseUrl('https://other.example.com'), stored)).toBe(true);
	});

	test('one that has expired', () => {
		const credentials = { ...stored };
		markExpired(credentials);
		expect(belongsToOtherLogin(BASE_URL, credentials)).toBe(true);
	});
});
