import type { IExecuteFunctions, IHttpRequestHelper } from 'n8n-workflow';
import type { ServiceFailure } from '../../../nodes/AquacultureSite/service/failures';
import { addExecutionHints, logIn } from '../../../nodes/AquacultureSite/service/request';

let logins = 0;

/** What a login says whose request n8n ends with this error. */
async function textFor(error: unknown): Promise<string> {
	const helper = {
		helpers: { httpRequest: jest.fn().mockRejectedValue(error) },
	} as unknown as IHttpRequestHelper;
	// A user of its own, whom no other login is remembered for
	const username = `user-${logins++}`;
	const credentials = { baseUrl: 'https://api.example.com', username, password: 'secret' };
	const failure: unknown = await logIn(helper, credentials).catch((error: unknown) => error);
	return `${String(failure)}. ${(failure as ServiceFailure).description}`;
}

const REFUSED = { code: 'ECONNREFUSED' };
const NOT_LISTENING = 'Nothing is listening at the service address';
const LOST = 'The connection to the service was lost';
const NOT_SENT = 'n8n did not send the request';

const nest = (depth: number, wrap: (inner: unknown) => unknown): unknown =>
	depth === 0 ? REFUSED : wrap(nest(depth - 1, wrap));
const asCause = (cause: unknown) => ({ cause });
const inBundle = (error: unknown) => ({ errors: [error] });

const circle: Record<string, unknown> = { code: 'E_WHATEVER' };
circle.cause = circle;

test.each<[string, unknown, string]>([
	['as httpCode, as n8n 1.x has it', { httpCode: 'ECONNREFUSED' }, NOT_LISTENING],
	['five causes below', nest(5, asCause), NOT_LISTENING],
	['five bundles below', nest(5, inBundle), NOT_LISTENING],
	['in the second of a bundle', { errors: [circle, asCause(REFUSED)] }, NOT_LISTENING],
	['in a circle', circle, LOST],
	['six causes below', nest(6, asCause), NOT_SENT],
	['six bundles below', nest(6, inBundle), NOT_SENT],
	['in something like a bundle', { errors: REFUSED }, NOT_SENT],
	...['econnrefused', 7].map((code): [string, unknown, string] => [
		'by none',
		{ code, httpCode: code },
		NOT_SENT,
	]),
	['by no error at all', null, NOT_SENT],
	['by words of n8n alone', { message: 'No.', description: 'Allow it' }, 'says: "No. Allow it"'],
])('the code of the network is found %s', async (_, error, text) => {
	expect(await textFor(error)).toContain(text);
});

test('an n8n that has no hints gets none', () => {
	expect(() => addExecutionHints({} as IExecuteFunctions, ['A hint'])).not.toThrow();
});
