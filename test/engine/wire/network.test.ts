import { CREDENTIAL, siteNode } from '../../tools/engine/sea-farm';
import { API, expectWireAsForeseen, foreseeLogin, n8nAtWire, serverAt, SITE_PATH } from './wire';

// How Node nests the failures of a connection. Those that come alone are real ones, in test/engine/faults

expectWireAsForeseen();

const failed = (code: string) => Object.assign(new Error(`${code} ${API}`), { code });
const causedBy = (cause: Error) => new Error('fetch failed', { cause });
const inList = (...codes: string[]) => new AggregateError(codes.map(failed));

const REFUSED_CONNECTION = 'The service refused the connection';

describe.each<[name: string, failure: Error, sentence: string]>([
	['ECONNREFUSED as a cause', causedBy(failed('ECONNREFUSED')), REFUSED_CONNECTION],
	[
		'EPROTO as the cause of a cause',
		causedBy(causedBy(failed('EPROTO'))),
		'The service does not use HTTPS at this address',
	],
	[
		'ECONNREFUSED at each address of a host',
		Object.assign(inList('ECONNREFUSED', 'ECONNREFUSED'), { code: 'ECONNREFUSED' }),
		REFUSED_CONNECTION,
	],
	['ENOTFOUND in a list', inList('ENOTFOUND'), 'The address of the service was not found'],
	[
		'CERT_HAS_EXPIRED in the list of a cause',
		causedBy(inList('CERT_HAS_EXPIRED')),
		"The service's certificate is not trusted",
	],
])('%s', (_, failure, sentence) => {
	const options = { maxRetries: 0 };
	const get = siteNode({ operation: 'get', siteId: 1042, include: [], options });

	test('for a site', async () => {
		foreseeLogin();
		serverAt().persist().get(SITE_PATH).replyWithError(failure);
		const { error } = await (await n8nAtWire()).run({ node: get });
		expect(error?.message).toBe(sentence);
		expect(error?.description).toContain(` The address is ${API}`);
	});

	test('for the login', async () => {
		serverAt().post('/auth/token').replyWithError(failure);
		const { message } = await (await n8nAtWire()).testCredential(CREDENTIAL);
		expect(message.slice(0, sentence.length)).toBe(sentence);
	});
});
