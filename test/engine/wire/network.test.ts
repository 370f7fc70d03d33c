import { CREDENTIAL, siteNode } from '../../tools/engine/sea-farm';
import { skipLoginPauses } from '../../tools/helpers/login-pause';
import {
	API,
	expectWireAsForeseen,
	foreseeLogin,
	n8nAtWire,
	sentRequests,
	serverAt,
	SITE_PATH,
} from './wire';

expectWireAsForeseen();
beforeEach(skipLoginPauses);

const NOT_FOUND = 'The address of the service was not found';
const REFUSED_CONNECTION = 'The service refused the connection';
const LOST = 'The connection to the service was lost';
const TOO_LATE = 'The service did not respond in time';
const NO_HTTPS = 'The service does not use HTTPS at this address';
const NOT_TRUSTED = "The service's certificate is not trusted";

const failed = (code: string) => Object.assign(new Error(`${code} ${API}`), { code });
const causedBy = (cause: Error) => new Error('fetch failed', { cause });

/** What the network says, the sentence, and how often it is tried where one retry is allowed. */
type Row = [name: string, failure: Error, sentence: string, tries: number];

const rows = (sentence: string, tries: number, codes: string): Row[] =>
	codes.split(' ').map((code) => [code, failed(code), sentence, tries]);

const FAILURES: Row[] = [
	...rows(NOT_FOUND, 2, 'ENOTFOUND EAI_AGAIN'),
	...rows(REFUSED_CONNECTION, 2, 'ECONNREFUSED'),
	...rows(LOST, 2, 'ECONNRESET EPIPE EHOSTUNREACH ENETUNREACH'),
	...rows(TOO_LATE, 2, 'ETIMEDOUT ESOCKETTIMEDOUT ECONNABORTED'),
	...rows(NO_HTTPS, 1, 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER'),
	...rows(NOT_TRUSTED, 1, 'DEPTH_ZERO_SELF_SIGNED_CERT CERT_HAS_EXPIRED'),
	...rows(NOT_TRUSTED, 1, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
	...rows(NOT_TRUSTED, 1, 'ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_HANDSHAKE_TIMEOUT'),
	['ECONNREFUSED as a cause', causedBy(failed('ECONNREFUSED')), REFUSED_CONNECTION, 2],
	['EPROTO as the cause of a cause', causedBy(causedBy(failed('EPROTO'))), NO_HTTPS, 1],
	[
		'ECONNREFUSED at each address of a host',
		Object.assign(new AggregateError([failed('ECONNREFUSED'), failed('ECONNREFUSED')]), {
			code: 'ECONNREFUSED',
		}),
		REFUSED_CONNECTION,
		2,
	],
	['ENOTFOUND in a list', new AggregateError([failed('ENOTFOUND')]), NOT_FOUND, 2],
	[
		'CERT_HAS_EXPIRED in the list of a cause',
		causedBy(new AggregateError([failed('CERT_HAS_EXPIRED')])),
		NOT_TRUSTED,
		1,
	],
];

const get = siteNode({ operation: 'get', siteId: 1042, include: [], options: { maxRetries: 1 } });

test.each(FAILURES)('%s for a site', async (_, failure, sentence, tries) => {
	foreseeLogin();
	serverAt().get(SITE_PATH).times(tries).replyWithError(failure);
	const { error } = await (await n8nAtWire()).run({ node: get });
	expect(error?.message).toBe(sentence);
	expect(error?.description).toContain(` The address is ${API}`);
	expect(sentRequests()).toHaveLength(1 + tries);
});

test.each(FAILURES)('%s for the login', async (_, failure, sentence, tries) => {
	serverAt().post('/auth/token').times(tries).replyWithError(failure);
	const n8n = await n8nAtWire();
	const { error } = await n8n.run({ node: get });
	expect(error?.message).toBe(sentence);
	expect(sentRequests()).toHaveLength(tries);

	// Unless the failed login is still remembered
	serverAt().post('/auth/token').optionally().replyWithError(failure);
	const { message } = await n8n.testCredential(CREDENTIAL);
	expect(message.slice(0, sentence.length)).toBe(sentence);
});
