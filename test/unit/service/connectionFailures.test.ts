import { toWords } from '../../../nodes/AquacultureSite/service/advice';
import type { FailureScope } from '../../../nodes/AquacultureSite/service/failures';
import {
	connectionFailure,
	notSent,
	proxyClosed,
	proxyUnreachable,
} from '../../../nodes/AquacultureSite/service/connectionFailures';

const ADDRESS = 'https://api.example.com';

const NOT_FOUND = 'The address of the service was not found';
const REFUSED_CONNECTION = 'The service refused the connection';
const TOO_LATE = 'The service did not respond in time';
const NO_HTTPS = 'The service does not use HTTPS at this address';
const NOT_TRUSTED = "The service's certificate is not trusted";
const IGNORE = /'Ignore SSL Issues \(Insecure\)'/;
const ADD_AUTHORITY = /NODE_EXTRA_CA_CERTS\b.*'Ignore SSL Issues \(Insecure\)'/;
const LOST = 'The connection to the service was lost';

describe('a connection that failed', () => {
	test.each([
		[NOT_FOUND, 'retry', /typos.*network/, 'ENOTFOUND EAI_AGAIN EAI_NODATA EAI_NONAME'],
		[REFUSED_CONNECTION, 'retry', /port.* Try again later/, 'ECONNREFUSED'],
		[TOO_LATE, 'retry', /Try again later/, 'ETIMEDOUT ECONNABORTED ESOCKETTIMEDOUT ERR_CANCELED'],
		[NO_HTTPS, 'no', /http:\/\//, 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER'],
		[NOT_TRUSTED, 'no', IGNORE, 'DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED ERR_TLS_HANDSHAKE'],
		[NOT_TRUSTED, 'no', ADD_AUTHORITY, 'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT'],
		[NOT_TRUSTED, 'no', ADD_AUTHORITY, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		[LOST, 'retry', /Try again later/, 'ECONNRESET E_WHATEVER'],
		// Codes that only contain one of the others
		[LOST, 'retry', /./, 'ENOTFOUND_X X_ENOTFOUND ECONNREFUSED_X X_ECONNREFUSED ETIMEDOUT_X'],
		[LOST, 'retry', /./, 'X_ETIMEDOUT EPROTO_X X_EPROTO X_ERR_SSL_Y X_ERR_TLS_Y'],
	] as const)('%s, retry %s: %#', (message, retry, advice, codes) => {
		for (const code of codes.split(' ')) {
			const failure = connectionFailure([code], ADDRESS);
			const scope = retry === 'no' ? 'run' : 'request';
			expect(failure).toMatchObject({ message, retry, subject: 'service', scope });
			expect(failure.description).toMatch(advice);
			expect(failure.description).toMatch(/ The address is https:\/\/api\.example\.com$/);
			expect(failure.message + failure.description).not.toContain(code);
			expect(failure.message + failure.description).not.toMatch(/error|problem|failure|mistake/i);
		}
	});

	test('is known by any of its codes, and by whether it was the login', () => {
		const failure = connectionFailure(['E_WHATEVER', 'ECONNREFUSED'], ADDRESS, 'run');
		expect(failure).toMatchObject({ message: REFUSED_CONNECTION, scope: 'run' });
	});

	test.each([['ECONNRESET', 'HPE_INVALID_CONSTANT', 'ECONNREFUSED', 'ETIMEDOUT']])(
		'of a login that was sent to http://: try https://',
		(...codes) => {
			const TRY = /^Try https:\/\/ instead of http:\/\/ in 'Base URL'\. /;
			for (const code of codes) {
				const adviceAt = (url: string, scope?: FailureScope) =>
					connectionFailure([code], url, scope).description;
				expect(adviceAt('http://api.example.com', 'run')).toMatch(TRY);
				expect(adviceAt(ADDRESS, 'run')).not.toMatch(TRY);
				// A site is requested after a login, or with a token of this address
				expect(adviceAt('http://api.example.com')).not.toMatch(TRY);
			}
		},
	);

	test('in time is about an option of the node, unless it was the login', () => {
		const inNode = (scope?: FailureScope) =>
			toWords(connectionFailure(['ETIMEDOUT'], ADDRESS, scope).advice, { hasOptions: true });
		expect(inNode()).toMatch(/increase 'Timeout' under 'Options'\. The address/);
		expect(inNode('run')).not.toContain('Options');
	});
});

test.each([
	['cannot be reached', proxyUnreachable],
	['ended the connection', proxyClosed],
])('a proxy %s', (message, describe) => {
	const failure = describe(ADDRESS);
	expect(failure.message).toBe(`The network proxy ${message}`);
	expect(failure.description).toContain(ADDRESS);
	expect(failure).toMatchObject({ subject: 'service', retry: 'retry', scope: 'request' });
});

test.each([
	['Blocked', 'n8n says: "Blocked". '],
	['', ''],
])('a request that n8n did not send: %j', (reason, quote) => {
	const failure = notSent(reason, ADDRESS);
	expect(failure.message).toBe('n8n did not send the request');
	expect(failure.description).toBe(`${quote}Check whether n8n is allowed to call ${ADDRESS}`);
	expect(failure).toMatchObject({ subject: 'service', retry: 'no', scope: 'run' });
});
